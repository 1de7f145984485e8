// The store on a `Kv` (`kv/kv.ts`): reads and writes go straight to it, and the whole store can be followed.
import type { Kv } from '../kv/kv.ts'
import { type CommitResult, commitObjects, type ObjectChange } from './commit.ts'
import { tooLargeResourceVersion, translate } from './errors.ts'
import { decodeAnyJson, type DecodeForeign, type IsForeign } from './foreign.ts'
import { keyInType, normalizePrefix } from './keys.ts'
import { type History, type HistoryRequest, readHistory } from './kv-history.ts'
import { listObjects } from './kv-list.ts'
import { type Current, fullKey, type KvObjects, readCurrent } from './kv-objects.ts'
import { followKv, loadKv, newestRevision } from './kv-source.ts'
import { watchObjects } from './kv-watch.ts'
import { StoreMeasures } from './measures.ts'
import type { Source } from './source.ts'
import type { Decide, GetResult, ObjectKey, Store, WriteResult } from './store.ts'
import { identityTransformer, type Transformer } from './transformer.ts'
import { writeObject } from './write-loop.ts'

export interface KvStoreOptions {
  readonly kv: Kv
  /** The prefix of all keys (`--etcd-prefix`). */
  readonly prefix?: string
  readonly transformer?: Transformer
  readonly measures?: StoreMeasures
  /** Decodes objects that other servers have stored. Absent: JSON only. */
  readonly decodeForeign?: DecodeForeign
  /** Absent: canonical JSON is never foreign. */
  readonly isForeign?: IsForeign
}

/** The store below the watch cache: it can also be loaded and followed as a whole. */
export interface FollowableStore extends Store, Source {
  /** Like `write`, with the object that is probably stored. That saves the read before the write. */
  writeAssuming(
    write: { readonly key: ObjectKey; readonly decide: Decide; readonly current: Current | undefined },
    signal: AbortSignal,
  ): Promise<WriteResult>
  /** Commits all changes in one revision, or none. */
  commit(changes: readonly ObjectChange[], signal: AbortSignal): Promise<CommitResult>
  /** The versions of an object that the storage still has. */
  readonly history: (asked: HistoryRequest, signal: AbortSignal) => Promise<History>
}

/** The store has no state: all reads and writes go to the kv. */
export function openKvStore(options: KvStoreOptions): FollowableStore {
  const objects: KvObjects = {
    kv: options.kv,
    prefix: normalizePrefix(options.prefix ?? '/registry'),
    transformer: options.transformer ?? identityTransformer,
    measures: options.measures ?? new StoreMeasures(),
    decodeForeign: options.decodeForeign ?? decodeAnyJson,
    isForeign: options.isForeign ?? (() => false),
  }
  return {
    get: (key, at, signal) => getObject(objects, { key, at }, signal),
    list: (request, signal) => listObjects(objects, request, signal),
    watch: (request, signal) => watchObjects(objects, request, signal),
    write: (key, decide, signal) => writeObject(objects, { key, decide }, signal),
    writeAssuming: ({ key, decide, current }, signal) =>
      writeObject(objects, { key, decide, assumed: { current } }, signal),
    commit: (changes, signal) => commitObjects(objects, changes, signal),
    history: (asked, signal) => readHistory(objects, asked, signal),
    newestRevision: (signal) => newestRevision(objects, signal),
    load: (signal) => loadKv(objects, signal),
    follow: (from, signal) => followKv(objects, from, signal),
  }
}

async function getObject(
  objects: KvObjects,
  { key, at }: { readonly key: ObjectKey; readonly at: Parameters<Store['get']>[1] },
  signal: AbortSignal,
): Promise<GetResult> {
  const { resource } = key
  const { kv, measures } = objects
  const inType = keyInType(key)
  try {
    // The answer for an impossible name has a revision too.
    const kvKey = fullKey(objects, resource, inType ?? '')
    const { item, revision } = await measures.time('get', resource, () => kv.get(kvKey, {}, signal))
    if (at.kind === 'notOlderThan' && revision < at.revision) throw tooLargeResourceVersion(at.revision, revision)
    const current = item === undefined || inType === undefined ? undefined : await readCurrent(objects, resource, item)
    return { revision, item: current?.item }
  } catch (error) {
    throw translate(error, { verb: 'get', resource })
  }
}
