// The store on a kv: reads and writes go straight to it, and the whole of it can be followed. No state of its own.
import type { ReadAt } from '../api/read.ts'
import type { Kv } from '../kv/kv.ts'
import { tooLargeResourceVersion, translate } from './errors.ts'
import { decodeAnyJson, type DecodeForeign } from './foreign.ts'
import { keyInType, normalizePrefix } from './keys.ts'
import { listObjects } from './kv-list.ts'
import { type Current, fullKey, type KvObjects, readCurrent } from './kv-objects.ts'
import { followKv, loadKv, newestRevision } from './kv-source.ts'
import { watchObjects } from './kv-watch.ts'
import { StoreMeasures } from './measures.ts'
import type { Feed, LoadPage, Source } from './source.ts'
import type {
  Decide,
  GetResult,
  ListPage,
  ListRequest,
  ObjectKey,
  Store,
  Watch,
  WatchRequest,
  WriteResult,
} from './store.ts'
import { identityTransformer, type Transformer } from './transformer.ts'
import { writeObject } from './write-loop.ts'

export interface KvStoreOptions {
  readonly kv: Kv
  /** What all keys begin with (`--etcd-prefix`). */
  readonly prefix?: string
  readonly transformer?: Transformer
  readonly measures?: StoreMeasures
  /** Reads what other servers have stored; absent: JSON only. */
  readonly decodeForeign?: DecodeForeign
}

/** What the watch cache stands on: a store that can also be read and followed as a whole. */
export interface FollowableStore extends Store, Source {
  /** As `write`, where it is known what is probably stored; saves the read before the write. */
  writeAssuming(
    write: { readonly key: ObjectKey; readonly decide: Decide; readonly current: Current | undefined },
    signal: AbortSignal,
  ): Promise<WriteResult>
}

export function openKvStore(options: KvStoreOptions): FollowableStore {
  return new KvStore({
    kv: options.kv,
    prefix: normalizePrefix(options.prefix ?? '/registry'),
    transformer: options.transformer ?? identityTransformer,
    measures: options.measures ?? new StoreMeasures(),
    decodeForeign: options.decodeForeign ?? decodeAnyJson,
  })
}

class KvStore implements FollowableStore {
  readonly #objects: KvObjects

  constructor(objects: KvObjects) {
    this.#objects = objects
  }

  async get(key: ObjectKey, at: Exclude<ReadAt, { kind: 'exact' }>, signal: AbortSignal): Promise<GetResult> {
    const { resource } = key
    const { kv, measures } = this.#objects
    const inType = keyInType(key)
    try {
      // A name that cannot be is still an answer of some moment.
      const kvKey = fullKey(this.#objects, resource, inType ?? '')
      const { item, revision } = await measures.time('get', resource, () => kv.get(kvKey, {}, signal))
      if (at.kind === 'notOlderThan' && revision < at.revision) throw tooLargeResourceVersion(at.revision, revision)
      const current =
        item === undefined || inType === undefined ? undefined : await readCurrent(this.#objects, resource, item)
      return { revision, item: current?.item }
    } catch (error) {
      throw translate(error, { verb: 'get', resource })
    }
  }

  list(request: ListRequest, signal: AbortSignal): Promise<ListPage> {
    return listObjects(this.#objects, request, signal)
  }

  watch(request: WatchRequest, signal: AbortSignal): Promise<Watch> {
    return watchObjects(this.#objects, request, signal)
  }

  write(key: ObjectKey, decide: Decide, signal: AbortSignal): Promise<WriteResult> {
    return writeObject(this.#objects, { key, decide }, signal)
  }

  writeAssuming(
    write: { readonly key: ObjectKey; readonly decide: Decide; readonly current: Current | undefined },
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const { key, decide, current } = write
    return writeObject(this.#objects, { key, decide, assumed: { current } }, signal)
  }

  newestRevision(signal: AbortSignal): Promise<number> {
    return newestRevision(this.#objects, signal)
  }

  load(signal: AbortSignal): AsyncIterable<LoadPage> {
    return loadKv(this.#objects, signal)
  }

  follow(options: { readonly after: number; readonly withPrevious: boolean }, signal: AbortSignal): Feed {
    return followKv(this.#objects, options, signal)
  }
}
