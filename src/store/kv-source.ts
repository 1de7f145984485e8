// A kv's prefix as a source: loaded in steps at one revision, then followed by one watch over everything under it.
import type { GroupResource } from '../api/object.ts'
import { prefixRange } from '../kv/kv.ts'
import type { Batch, KvEvent, ListResult } from '../kv/kv.ts'
import { COMPACTION_KEY } from './compactor.ts'
import { translate } from './errors.ts'
import type { KvObjects } from './kv-objects.ts'
import type { Feed, FeedBatch, LoadPage, SourceChange, SourceItem } from './source.ts'
import { openValue } from './stored-object.ts'

const STEP_KEYS = 500
/** What messages speak of where the storage as a whole fails. */
const EVERYTHING: GroupResource = Object.freeze({ group: '', resource: 'objects' })

export async function* loadKv(objects: KvObjects, signal: AbortSignal): AsyncGenerator<LoadPage> {
  const { end, start: first } = prefixRange(`${objects.prefix}/`)
  let start = first
  let revision: number | undefined
  let total: number | undefined
  for (let more = true; more; ) {
    const step: ListResult = await listStep(
      objects,
      {
        start,
        end,
        limit: STEP_KEYS,
        countAll: total === undefined,
        ...(revision === undefined ? {} : { at: revision }),
      },
      signal,
    )
    revision ??= step.revision
    total ??= step.count ?? step.items.length
    const items: SourceItem[] = []
    for (const found of step.items) items.push(await sourceItem(objects, found))
    yield { revision, items, total }
    more = step.more
    start = `${step.items.at(-1)?.key ?? end}\0`
  }
}

export async function newestRevision(objects: KvObjects, signal: AbortSignal): Promise<number> {
  try {
    return await objects.kv.newestRevision(signal)
  } catch (error) {
    throw translate(error, { verb: 'get', resource: EVERYTHING })
  }
}

async function listStep(
  objects: KvObjects,
  range: Parameters<KvObjects['kv']['list']>[0],
  signal: AbortSignal,
): Promise<ListResult> {
  try {
    return await objects.kv.list(range, signal)
  } catch (error) {
    throw translate(error, { verb: 'list', resource: EVERYTHING })
  }
}

/** Waits only where the transformer does. */
function sourceItem(
  objects: KvObjects,
  found: { readonly key: string; readonly value: Buffer; readonly revision: number },
): SourceItem | Promise<SourceItem> {
  const key = found.key.slice(objects.prefix.length + 1)
  const { revision } = found
  const opened = openValue(objects.transformer, found.value, found.key)
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
  return {
    requestProgress: () => watch.requestProgress(),
    async *[Symbol.asyncIterator]() {
      try {
        for await (const batch of watch) yield await feedBatch(objects, batch)
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
