// Watches directly on a `Kv` (`kv/kv.ts`), one for each caller. The watch cache serves all other watches. The watches here are for
// revisions that are older than the history of the cache, but still in the history of the storage.
import type { WatchEvent } from '../api/read.ts'
import { type KeyValue, KvError, type KvEvent } from '../kv/kv.ts'
import { Change, initialEvents } from './change.ts'
import { translate, unreadableObjects, watchExpired } from './errors.ts'
import { namespaceInType } from './keys.ts'
import { listObjects } from './kv-list.ts'
import { fullKey, type KvObjects, readCurrent } from './kv-objects.ts'
import { EVERY_TYPE } from './measures.ts'
import { type Matcher, matcherOf } from './selection.ts'
import type { ListPage, StoredItem, Watch, WatchRequest } from './store.ts'

export async function watchObjects(objects: KvObjects, request: WatchRequest, signal: AbortSignal): Promise<Watch> {
  const { start, resource } = request
  const matcher = matcherOf(resource, request.selection)
  try {
    switch (start.kind) {
      case 'state': {
        const state = await listObjects(objects, { ...request, at: start.at }, signal)
        return follow(objects, { request, matcher, state, after: state.revision }, signal)
      }
      case 'changes': {
        const after = await objects.measures.time('get', EVERY_TYPE, () => objects.kv.newestRevision(signal))
        return follow(objects, { request, matcher, after }, signal)
      }
      case 'after': {
        const after = Math.max(start.revision - 1, 0)
        await checkHistory(objects, after, signal)
        return follow(objects, { request, matcher, after, resumed: start.revision }, signal)
      }
    }
  } catch (error) {
    throw translate(error, { verb: 'watch', resource })
  }
}

/** Throws if the history after the revision is compacted, so that the caller knows before the stream begins (D5). */
async function checkHistory(objects: KvObjects, revision: number, signal: AbortSignal): Promise<void> {
  await objects.measures.time('get', EVERY_TYPE, async () => {
    try {
      await objects.kv.get(`${objects.prefix}/`, { at: revision + 1 }, signal)
    } catch (error) {
      if (!(error instanceof KvError && error.code === 'future')) throw error
    }
  })
}

interface Following {
  readonly request: WatchRequest
  readonly matcher: Matcher | undefined
  readonly state?: ListPage
  readonly after: number
  /** The watcher has seen this revision. If the revision changed several objects, the watcher may have seen only some of them (D35). */
  readonly resumed?: number
}

async function* follow(
  objects: KvObjects,
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[]> {
  const { request, state, after } = following
  const { resource } = request
  try {
    if (state !== undefined) yield* initialEvents(state, request.bookmarks)
    const scope = request.namespace === undefined ? '' : namespaceInType(request.namespace)
    const prefix = fullKey(objects, resource, scope ?? '\x7f/')
    for await (const batch of objects.kv.watch({ prefix, after, withPrevious: true }, signal)) {
      const events: WatchEvent[] = []
      for (const event of unseen(batch.events, following.resumed)) {
        const told = await eventOf(objects, following, event)
        if (told !== undefined) events.push(told)
      }
      if (events.length > 0) yield events
    }
  } catch (error) {
    throw translate(error, { verb: 'watch', resource })
  }
}

function unseen(all: readonly KvEvent[], resumed: number | undefined): readonly KvEvent[] {
  const isSeen = all[0]?.revision === resumed && all[1]?.revision !== resumed
  return isSeen ? all.slice(1) : all
}

async function eventOf(objects: KvObjects, following: Following, event: KvEvent): Promise<WatchEvent | undefined> {
  const { resource, skipUnreadable } = following.request
  const isNew = event.kind === 'put' && event.createRevision === event.revision
  // Without the previous object, it is unknown whether the object leaves the selection.
  if (event.previous === undefined && !isNew) throw watchExpired()
  const read = async (found: KeyValue | undefined): Promise<StoredItem | undefined> =>
    found === undefined ? undefined : (await readCurrent(objects, resource, found))?.item
  const current = await read(event.kind === 'put' ? event : undefined)
  const change = new Change(event.revision, current, await read(isNew ? undefined : event.previous))
  if (change.unreadable !== undefined) {
    if (skipUnreadable === true) return undefined
    throw unreadableObjects(resource, 'watch', [change.unreadable])
  }
  return change.eventFor(following.matcher)
}
