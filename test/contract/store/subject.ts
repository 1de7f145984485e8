// What the store contract's tests work on: a store over a kv, a second one over the same kv (another replica), and short words.
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { ListAt, ReadAt, StoredObject, WatchEvent, WatchStart } from '../../../src/api/read.ts'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { parseLabelSelector } from '../../../src/api/selector-text.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { ABSENT, type Kv, putKey } from '../../../src/kv/kv.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type {
  ListPage,
  ObjectKey,
  Selection,
  Store,
  StoredItem,
  StoredResource,
  WriteResult,
} from '../../../src/store/store.ts'
import { decodePods } from '../../corpora/protobuf-pods.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'

export { nodes, pods }

export interface StoreUnderTest {
  readonly store: Store
  /** What is under `prefix` is the store's alone. */
  readonly kv: Kv
  readonly prefix: string
  /** Moves the store's clock on, where it has one. */
  readonly advance: (ms: number) => void
  readonly close: () => Promise<void>
}

export interface StoreContractOptions {
  readonly open: () => Promise<StoreUnderTest>
}

/** Something that happened before a store is opened and is forgotten: versions that nobody can know anything of. */
export async function writeThePast(kv: Kv, prefix: string): Promise<void> {
  const { signal } = new AbortController()
  const key = `${prefix}/others/past`
  const { revision } = await putKey(kv, { key, value: Buffer.from('1'), expected: ABSENT }, signal)
  const last = await putKey(kv, { key, value: Buffer.from('2'), expected: revision }, signal)
  await kv.compact(last.revision, signal)
}

export type OpenSubject = () => Subject

export function subjectOfEachTest(options: StoreContractOptions): OpenSubject {
  const open: { subject?: Subject } = {}
  beforeEach(async () => {
    open.subject = new Subject(await options.open())
  })
  afterEach(async () => {
    await open.subject?.dispose()
  })
  return () => open.subject!
}

interface Wanted {
  readonly resource?: StoredResource
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
}

export class Subject {
  readonly store: Store
  /** Another replica's view: writes through it are not the tested store's own. */
  readonly other: Store
  readonly kv: Kv
  readonly #opened: StoreUnderTest
  readonly #scope = new AbortController()

  constructor(opened: StoreUnderTest) {
    this.#opened = opened
    this.store = opened.store
    this.kv = opened.kv
    this.other = openKvStore({ kv: opened.kv, prefix: opened.prefix, decodeForeign: decodePods })
  }

  get signal(): AbortSignal {
    return this.#scope.signal
  }

  async dispose(): Promise<void> {
    this.#scope.abort()
    await this.#opened.close()
  }

  /** Creates or replaces a pod; resolves to its revision. */
  async put(namespace: string, name: string, more: PodParts = {}, through = this.store): Promise<number> {
    const result = await this.write(
      { resource: pods, namespace, name },
      () => ({ kind: 'put', object: pod(namespace, name, more) }),
      through,
    )
    return result.object!.revision
  }

  async putNode(name: string): Promise<number> {
    const object: ApiObject = { kind: 'Node', apiVersion: 'v1', metadata: { name } }
    const result = await this.write({ resource: nodes, namespace: '', name }, () => ({ kind: 'put', object }))
    return result.object!.revision
  }

  async remove(namespace: string, name: string, through = this.store): Promise<number> {
    const result = await this.write({ resource: pods, namespace, name }, () => ({ kind: 'remove' }), through)
    return result.object!.revision
  }

  write(key: ObjectKey, decide: Parameters<Store['write']>[1], through = this.store): Promise<WriteResult> {
    return through.write(key, decide, this.signal)
  }

  /** Whatever bytes under an object's key, past the store. */
  async putRaw(namespace: string, name: string, bytes: string | Buffer): Promise<number> {
    const key = this.kvKey(namespace, name)
    const { item } = await this.kv.get(key, {}, this.signal)
    const expected = item?.revision ?? ABSENT
    const result = await putKey(this.kv, { key, value: Buffer.from(bytes), expected }, this.signal)
    return result.revision
  }

  kvKey(namespace: string, name: string): string {
    return `${this.#opened.prefix}/pods/${namespace}/${name}`
  }

  async get(
    namespace: string,
    name: string,
    at: Exclude<ReadAt, { kind: 'exact' }> = LATEST,
  ): Promise<StoredItem | undefined> {
    return (await this.store.get({ resource: pods, namespace, name }, at, this.signal)).item
  }

  list(
    at: ListAt = LATEST,
    wanted: Wanted & { readonly limit?: number; readonly skipUnreadable?: boolean } = {},
  ): Promise<ListPage> {
    const { limit, skipUnreadable } = wanted
    const request = {
      at,
      ...scopeOf(wanted),
      ...(limit === undefined ? {} : { limit }),
      ...(skipUnreadable === undefined ? {} : { skipUnreadable }),
    }
    return this.store.list(request, this.signal)
  }

  async names(at: ListAt = LATEST, wanted: Wanted = {}): Promise<readonly string[]> {
    return namesIn(await this.list(at, wanted))
  }

  /** Follows pages to the end; the names on each. */
  async pages(first: ListAt, wanted: Wanted & { readonly limit: number }): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = []
    for (let at: ListAt | undefined = first; at !== undefined; ) {
      const page: ListPage = await this.list(at, wanted)
      pages.push(await namesIn(page))
      at = page.next === undefined ? undefined : { kind: 'continuation', position: page.next }
    }
    return pages
  }

  async watch(
    start: WatchStart,
    wanted: Wanted & { readonly bookmarks?: boolean; readonly skipUnreadable?: boolean } = {},
  ): Promise<Reader> {
    const { bookmarks = false, skipUnreadable = false } = wanted
    const request = { start, bookmarks, skipUnreadable, ...scopeOf(wanted) }
    return new Reader(await this.store.watch(request, this.signal))
  }

  /** Compacts the storage, and lets so much time pass that no store has the past at hand. */
  async forgetBefore(revision: number): Promise<void> {
    await this.list()
    await this.kv.compact(revision, this.signal)
    await this.advance(80_000)
  }

  /** Moves the store's clock on, once what was begun has had its turn. */
  async advance(ms: number): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    this.#opened.advance(ms)
  }
}

function scopeOf(wanted: Wanted): { resource: StoredResource; namespace?: string; selection: Selection } {
  return {
    resource: wanted.resource ?? pods,
    ...(wanted.namespace === undefined ? {} : { namespace: wanted.namespace }),
    selection: {
      labels: parseLabelSelector(wanted.labels ?? ''),
      fields: parseFieldSelector(wanted.fields ?? ''),
    },
  }
}

export const LATEST = { kind: 'latest' } as const
export const ANY = { kind: 'any' } as const

export function notOlderThan(revision: number): { kind: 'notOlderThan'; revision: number } {
  return { kind: 'notOlderThan', revision }
}

export function exact(revision: number): { kind: 'exact'; revision: number } {
  return { kind: 'exact', revision }
}

export interface PodParts {
  readonly labels?: Readonly<Record<string, string>>
  readonly spec?: ValueMap
  readonly status?: ValueMap
}

/** Of a kind without a type: the store alone keeps any spec. */
export function pod(namespace: string, name: string, parts: PodParts = {}): ApiObject {
  const metadata = {
    name,
    namespace,
    uid: `uid-${name}`,
    ...(parts.labels === undefined ? {} : { labels: parts.labels }),
  }
  return { kind: 'Thing', apiVersion: 'example.com/v1', metadata, spec: parts.spec ?? {}, status: parts.status ?? {} }
}

export async function objectsIn(page: ListPage): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = []
  for await (const batch of page.batches) objects.push(...batch)
  return objects
}

export async function namesIn(page: ListPage): Promise<readonly string[]> {
  return (await objectsIn(page)).map((object) => `${object.namespace}/${object.name}`)
}

/** An event in short: `ADDED d/a@7`, or `BOOKMARK@9!` for the one that ends the initial state. */
export function inShort(event: WatchEvent): string {
  if (event.type === 'BOOKMARK') return `BOOKMARK@${event.revision}${event.initialEventsEnd ? '!' : ''}`
  return `${event.type} ${event.object.namespace}/${event.object.name}@${event.object.revision}`
}

/** Takes events off a watch one by one. */
export class Reader {
  readonly #batches: AsyncIterator<readonly WatchEvent[]>
  #ready: readonly WatchEvent[] = []

  constructor(watch: AsyncIterable<readonly WatchEvent[]>) {
    this.#batches = watch[Symbol.asyncIterator]()
  }

  async next(): Promise<WatchEvent> {
    while (this.#ready.length === 0) {
      const { done, value } = await this.#batches.next()
      if (done === true) throw new Error('the watch has ended')
      this.#ready = value
    }
    const [first, ...rest] = this.#ready
    this.#ready = rest
    return first!
  }

  async take(count: number): Promise<readonly string[]> {
    const taken: string[] = []
    while (taken.length < count) taken.push(inShort(await this.next()))
    return taken
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

export async function refusal(of: Promise<unknown>): Promise<ApiError> {
  const error = await of.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}
