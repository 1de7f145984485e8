// Whose write made a version of an object, as far as its managedFields tell.
import { mapsOnly, textOrEmpty } from '../api/members.ts'
import { metaOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { isMap, own, type ValueMap } from '../api/value.ts'
import type { FieldChange } from './object-diff.ts'

/**
 * The entry of managedFields that is new or has another time. Times are in seconds: among several, and where there is none, the one
 * that owns most of what changed, and then the newest. Empty where nobody is known.
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

/** How far into the path the fields lead. */
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
