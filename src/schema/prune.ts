// What a custom kind's schema does not know is dropped and told. Types are not looked at here: a value that does not fit its
// schema stays as it is, for validation to find.
import { quoted } from '../api/field-error.ts'
import { type Value, type ValueMap, isList, isMap, setOwn } from '../api/value.ts'
import { memberPath } from './exact-value.ts'
import type { Field, ObjectShape, Shape } from './table.ts'

export interface Pruned {
  readonly value: ValueMap
  /** `unknown field "spec.foo"`, sorted; at most a hundred. */
  readonly problems: readonly string[]
}

const MAX_PROBLEMS = 100

/** The members that every object has, whatever its schema says. */
const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Drops what the schema of a custom kind does not know. The metadata is left to the caller. */
export function pruneUnknown(object: ValueMap, shape: ObjectShape): Pruned {
  const dropped: string[] = []
  const value = pruneMap(object, shape, { path: '', resource: true, dropped })
  const problems = dropped.sort().slice(0, MAX_PROBLEMS)
  return { value, problems: problems.map((path) => `unknown field ${quoted(path)}`) }
}

interface Place {
  readonly path: string
  /** An object with a kind of its own: the root, or one that the schema says is embedded. */
  readonly resource: boolean
  readonly dropped: string[]
}

function pruneMap(map: ValueMap, shape: ObjectShape, place: Place): ValueMap {
  let out: Record<string, Value> | undefined
  const keys = Object.keys(map)
  for (const [i, key] of keys.entries()) {
    const member = map[key] ?? null
    const field = shape.byName.get(key)
    const path = memberPath(place.path, key)
    const value = pruneMember(member, field, { ...place, path })
    const kept = field !== undefined || shape.preserveUnknown || (place.resource && RESOURCE_MEMBERS.has(key))
    if (!kept) place.dropped.push(path)
    if (kept && value === member && out === undefined) continue
    out ??= Object.fromEntries(keys.slice(0, i).map((earlier) => [earlier, map[earlier] ?? null]))
    if (kept) setOwn(out, key, value)
  }
  return out ?? map
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
