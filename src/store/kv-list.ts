// Lists directly from a `Kv` (`kv/kv.ts`), in steps of bounded size. A page with a limit is read completely first, because its continue
// token comes before its items. A list without a limit is read lazily.
import { setImmediate } from 'node:timers/promises'
import type { PagePosition, StoredObject } from '../api/read.ts'
import type { KeyValue, ListResult, Range } from '../kv/kv.ts'
import type { Count } from '../lib/measure.ts'
import { tooLargeResourceVersion, translate, unreadableObjects } from './errors.ts'
import { fullKey, type KvObjects, readItems } from './kv-objects.ts'
import { listRange, type ListRange, positionAfter } from './list-range.ts'
import { restOfRange } from './range-rest.ts'
import { type Matcher, matcherOf } from './selection.ts'
import { keyInType } from './keys.ts'
import { stepKeys } from './step-size.ts'
import type { ListPage, ListRequest, UnreadableObject } from './store.ts'

export async function listObjects(objects: KvObjects, request: ListRequest, signal: AbortSignal): Promise<ListPage> {
  const matcher = matcherOf(request.resource, request.selection)
  const range = listRange(request, matcher)
  const steps = new Steps(objects, request, range ?? { start: '\x7f', end: '\x7f', base: '' })
  const limit = request.limit
  const isPlainPage = limit !== undefined && matcher === undefined
  await steps.next({ most: isPlainPage ? limit : undefined, countAll: isPlainPage }, signal)
  if (request.at.kind === 'notOlderThan' && steps.revision < request.at.revision) {
    throw tooLargeResourceVersion(request.at.revision, steps.revision)
  }
  const { group, resource } = request.resource
  objects.measures.lists.of(group, resource).value++
  const found: ListPage =
    limit === undefined
      ? { revision: steps.revision, next: undefined, remaining: undefined, batches: everything(steps, matcher, signal) }
      : await page(steps, matcher, limit, signal)
  return { ...found, batches: counted(found.batches, objects.measures.returned.of(group, resource)) }
}

async function* counted(batches: ListPage['batches'], returned: Count): AsyncGenerator<readonly StoredObject[]> {
  for await (const batch of batches) {
    returned.value += batch.length
    yield batch
  }
}

async function* everything(
  steps: Steps,
  matcher: Matcher | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredObject[]> {
  try {
    for (;;) {
      const found = await steps.read(matcher)
      if (found.length > 0) yield found
      if (!steps.more) return
      await steps.nextOfRest(signal)
    }
  } finally {
    await steps.end()
  }
}

async function page(steps: Steps, matcher: Matcher | undefined, limit: number, signal: AbortSignal): Promise<ListPage> {
  const found: StoredObject[] = []
  // There is a token if keys remain, even if none of them matches.
  let isCut = false
  for (;;) {
    for (const object of await steps.read(undefined)) {
      isCut = found.length === limit
      if (isCut) break
      if (matcher === undefined || matcher.matches(object)) found.push(object)
      if (matcher?.isSlow === true) await setImmediate()
    }
    if (isCut || found.length === limit || !steps.more) break
    await steps.next({ most: matcher === undefined ? limit - found.length : undefined }, signal)
  }
  const last = found.at(-1)
  const next = last !== undefined && (isCut || steps.more) ? steps.positionAfter(last) : undefined
  const remaining = matcher === undefined && next !== undefined ? steps.behindFirst(limit) : undefined
  return { revision: steps.revision, next, remaining, batches: [found] }
}

/** A walk over a range at one revision, in bounded reads. */
class Steps {
  readonly #objects: KvObjects
  readonly #request: ListRequest
  readonly #range: ListRange
  #start: string
  #found: readonly KeyValue[] | undefined
  #count: number | undefined
  #revision: number | undefined
  #rest: ReturnType<typeof restOfRange> | undefined
  more = false

  constructor(objects: KvObjects, request: ListRequest, range: ListRange) {
    this.#objects = objects
    this.#request = request
    this.#range = range
    this.#start = range.start
  }

  get revision(): number {
    return this.#revision ?? 0
  }

  /** `most`: the most keys of the step. */
  async next(
    { most = Infinity, countAll }: { readonly most?: number | undefined; readonly countAll?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const at = this.#revision ?? startRevision(this.#request)
    const limit = Math.min(most, stepKeys(this.#found))
    const result = await this.#list({ ...this.#place(), limit, at, countAll }, signal).catch((error: unknown) => {
      throw this.#failure(error, at)
    })
    this.#revision = at ?? result.revision
    this.#count ??= result.count
    this.#take(result.items, result.more)
  }

  /** Reads the next step of a list without a limit. */
  async nextOfRest(signal: AbortSignal): Promise<void> {
    const { kv } = this.#objects
    const reader = { kv, list: (range: Range) => this.#list(range, signal), pageKeys: stepKeys }
    const place = { ...this.#place(), at: this.revision }
    this.#rest ??= restOfRange(reader, place, { first: this.#found ?? [], signal })
    const piece = await this.#rest.next().catch((error: unknown) => {
      throw this.#failure(error, this.revision)
    })
    this.#take(piece.done === true ? [] : piece.value, piece.done !== true)
  }

  /** Ends the reads of `nextOfRest`. */
  async end(): Promise<void> {
    await this.#rest?.return()
  }

  #place(): { readonly start: string; readonly end: string } {
    const { resource } = this.#request
    const [start, end] = [this.#start, this.#range.end].map((key) => fullKey(this.#objects, resource, key))
    return { start: start!, end: end! }
  }

  #list(range: Range, signal: AbortSignal): Promise<ListResult> {
    const { kv, measures } = this.#objects
    return measures.time('list', this.#request.resource, () => kv.list(range, signal))
  }

  #failure(error: unknown, revision: number | undefined): unknown {
    const { at, resource } = this.#request
    const position = at.kind === 'continuation' ? at.position : undefined
    return translate(error, { verb: 'list', resource, revision, position })
  }

  #take(items: readonly KeyValue[], more: boolean): void {
    const { resource } = this.#request
    this.#objects.measures.fetched.of(resource.group, resource.resource).value += items.length
    this.#found = items
    this.more = more
    const last = items.at(-1)
    if (last !== undefined) this.#start = `${last.key.slice(fullKey(this.#objects, resource, '').length)}\0`
  }

  /** The matching objects of the last step. */
  async read(matcher: Matcher | undefined): Promise<readonly StoredObject[]> {
    const { resource, skipUnreadable } = this.#request
    const wanted: StoredObject[] = []
    const unreadable: UnreadableObject[] = []
    const items = await readItems(this.#objects, resource, this.#found ?? [])
    this.#objects.measures.evaluated.of(resource.group, resource.resource).value += items.length
    for (const item of items) {
      if (item.kind === 'unreadable') unreadable.push(item)
      else if (matcher === undefined || matcher.matches(item)) wanted.push(item)
      if (matcher?.isSlow === true) await setImmediate()
    }
    if (unreadable.length > 0 && skipUnreadable !== true) throw unreadableObjects(resource, 'list', unreadable)
    return wanted
  }

  positionAfter(object: StoredObject): PagePosition {
    const key = keyInType({ resource: this.#request.resource, namespace: object.namespace, name: object.name }) ?? ''
    return positionAfter(key, this.#range, this.revision)
  }

  behindFirst(keys: number): number | undefined {
    return this.#count === undefined ? undefined : Math.max(0, this.#count - keys)
  }
}

/** The revision of the first read. Undefined: the newest revision. */
function startRevision(request: ListRequest): number | undefined {
  const { at } = request
  if (at.kind === 'exact') return at.revision
  return at.kind === 'continuation' ? at.position.revision : undefined
}
