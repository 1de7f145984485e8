// Orders the members of an object as in canonical JSON: fields by the schema, map keys by name, so that `JSON.stringify` can write the
// object. An ordered object is returned unchanged.
import { type Value, type ValueMap, isList, isMap, setOwn } from '../api/value.ts'
import type { Field, ObjectShape, Shape } from './table.ts'

/** The object, which was decoded by the shape, in order. Members that are shared with `known`, an ordered object, are not visited. */
export function inOrder(object: ValueMap, shape: ObjectShape, known?: ValueMap): ValueMap {
  if (shape.preserveUnknown) return object
  const keys = Object.keys(object)
  if (!areInOrder(keys, shape)) return reordered(object, shape, keys.length)
  let changed: Record<string, Value> | undefined
  for (const key of keys) {
    const value = object[key] as Value
    if (typeof value !== 'object' || value === null || value === known?.[key]) continue
    const ordered = valueInOrder(value, (shape.byName.get(key) as Field).shape)
    if (ordered === value) continue
    changed ??= { ...object }
    changed[key] = ordered
  }
  return changed ?? object
}

/** Also false if a key is not a field of the shape. */
function areInOrder(keys: readonly string[], { fields, typeMeta }: ObjectShape): boolean {
  let at = 0
  if (typeMeta) {
    if (keys[at] === 'kind') at += 1
    if (keys[at] === 'apiVersion') at += 1
  }
  for (let i = 0; i < fields.length && at < keys.length; i++) if (keys[at] === fields[i]?.name) at += 1
  return at === keys.length
}

function reordered(object: ValueMap, shape: ObjectShape, members: number): ValueMap {
  const { kind, apiVersion } = object
  const out: Record<string, Value> = {}
  let count = 0
  const put = (name: string, value: Value): void => {
    out[name] = value
    count += 1
  }
  if (shape.typeMeta && kind !== undefined) put('kind', kind)
  if (shape.typeMeta && apiVersion !== undefined) put('apiVersion', apiVersion)
  for (const { name, shape: below } of shape.fields) {
    // No field has the name of a member that all JavaScript objects inherit.
    const value = object[name]
    if (value !== undefined) put(name, typeof value === 'object' && value !== null ? valueInOrder(value, below) : value)
  }
  return count === members ? out : object
}

function valueInOrder(value: Value, shape: Shape): Value {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? inOrder(value, shape) : value
    case 'list':
      return isList(value) && hasMembers(shape.item) ? listInOrder(value, shape.item) : value
    case 'map':
      return isMap(value) ? mapInOrder(value, shape.value) : value
    default:
      return value
  }
}

function listInOrder(list: readonly Value[], item: Shape): readonly Value[] {
  let changed: Value[] | undefined
  let [last, lastOrdered]: [Value | undefined, Value | undefined] = [undefined, undefined]
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as Value
    const ordered: Value = value === last ? (lastOrdered as Value) : valueInOrder(value, item)
    last = value
    lastOrdered = ordered
    if (ordered === value) continue
    changed ??= [...list]
    changed[i] = ordered
  }
  return changed ?? list
}

function mapInOrder(map: ValueMap, shape: Shape): ValueMap {
  const keys = Object.keys(map)
  const isSorted = keys.every((key, i) => i === 0 || (keys[i - 1] as string) <= key)
  if (isSorted && !hasMembers(shape)) return map
  // UTF-16 orders some characters differently from UTF-8. The encoder handles keys with such characters.
  const out: Record<string, Value> = {}
  let isSame = isSorted
  for (const key of isSorted ? keys : keys.sort()) {
    const value = map[key] as Value
    const ordered = valueInOrder(value, shape)
    if (ordered !== value) isSame = false
    setOwn(out, key, ordered)
  }
  return isSame ? map : out
}

export function hasMembers(shape: Shape): boolean {
  return shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'map'
}
