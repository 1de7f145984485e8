// What a custom kind's schema does not know is dropped and told. Types are not looked at here: a value that does not fit its
// schema stays as it is, for validation to find.
import { quoted } from '../api/field-error.ts'
import { type Value, type ValueMap, isList, isMap, setOwn } from '../api/value.ts'
import { DecodeError, decodeObject } from './decode.ts'
import { memberPath } from './exact-value.ts'
import type { Field, ObjectShape, Shape } from './table.ts'

export interface Pruned {
  readonly value: ValueMap
  /** `unknown field "spec.foo"`: what was pruned, sorted, then what the metadata of embedded objects does not know. */
  readonly problems: readonly string[]
}

const MAX_PROBLEMS = 100

/** The members that every object has, whatever its schema says. */
const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Drops what the schema of a custom kind does not know. The object's own metadata is left to the caller; that of objects which the
 * schema says are embedded is decoded as `metadata`.
 */
export function pruneUnknown(object: ValueMap, shape: ObjectShape, metadata: ObjectShape): Pruned {
  const dropped: string[] = []
  const embedded: string[] = []
  const value = pruneMap(object, shape, { path: '', resource: true, metadata, dropped, embedded })
  const problems = [...dropped.sort().map((path) => `unknown field ${quoted(path)}`), ...embedded]
  return { value, problems: problems.slice(0, MAX_PROBLEMS) }
}

interface Place {
  readonly path: string
  /** An object with a kind of its own: the root, or one that the schema says is embedded. */
  readonly resource: boolean
  readonly metadata: ObjectShape
  readonly dropped: string[]
  readonly embedded: string[]
}

function pruneMap(map: ValueMap, shape: ObjectShape, place: Place): ValueMap {
  let out: Record<string, Value> | undefined
  const keys = Object.keys(map)
  for (const [i, key] of keys.entries()) {
    const member = map[key] ?? null
    const field = shape.byName.get(key)
    const path = memberPath(place.path, key)
    const isMetadata = place.resource && key === 'metadata' && place.path !== ''
    const value = isMetadata
      ? embeddedMetadata(member, { ...place, path })
      : pruneMember(member, field, { ...place, path })
    const kept = field !== undefined || shape.preserveUnknown || (place.resource && RESOURCE_MEMBERS.has(key))
    if (!kept) place.dropped.push(path)
    if (kept && value === member && out === undefined) continue
    out ??= Object.fromEntries(keys.slice(0, i).map((earlier) => [earlier, map[earlier] ?? null]))
    if (kept) setOwn(out, key, value)
  }
  return out ?? map
}

function embeddedMetadata(value: Value, { path, metadata, embedded }: Place): Value {
  if (!isMap(value)) return value
  try {
    const decoded = decodeObject(value, metadata, path)
    embedded.push(...decoded.problems)
    return decoded.value
  } catch (error) {
    if (error instanceof DecodeError) return value
    throw error
  }
}

function pruneMember(value: Value, field: Field | undefined, place: Place): Value {
  return field === undefined
    ? value
    : pruneValue(value, field.shape, { ...place, resource: field.embeddedResource === true })
}

function pruneValue(value: Value, shape: Shape, place: Place): Value {
  if (isMap(value)) {
    if (shape.kind === 'object') return pruneMap(value, shape, place)
    return shape.kind === 'map' ? pruneEntries(value, shape.value, place) : value
  }
  if (!isList(value) || shape.kind !== 'list') return value
  let changed = false
  const items = value.map((item, i) => {
    const pruned = pruneValue(item, shape.item, { ...place, path: `${place.path}[${i}]` })
    changed ||= pruned !== item
    return pruned
  })
  return changed ? items : value
}

function pruneEntries(map: ValueMap, shape: Shape, place: Place): ValueMap {
  const entries = Object.entries(map)
  const pruned = entries.map(([key, value]) =>
    pruneValue(value, shape, { ...place, path: memberPath(place.path, key), resource: false }),
  )
  if (entries.every(([, value], i) => value === pruned[i])) return map
  const out: Record<string, Value> = {}
  for (const [i, [key]] of entries.entries()) setOwn(out, key, pruned[i] ?? null)
  return out
}
