// The versions of an object that the storage still has. They are read one by one, each at the revision before the next newer version.
// Versions from before a deletion are found by a watch from the beginning of history, since a read cannot tell when a key last existed.
import { type GetResult, type KeyValue, KvError, type Revision } from '../kv/kv.ts'
import { translate } from './errors.ts'
import { keyInType } from './keys.ts'
import { fullKey, type KvObjects, readItems } from './kv-objects.ts'
import type { ObjectKey, StoredItem } from './store.ts'

export interface History {
  /** The newest version comes first. Empty: no such object. */
  readonly items: readonly StoredItem[]
  /** Older versions are compacted. */
  readonly isCut: boolean
  /** The object is deleted. */
  readonly isGone: boolean
}

export interface HistoryRequest {
  readonly key: ObjectKey
  /** The largest number of versions to return. */
  readonly limit: number
  /** Includes versions from before the last deletion. They need a search of the whole history. */
  readonly withDeleted?: boolean
  /**
   * The objects to which the object belongs, such as its namespace. Versions that were replaced or deleted before the youngest of these
   * objects was created are left out.
   */
  readonly within: readonly ObjectKey[]
}

const NONE: History = { items: [], isCut: false, isGone: false }

export async function readHistory(
  objects: KvObjects,
  { key, limit, withDeleted = false, within }: HistoryRequest,
  signal: AbortSignal,
): Promise<History> {
  const { resource } = key
  const inType = keyInType(key)
  if (inType === undefined) return NONE
  const past = new KeyPast(objects, { key: fullKey(objects, resource, inType), resource, limit }, signal)
  try {
    const now = await past.read({})
    // Owners are read after the object: an owner that is replaced meanwhile hides more versions, not fewer.
    for (const owner of within) await past.beginWith(owner)
    await past.addLife(now.item)
    if (withDeleted) await past.addFormerLives(now)
    const items = await readItems(objects, resource, past.found)
    return { items, isCut: past.isCut, isGone: now.item === undefined && items.length > 0 }
  } catch (error) {
    throw translate(error, { verb: 'get', resource })
  }
}

interface PastKey {
  readonly key: string
  readonly resource: ObjectKey['resource']
  readonly limit: number
}

class KeyPast {
  readonly found: KeyValue[] = []
  isCut = false
  /** Versions that ended before this revision are not read. */
  #begin: Revision = 0
  readonly #objects: KvObjects
  readonly #of: PastKey
  readonly #signal: AbortSignal

  constructor(objects: KvObjects, of: PastKey, signal: AbortSignal) {
    this.#objects = objects
    this.#of = of
    this.#signal = signal
  }

  read(options: { readonly at?: Revision }, key = this.#of.key): Promise<GetResult> {
    const { kv, measures } = this.#objects
    return measures.time('get', this.#of.resource, () => kv.get(key, options, this.#signal))
  }

  /** Versions that ended before the creation of the owner are not read. If the owner does not exist, no past versions are read. */
  async beginWith(owner: ObjectKey): Promise<void> {
    const { item } = await this.read({}, fullKey(this.#objects, owner.resource, keyInType(owner) ?? ''))
    this.#begin = Math.max(this.#begin, item?.createRevision ?? Infinity)
  }

  get #isFull(): boolean {
    return this.found.length >= this.#of.limit
  }

  /** Adds this version and the earlier ones, back to the creation of the object. */
  async addLife(newest: KeyValue | undefined): Promise<void> {
    let version = newest
    while (version !== undefined && !this.#isFull) {
      this.found.push(version)
      const { revision, createRevision } = version
      if (this.#isFull || revision === createRevision || revision <= this.#begin) return
      version = await this.#readPast(revision - 1)
    }
  }

  async #readPast(at: Revision): Promise<KeyValue | undefined> {
    try {
      return (await this.read({ at })).item
    } catch (error) {
      if (!(error instanceof KvError) || error.code !== 'compacted') throw error
      this.isCut = true
      return undefined
    }
  }

  /** Adds the versions of the deleted objects with this key. The object that was deleted last comes first. */
  async addFormerLives(now: GetResult): Promise<void> {
    if (this.#isFull || this.isCut) return
    const deletions = await this.#deletionsBefore(now)
    while (deletions.length > 0 && !this.#isFull && !this.isCut) {
      await this.addLife(await this.#readPast(deletions.pop()! - 1))
    }
  }

  /** The history before this revision is compacted. */
  #oldest: Revision = 0

  /** The revisions of the deletions, in ascending order. */
  async #deletionsBefore(now: GetResult): Promise<Revision[]> {
    try {
      return await this.#collectDeletions(now)
    } catch (error) {
      if (!(error instanceof KvError) || error.code !== 'compacted' || error.compactRevision === undefined) throw error
      this.#oldest = error.compactRevision
    }
    const isOld = now.item !== undefined && now.item.createRevision <= this.#oldest
    return isOld ? [] : this.#collectDeletions(now)
  }

  async #collectDeletions({ item, revision: newest }: GetResult): Promise<Revision[]> {
    const { key, limit } = this.#of
    const upTo = item === undefined ? newest : item.createRevision
    if (this.#begin >= upTo) return []
    const after = Math.max(this.#oldest, this.#begin)
    const watch = this.#objects.kv.watch({ prefix: watchable(key), after }, this.#signal)
    const deletions: Revision[] = []
    // If the key exists, the watch is complete when it has delivered the creation of the key. Otherwise progress must be requested, and
    // some versions of etcd report it wrongly.
    if (!watch.requestProgress() && item === undefined) return []
    for await (const { events, revision } of watch) {
      for (const event of events) {
        if (event.kind === 'delete' && event.key === key && event.revision <= upTo) deletions.push(event.revision)
      }
      if (deletions.length > limit) deletions.splice(0, deletions.length - limit)
      if (revision >= upTo) break
      watch.requestProgress()
    }
    return deletions
  }
}

/** The prefix of a watch for one key. It must end in a character with a successor, which not every name does. */
function watchable(key: string): string {
  return /[!-}]$/.test(key) ? key : key.slice(0, key.lastIndexOf('/') + 1)
}
