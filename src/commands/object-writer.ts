// Finds the writer of a version of an object in its managedFields.
import { mapsOnly, textOrEmpty } from '../api/members.ts'
import { metaOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { isMap, own, type ValueMap } from '../api/value.ts'
import type { FieldChange } from './object-diff.ts'

/**
 * Returns the entry of managedFields that is new or has another time. Times have whole seconds, so there may be several such entries, or
 * none. Then it returns the entry that owns most of the changes, or the newest entry. Empty: there are no entries.
 */
export function writerOf(object: ApiObject, before: ApiObject | undefined, changes: readonly FieldChange[]): ValueMap {
  const known = new Set(before === undefined ? [] : mapsOnly(metaOf(before), 'managedFields').map(momentOf))
  const ranked = mapsOnly(metaOf(object), 'managedFields').map((entry) => ({
    entry,
    isNew: known.has(momentOf(entry)) ? 0 : 1,
    owned: changes.reduce((sum, { path }) => sum + ownedDepth(own(entry, 'fieldsV1'), path), 0),
    time: Date.parse(textOrEmpty(entry, 'time')) || 0,
  }))
  const [first] = ranked.toSorted((a, b) => b.isNew - a.isNew || b.owned - a.owned || b.time - a.time)
  return first?.entry ?? {}
}

function momentOf(entry: ValueMap): string {
  return JSON.stringify(
    ['manager', 'operation', 'apiVersion', 'subresource', 'time'].map((name) => textOrEmpty(entry, name)),
  )
}

/** The number of steps of the path, from its beginning, that the fields contain. */
function ownedDepth(fields: unknown, path: FieldChange['path']): number {
  let below = fields as ValueMap | undefined
  for (const [depth, step] of path.entries()) {
    if (!isMap(below)) return depth
    const key = 'member' in step ? `f:${step.member}` : Object.keys(below).find((each) => isItem(each, step.name))
    below = key === undefined ? undefined : (own(below, key) as ValueMap | undefined)
    if (below === undefined) return depth
  }
  return path.length
}

function isItem(key: string, name: string | undefined): boolean {
  return name !== undefined && key.startsWith('k:') && (JSON.parse(key.slice(2)) as { name?: string }).name === name
}
