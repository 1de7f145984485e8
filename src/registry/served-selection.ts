// Selection by fields and labels of objects that a conversion webhook makes, which may change both: objects are converted first,
// and a watch remembers which ones it has sent, to tell what enters the selection and what leaves it.
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../api/read.ts'
import { readField } from '../api/selector-fields.ts'
import { type FieldTerm, matchesFields, matchesLabels } from '../api/selector.ts'
import { own } from '../api/value.ts'
import type { ListPage, ListRequest, Selection, StoredResource } from '../store/store.ts'

export interface SplitSelection {
  /** What the store can select by. */
  readonly stored: Selection
  /** Whether an object as it is served is wanted. */
  readonly matches: (served: StoredObject) => boolean
}

/** Undefined where all of it can be asked of what is stored. */
export function splitSelection(resource: StoredResource, selection: Selection | undefined): SplitSelection | undefined {
  const terms = selection?.fields?.terms ?? []
  const isOwn = ({ field }: FieldTerm): boolean => !field.startsWith('metadata.')
  const ownTerms = terms.filter(isOwn)
  const labels = selection?.labels?.requirements.length ? selection.labels : undefined
  const where = selection?.where
  if (ownTerms.length === 0 && labels === undefined && where === undefined) return undefined
  return {
    stored: { shard: selection?.shard, fields: { terms: terms.filter((term) => !isOwn(term)) } },
    matches: (served) => {
      const object = served.object()
      if (labels !== undefined && !matchesLabels(labels, own(object.metadata, 'labels'))) return false
      const isField = matchesFields({ terms: ownTerms }, (name) => {
        const field = resource.selectableFields.find((one) => one.name === name)
        return field === undefined ? '' : readField(object, field)
      })
      return isField && (where === undefined || where.matches(served))
    },
  }
}

/** `page` is of all objects, in the form that is served. Where there is a limit, as many are made as it takes to know what is next. */
export async function selectedPage(
  page: ListPage,
  { namespace, limit }: ListRequest,
  matches: SplitSelection['matches'],
): Promise<ListPage> {
  if (limit === undefined) return { ...page, batches: selectedBatches(page.batches, matches) }
  const found: StoredObject[] = []
  let isMore = false
  for await (const batch of selectedBatches(page.batches, matches)) {
    found.push(...batch)
    isMore = found.length > limit
    if (isMore) break
  }
  const taken = found.slice(0, limit)
  const last = taken.at(-1)
  const isAcross = namespace === undefined && last?.namespace !== ''
  const start = `${isAcross ? `${last?.namespace}/` : ''}${last?.name}\0`
  const next = isMore ? { revision: page.revision, start } : undefined
  return { revision: page.revision, next, remaining: undefined, batches: [taken] }
}

async function* selectedBatches(
  batches: ListPage['batches'],
  matches: SplitSelection['matches'],
): AsyncGenerator<readonly StoredObject[]> {
  for await (const batch of batches) yield batch.filter(matches)
}

export interface SelectedWatch {
  readonly matches: SplitSelection['matches']
  /** The objects that the watcher has been sent. */
  readonly shown: Map<string, StoredObject>
  /** An object as it was, at the revision of the change that took it out of the selection. */
  readonly last: (before: StoredObject, change: StoredObject) => StoredObject
}

export async function* selectedEvents(
  watch: AsyncIterable<readonly WatchEvent[]>,
  selected: SelectedWatch,
): AsyncGenerator<readonly WatchEvent[]> {
  for await (const events of watch) {
    const told = events.flatMap((event): readonly WatchEvent[] => {
      if (event.type === 'BOOKMARK') return [event]
      const one = selectedEvent(event, selected)
      return one === undefined ? [] : [one]
    })
    if (told.length > 0) yield told
  }
}

function selectedEvent(event: ObjectEvent, { matches, shown, last }: SelectedWatch): ObjectEvent | undefined {
  const { type, object } = event
  const key = `${object.namespace}/${object.name}`
  const before = shown.get(key)
  if (type === 'DELETED' || !matches(object)) {
    shown.delete(key)
    if (before === undefined) return undefined
    return type === 'DELETED'
      ? event
      : { ...event, type: 'DELETED', object: last(before, object), memo: new EncodingMemo() }
  }
  shown.set(key, object)
  const told = before === undefined ? 'ADDED' : 'MODIFIED'
  return type === told ? event : { ...event, type: told, memo: new EncodingMemo() }
}
