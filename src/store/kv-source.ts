// A kv's prefix as a source: loaded in steps at one revision, then followed by one watch.
import { setImmediate } from 'node:timers/promises'
import type { GroupResource } from '../api/object.ts'
import { type Batch, type KvEvent, type ListResult, prefixRange, type Range } from '../kv/kv.ts'
import { COMPACTION_KEY } from './compactor.ts'
import { translate } from './errors.ts'
import type { KvObjects } from './kv-objects.ts'
import { EVERY_TYPE } from './measures.ts'
import type { Feed, FeedBatch, LoadPage, SourceChange, SourceItem } from './source.ts'
import { loadKeys, OPENED_AT_ONCE, stepKeys } from './step-size.ts'
import { openValue } from './stored-object.ts'

/** The name in error messages if the storage as a whole fails. */
const EVERYTHING: GroupResource = Object.freeze({ group: '', resource: 'objects' })

export async function* loadKv(objects: KvObjects, signal: AbortSignal): AsyncGenerator<LoadPage> {
  const range = prefixRange(`${objects.prefix}/`)
  const first = await listStep(objects, { ...range, limit: stepKeys(undefined), countAll: true }, signal)
  const { revision } = first
  const total = first.count ?? first.items.length
  for (let step: ListResult | undefined = first; step !== undefined; ) {
    const last: string | undefined = step.more ? step.items.at(-1)?.key : undefined
    const rest: Range = { start: `${last}\0`, end: range.end, limit: loadKeys(step.items, total), at: revision }
    // The next step is read while this one is handled.
    const next: Promise<ListResult> | undefined = last === undefined ? undefined : listStep(objects, rest, signal)
    next?.catch(() => {})
    const items: SourceItem[] = []
    for (const found of step.items) {
      const item = sourceItem(objects, found)
      items.push(item instanceof Promise ? await item : item)
      if (items.length % OPENED_AT_ONCE === 0) await setImmediate()
    }
    yield { revision, items, total }
    step = await next
  }
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

/** A promise only if the transformer returns one. */
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
