// Selects objects by fields and labels after a conversion webhook has converted them, because the webhook may change fields and labels. A
// watch remembers the objects that it has sent, so that it knows which objects enter the selection and which leave it.
import { EncodingMemo, type ObjectEvent, type StoredObject, type WatchEvent } from '../api/read.ts'
import { readField } from '../api/selector-fields.ts'
import { type FieldTerm, matchesFields, matchesLabels } from '../api/selector.ts'
import { own } from '../api/value.ts'
import type { ListPage, ListRequest, Selection, StoredResource } from '../store/store.ts'

export interface SplitSelection {
  /** The part of the selection that holds for stored objects: the store applies it. */
  readonly stored: Selection
  /** Whether the selection matches an object in its served form. */
  readonly matches: (served: StoredObject) => boolean
}

/** Undefined: the store can apply the whole selection. */
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

/** `page` has all objects in their served form. With a limit, objects are converted only until it is known that there is a next page. */
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
  /** The objects that the watcher has received. */
  readonly shown: Map<string, StoredObject>
  /** Returns the earlier version of an object, with the revision of the change that took it out of the selection. */
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
