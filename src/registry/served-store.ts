// Types whose served form differs from the stored one (custom resources in several versions, or with a changed definition). Converts
// objects when they are read from the store below, and back when they are written.
import { jsonText } from '../api/json-text.ts'
import type { ApiObject } from '../api/object.ts'
import { EncodingMemo, type ObjectEvent, type ReadAt, type StoredObject, type WatchEvent } from '../api/read.ts'
import { encodeStored } from '../codec/stored-json.ts'
import { layoutOf, spliceResourceVersion } from '../codec/resource-version-splice.ts'
import { InvariantError } from '../lib/errors.ts'
import { objectToPut } from '../store/stored-object.ts'
import { selectedEvents, selectedPage, splitSelection } from './served-selection.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ListRequest,
  ObjectKey,
  ServedForm,
  Store,
  StoredItem,
  StoredResource,
  Watch,
  WatchRequest,
  WriteResult,
} from '../store/store.ts'

export class ServedStore implements Store {
  readonly #store: Store
  /** All watchers of a served form get the same record for an event, so that it is encoded once. */
  readonly #events = new WeakMap<ServedForm, WeakMap<ObjectEvent, ObjectEvent>>()

  readonly #onWritten: (key: ObjectKey, result: WriteResult) => void

  /** `onWritten` is called for every write, before its answer, with the stored result. */
  constructor(store: Store, onWritten: (key: ObjectKey, result: WriteResult) => void = () => {}) {
    this.#store = store
    this.#onWritten = onWritten
  }

  async get(key: ObjectKey, at: Exclude<ReadAt, { kind: 'exact' }>, signal: AbortSignal): Promise<GetResult> {
    const result = await this.#store.get(key, at, signal)
    const { form } = key.resource
    if (form === undefined || result.item === undefined || form.isAsStored()) return result
    return { ...result, item: await shown(form, result.item, signal) }
  }

  untilPresent(resource: StoredResource, signal: AbortSignal): Promise<void> | undefined {
    return this.#store.untilPresent?.(resource, signal)
  }

  async list(request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    const { form } = request.resource
    if (form === undefined || form.isAsStored()) return this.#store.list(request, signal)
    const split = form.isLocal ? undefined : splitSelection(request.resource, request.selection)
    if (split === undefined) return this.#shownPage(form, request, signal)
    const { limit: _, ...whole } = request
    const page = await this.#shownPage(form, { ...whole, selection: split.stored }, signal)
    return selectedPage(page, request, split.matches)
  }

  async #shownPage(form: ServedForm, request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    const page = await this.#store.list(request, signal)
    // The first batch is converted before the answer begins, so that a failure can still become an error.
    const batches = shownBatches(form, page.batches, signal)
    return { ...page, batches: startingWith(await batches.next(), batches) }
  }

  async watch(request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    const { form } = request.resource
    if (form === undefined || form.isAsStored()) return this.#store.watch(request, signal)
    const split = form.isLocal ? undefined : splitSelection(request.resource, request.selection)
    if (split === undefined) return this.#shownWatch(form, request, signal)
    const last = (before: StoredObject, change: StoredObject): StoredObject =>
      new ServedObject(change, before.object(), request.resource)
    const { shown, start } = await this.#shownBefore(request, signal)
    const watch = await this.#shownWatch(form, { ...request, start, selection: split.stored }, signal)
    return selectedEvents(watch, { matches: split.matches, shown, last })
  }

  async #shownWatch(form: ServedForm, request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    const watch = await this.#store.watch(request, signal)
    return shownEvents({ form, known: this.#eventsOf(form) }, watch, signal)
  }

  /**
   * The objects that a watcher knows at its start. Throws if they cannot be read, because the watcher would not learn that one of them no
   * longer matches.
   */
  async #shownBefore(request: WatchRequest, signal: AbortSignal): Promise<ShownBefore> {
    const shown = new Map<string, StoredObject>()
    const { resource, namespace, selection, start } = request
    if (start.kind === 'state') return { shown, start }
    const at = start.kind === 'after' ? ({ kind: 'exact', revision: start.revision } as const) : start.at
    const page = await this.list({ resource, namespace, at, selection, skipUnreadable: true }, signal)
    for await (const batch of page.batches) for (const one of batch) shown.set(`${one.namespace}/${one.name}`, one)
    return { shown, start: { kind: 'after', revision: page.revision } }
  }

  #eventsOf(form: ServedForm): WeakMap<ObjectEvent, ObjectEvent> {
    let known = this.#events.get(form)
    if (known === undefined) this.#events.set(form, (known = new WeakMap()))
    return known
  }

  async write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult> {
    const { resource } = key
    const form = resource.form?.isAsStored() === false ? resource.form : undefined
    const decideStored: Decide =
      form === undefined ? decide : (current) => decideInForm(form, { current, decide }, signal)
    const result = await this.#store.write(key, decideStored, signal)
    this.#onWritten(key, result)
    if (form === undefined || result.object === undefined) return result
    return { ...result, object: await shown(form, result.object, signal) } as WriteResult
  }
}

interface ShownBefore {
  readonly shown: Map<string, StoredObject>
  readonly start: WatchRequest['start']
}

async function decideInForm(
  form: ServedForm,
  { current, decide }: { readonly current: StoredItem | undefined; readonly decide: Decide },
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Decide>>> {
  const outcome = await decide(current === undefined ? undefined : await shown(form, current, signal))
  switch (outcome.kind) {
    case 'put':
      return { ...outcome, object: await form.toStored(objectToPut(outcome), signal), bytes: undefined }
    case 'remove':
      return outcome.last === undefined ? outcome : { ...outcome, last: await form.toStored(outcome.last, signal) }
    case 'keep':
      return outcome
  }
}

async function shown(form: ServedForm, item: StoredItem, signal: AbortSignal): Promise<StoredItem> {
  if (item.kind !== 'object') return item
  const [object] = await form.fromStored([item], signal)
  return object ?? item
}

async function* shownBatches(
  form: ServedForm,
  batches: ListPage['batches'],
  signal: AbortSignal,
): AsyncGenerator<readonly StoredObject[]> {
  for await (const batch of batches) yield await form.fromStored(batch, signal)
}

async function* startingWith<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done === true) return
  yield first.value
  yield* rest
}

interface EventForm {
  readonly form: ServedForm
  readonly known: WeakMap<ObjectEvent, ObjectEvent>
}

async function* shownEvents(
  { form, known }: EventForm,
  watch: Watch,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[]> {
  for await (const events of watch) {
    const objects = events.filter((event): event is ObjectEvent => event.type !== 'BOOKMARK' && !known.has(event))
    const stored = objects.flatMap(({ object, before }) => (before === undefined ? [object] : [object, before]))
    const served = (await form.fromStored(stored, signal)).values()
    for (const event of objects) {
      const object = served.next().value ?? event.object
      const before = event.before === undefined ? undefined : served.next().value
      const isSame = object === event.object && before === event.before
      known.set(event, isSame ? event : { ...event, object, before, memo: new EncodingMemo() })
    }
    yield events.map((event) => (event.type === 'BOOKMARK' ? event : (known.get(event) ?? event)))
  }
}

/** A stored object in its served form; its bytes are made on demand. */
export class ServedObject implements StoredObject {
  readonly kind = 'object'
  readonly #stored: StoredObject
  readonly #object: ApiObject
  readonly #resource: StoredResource
  #bytes: Buffer | undefined

  constructor(stored: StoredObject, object: ApiObject, resource: StoredResource) {
    this.#stored = stored
    this.#object = object
    this.#resource = resource
  }

  get namespace(): string {
    return this.#stored.namespace
  }

  get name(): string {
    return this.#stored.name
  }

  get revision(): number {
    return this.#stored.revision
  }

  get bytes(): Buffer {
    if (this.#bytes === undefined) {
      // An object that a dry run would have created is shown with the version in the request.
      if (this.revision === 0) return (this.#bytes = Buffer.from((this.#resource.encode ?? jsonText)(this.#object)))
      const bytes = encodeStored(this.#object, this.#resource.encode)
      const layout = layoutOf(bytes)
      if (layout === undefined) throw new InvariantError('an object without metadata was served')
      this.#bytes = spliceResourceVersion(bytes, layout, this.revision)
    }
    return this.#bytes
  }

  object(): ApiObject {
    return this.#object
  }
}
