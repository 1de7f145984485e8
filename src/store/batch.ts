// A store that collects writes for one commit. Each writer sees the decisions of the writers before it. The first read of each object, and
// all lists and watches, go to the store below.
import { encodeStored } from '../codec/stored-json.ts'
import { ApiError } from '../api/status.ts'
import type { ObjectChange } from './commit.ts'
import { notFound } from './errors.ts'
import { keyInType } from './keys.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ListRequest,
  ObjectKey,
  Outcome,
  PutOutcome,
  Store,
  StoredItem,
  Watch,
  WatchRequest,
  WriteResult,
} from './store.ts'
import { isStored, WrittenObject } from './written-object.ts'

interface Entry {
  readonly key: ObjectKey
  /** The stored object. */
  readonly before: StoredItem | undefined
  /** The object after the batch. */
  now: StoredItem | undefined
  outcome: ObjectChange['outcome']
}

export class Batch implements Store {
  readonly #store: Store
  readonly #entries = new Map<string, Entry>()
  /** Objects are read at this revision or a newer one. */
  #revision: number | undefined

  readonly #onWrite: (key: ObjectKey, result: WriteResult) => void

  /** Without `revision`, the batch begins with the newest revision. */
  constructor(
    store: Store,
    revision: number | undefined,
    onWrite: (key: ObjectKey, result: WriteResult) => void = () => {},
  ) {
    this.#store = store
    this.#revision = revision
    this.#onWrite = onWrite
  }

  /** All objects that were read or changed. An object that was made and removed again is only compared. */
  get changes(): readonly ObjectChange[] {
    return [...this.#entries.values()].map(({ key, before, now, outcome }) => {
      const isNothing = outcome === undefined || (before === undefined && now === undefined)
      return isNothing ? { key, before } : { key, before, outcome }
    })
  }

  /** The object before the batch. */
  async before(key: ObjectKey, signal: AbortSignal): Promise<StoredItem | undefined> {
    return (await this.#entryOf(key, signal)).before
  }

  async get(key: ObjectKey, at: Parameters<Store['get']>[1], signal: AbortSignal): Promise<GetResult> {
    const entry = this.#entries.get(placeOf(key))
    return entry === undefined ? this.#store.get(key, at, signal) : { revision: this.#revision ?? 0, item: entry.now }
  }

  peek(key: ObjectKey): StoredItem | undefined {
    const entry = this.#entries.get(placeOf(key))
    return entry === undefined ? this.#store.peek?.(key) : entry.now
  }

  /** Whether the batch has read the object. */
  knows(key: ObjectKey): boolean {
    return this.#entries.has(placeOf(key))
  }

  list(request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    return this.#store.list(request, signal)
  }

  watch(request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    return this.#store.watch(request, signal)
  }

  async write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult> {
    if (keyInType(key) === undefined) throw notFound(key.resource, key.name)
    const entry = await this.#entryOf(key, signal)
    const result = this.#carryOut(entry, await decide(entry.now))
    this.#onWrite(key, result)
    return result
  }

  #carryOut(entry: Entry, outcome: Outcome): WriteResult {
    const { key, now } = entry
    switch (outcome.kind) {
      case 'keep':
        return { kind: 'kept', object: now }
      case 'put':
        return this.#put(entry, outcome)
      case 'remove': {
        if (now === undefined) return { kind: 'kept', object: undefined }
        entry.now = undefined
        entry.outcome = { kind: 'remove' }
        const { last } = outcome
        if (last === undefined) return { kind: 'removed', object: now }
        const bytes = encodeStored(last, key.resource.encode)
        return { kind: 'removed', object: new WrittenObject(key, now.revision, last, bytes) }
      }
    }
  }

  #put(entry: Entry, outcome: PutOutcome): WriteResult {
    const { key, before, now } = entry
    const bytes = outcome.bytes ?? encodeStored(outcome.object, key.resource.encode)
    if (now !== undefined && isStored(bytes, now)) return { kind: 'kept', object: now }
    if (now === undefined && before !== undefined) throw removedBefore(key)
    // Until the commit, the object has the version that it replaces: a later operation may name this version.
    const object = new WrittenObject(key, before?.revision ?? this.#revision ?? 0, outcome.object, bytes)
    const { ttlSeconds } = outcome
    const earlier = entry.outcome?.kind === 'put' ? entry.outcome.onlyIf : undefined
    const onlyIf = earlier && outcome.onlyIf ? [...earlier, ...outcome.onlyIf] : (outcome.onlyIf ?? earlier)
    entry.now = object
    entry.outcome = { kind: 'put', bytes, onlyIf, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }
    return { kind: 'put', object, created: now === undefined }
  }

  async #entryOf(key: ObjectKey, signal: AbortSignal): Promise<Entry> {
    const place = placeOf(key)
    const known = this.#entries.get(place)
    if (known !== undefined) return known
    const revision = this.#revision
    const at = revision === undefined ? ({ kind: 'latest' } as const) : ({ kind: 'notOlderThan', revision } as const)
    const found = await this.#store.get(key, at, signal)
    this.#revision ??= found.revision
    const entry: Entry = { key, before: found.item, now: found.item, outcome: undefined }
    this.#entries.set(place, entry)
    return entry
  }
}

export function placeOf({ resource, namespace, name }: ObjectKey): string {
  return `${resource.storagePrefix}\0${namespace}\0${name}`
}

/** The error of a create after an earlier operation has removed the object: one commit cannot delete and create the same object. */
function removedBefore({ resource, name }: ObjectKey): ApiError {
  const what = `${resource.resource} ${JSON.stringify(name)}`
  const why = 'an earlier operation of the transaction deletes it, and one transaction cannot create it again'
  return new ApiError('Invalid', `${what} cannot be created: ${why}`)
}
