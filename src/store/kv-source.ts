// All keys of a `Kv` (`kv/kv.ts`) under a prefix, as a source for the watch cache: loaded in steps at one revision, then followed by one
// watch.
import { setImmediate } from 'node:timers/promises'
import type { GroupResource } from '../api/object.ts'
import { type Batch, type KeyValue, type KvEvent, type ListResult, prefixRange, type Range } from '../kv/kv.ts'
import { COMPACTION_KEY } from './compactor.ts'
import { translate } from './errors.ts'
import type { KvObjects } from './kv-objects.ts'
import { EVERY_TYPE } from './measures.ts'
import { ahead, restOfRange } from './range-rest.ts'
import type { Feed, FeedBatch, LoadPage, SourceChange, SourceItem } from './source.ts'
import { loadKeys, OPENED_AT_ONCE, stepKeys } from './step-size.ts'
import { openValue } from './stored-object.ts'

/** The name in error messages if the storage as a whole fails. */
const EVERYTHING: GroupResource = Object.freeze({ group: '', resource: 'objects' })

export async function* loadKv(objects: KvObjects, signal: AbortSignal): AsyncGenerator<LoadPage> {
  const range = prefixRange(`${objects.prefix}/`)
  const first = await listStep(objects, { ...range, limit: stepKeys(undefined), countAll: true }, signal)
  const { revision, items } = first
  const total = first.count ?? items.length
  const page = async (found: readonly KeyValue[]): Promise<LoadPage> => {
    return { revision, items: await sourceItems(objects, found), total }
  }
  const last = first.more ? items.at(-1)?.key : undefined
  if (last === undefined) {
    yield page(items)
    return
  }
  const reader = {
    kv: objects.kv,
    list: (step: Range) => listStep(objects, step, signal),
    pageKeys: (previous: readonly KeyValue[]) => loadKeys(previous, total),
  }
  const place = { start: `${last}\0`, end: range.end, at: revision }
  const rest = ahead(restOfRange(reader, place, { first: items, signal }))
  // The rest is on its way while the first page is handled.
  const second = rest.next()
  second.catch(() => undefined)
  try {
    yield page(items)
    for (let piece = await second; piece.done !== true; piece = await rest.next()) yield page(piece.value)
  } catch (error) {
    throw translate(error, { verb: 'list', resource: EVERYTHING })
  } finally {
    await rest.return()
  }
}

async function sourceItems(objects: KvObjects, found: readonly KeyValue[]): Promise<readonly SourceItem[]> {
  const items: SourceItem[] = []
  for (const one of found) {
    const item = sourceItem(objects, one)
    items.push(item instanceof Promise ? await item : item)
    if (items.length % OPENED_AT_ONCE === 0) await setImmediate()
  }
  return items
}

export async function newestRevision(objects: KvObjects, signal: AbortSignal): Promise<number> {
  try {
    return await objects.measures.time('get', EVERY_TYPE, () => objects.kv.newestRevision(signal))
  } catch (error) {
    throw translate(error, { verb: 'get', resource: EVERYTHING })
  }
}

async function listStep(objects: KvObjects, range: Range, signal: AbortSignal): Promise<ListResult> {
  try {
    return await objects.measures.time('list', EVERY_TYPE, () => objects.kv.list(range, signal))
  } catch (error) {
    throw translate(error, { verb: 'list', resource: EVERYTHING })
  }
}

/** Returns a promise only if the transformer returns one. */
function sourceItem(
  objects: KvObjects,
  found: { readonly key: string; readonly value: Buffer; readonly revision: number },
): SourceItem | Promise<SourceItem> {
  const key = found.key.slice(objects.prefix.length + 1)
  const { revision } = found
  const opened = openValue(objects, found.value, found.key)
  return opened instanceof Promise
    ? opened.then((content) => ({ key, revision, content }))
    : { key, revision, content: opened }
}

export function followKv(
  objects: KvObjects,
  options: { readonly after: number; readonly withPrevious: boolean },
  signal: AbortSignal,
): Feed {
  const watch = objects.kv.watch({ prefix: `${objects.prefix}/`, ...options }, signal)
  const bookmarks = objects.measures.bookmarks.of(EVERY_TYPE.group, EVERY_TYPE.resource)
  return {
    requestProgress: () => watch.requestProgress(),
    async *[Symbol.asyncIterator]() {
      try {
        for await (const batch of watch) {
          if (batch.events.length === 0) bookmarks.value++
          yield await feedBatch(objects, batch)
        }
      } catch (error) {
        throw translate(error, { verb: 'watch', resource: EVERYTHING })
      }
    },
  }
}

async function feedBatch(objects: KvObjects, batch: Batch): Promise<FeedBatch> {
  const changes: SourceChange[] = []
  let compactedTo: number | undefined
  for (const event of batch.events) {
    if (event.kind === 'put' && event.key === `${objects.prefix}/${COMPACTION_KEY}`) {
      compactedTo = Number(event.value.toString('latin1'))
    } else {
      const change = sourceChange(objects, event)
      changes.push(change instanceof Promise ? await change : change)
    }
  }
  return { revision: batch.revision, changes, compactedTo }
}

function sourceChange(objects: KvObjects, event: KvEvent): SourceChange | Promise<SourceChange> {
  const item = event.kind === 'put' ? sourceItem(objects, event) : undefined
  const previous = event.previous === undefined ? undefined : sourceItem(objects, event.previous)
  const change = (item: SourceItem | undefined, previous: SourceItem | undefined): SourceChange =>
    item === undefined
      ? { kind: 'remove', key: event.key.slice(objects.prefix.length + 1), revision: event.revision, previous }
      : { kind: 'put', item, isNew: event.kind === 'put' && event.createRevision === event.revision, previous }
  return item instanceof Promise || previous instanceof Promise
    ? Promise.all([item, previous]).then(([item, previous]) => change(item, previous))
    : change(item, previous)
}
