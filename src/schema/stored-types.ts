// Checks the types of stored objects. Code that reads fields relies on the types of built-in kinds (`api/gen/kinds.ts`),
// but another program can have written any value to the store. So an object is checked when it is parsed, and a value
// of a wrong type counts as unset.
import { NEWEST_LEVEL } from '../api/level.ts'
import type { GroupVersionKind } from '../api/object.ts'
import { isList, isMap, own, setOwn, type Value, type ValueMap } from '../api/value.ts'
import { parseQuantity } from '../lib/quantity.ts'
import { BUILT_IN } from './built-in-compiled.ts'
import { allBuiltInGroups } from './built-in-resources.ts'
import { fieldsOfSomeLevels } from './compiled-level.ts'
import { decodeScalar, ScalarFaultError } from './decode-scalars.ts'
import { loadBuiltInSchema } from './schema.ts'
import type { Field, ObjectShape, OpaqueShape, ScalarKind, SchemaTable, Shape } from './table.ts'
import { typeChecks } from './type-check.ts'
import { isAlwaysShown, shownFields, zeroOf, zeroOfField } from './zero-value.ts'

/** The kinds that can be stored, by names such as `apps/v1/Deployment`. */
const STORED: ReadonlyMap<string, GroupVersionKind> = new Map(
  allBuiltInGroups(NEWEST_LEVEL).flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ kind }) => [
        `${group === '' ? version : `${group}/${version}`}/${kind}`,
        { group, version, kind },
      ]),
    ),
  ),
)

const SCHEMA: SchemaTable = loadBuiltInSchema(NEWEST_LEVEL)

/** `api/gen/kinds.ts` declares these fields as optional, because not every level has them. */
const SOMETIMES = fieldsOfSomeLevels(BUILT_IN)

/** The shape of the metadata of every kind, including kinds that are not built in. */
const OBJECT_META: Shape = SCHEMA.kind({ group: '', version: 'v1', kind: 'Pod' })!.shape.byName.get('metadata')!.shape

/** The object with values of the right types, nearly always itself. If the kind is not built in, only the metadata is checked. */
export function withRightTypes(object: ValueMap): ValueMap {
  const { kind, apiVersion } = object
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return object
  const stored = STORED.get(`${apiVersion}/${kind}`)
  const shape = stored && SCHEMA.kind(stored)?.shape
  if (shape !== undefined) return withRightMembers(shape, object)
  const metadata = rightValue(OBJECT_META, own(object, 'metadata') ?? null) ?? {}
  return metadata === object['metadata'] ? object : { ...object, metadata }
}

/** Like `withRightTypes`, but for an object of a known shape. */
export function withRightMembers(shape: ObjectShape, object: Value): ValueMap {
  if (!isMap(object)) return rightMembers(shape, {})
  return checkOf(shape)(object) ? object : rightMembers(shape, object)
}

/** Nearly all stored objects pass these checks, which take less time than the repair. */
const checkOf = typeChecks({
  scalar: ({ kind }, value) => rightScalar(kind, value) === value,
  opaque: (shape, value) => rightValue(shape, value) === value,
  isNeeded: (shape, field) => !isOfSomeLevels(shape, field),
})

/** The value with parts of the right types. Undefined: the value itself is of a wrong type. */
function rightValue(shape: Shape, value: Value): Value | undefined {
  switch (shape.kind) {
    case 'object':
      return isMap(value) ? rightMembers(shape, value) : undefined
    case 'list':
      return isList(value) ? rightItems(shape.item, value) : undefined
    case 'map':
      return isMap(value) ? rightEntries(shape.value, value) : undefined
    case 'any':
    case 'rawExtension':
    case 'fieldsV1':
      return value
    case 'schemaOrArray':
    case 'schemaOrBool':
    case 'schemaOrStringArray':
      return rightAlternative(shape, value)
    default:
      return rightScalar(shape.kind, value)
  }
}

/** Every time, quantity and number must be valid for decoding, because code that writes the object again relies on valid values. */
function rightScalar(kind: ScalarKind, value: Value): Value | undefined {
  if (kind === 'string') return typeof value === 'string' ? value : undefined
  if (kind === 'quantity') return typeof value === 'string' && parseQuantity(value).ok ? value : undefined
  try {
    const right = decodeScalar(kind, value)
    return right === null || right === Infinity || right === -Infinity ? undefined : right
  } catch (error) {
    if (error instanceof ScalarFaultError) return undefined
    throw error
  }
}

/** Fields that the kind does not have stay: a newer server may have stored them. */
function rightMembers(shape: ObjectShape, map: ValueMap): ValueMap {
  let changed: Record<string, Value> | undefined
  for (const name in map) {
    const field = shape.byName.get(name)
    const value = map[name]!
    if (field === undefined || (typeof value === 'string' && field.shape.kind === 'string')) continue
    const right = rightField(field, value)
    if (right === value) continue
    changed ??= { ...map }
    if (right === undefined) delete changed[name]
    else changed[name] = right
  }
  for (const field of shownFields(shape)) {
    if ((changed ?? map)[field.name] !== undefined || isOfSomeLevels(shape, field)) continue
    changed ??= { ...map }
    changed[field.name] = zeroOfField(field)
  }
  return changed ?? map
}

function isOfSomeLevels(shape: ObjectShape, field: Field): boolean {
  return SOMETIMES.has(`${shape.name}.${field.name}`)
}

function rightField(field: Field, value: Value): Value | undefined {
  const right = value === null ? undefined : rightValue(field.shape, value)
  return right ?? (isAlwaysShown(field) && zeroOfField(field) === null ? null : undefined)
}

function rightItems(item: Shape, list: readonly Value[]): readonly Value[] {
  let changed: Value[] | undefined
  for (let i = 0; i < list.length; i++) {
    const right = rightValue(item, list[i]!) ?? zeroOf(item)
    if (right !== list[i]) (changed ??= [...list])[i] = right
  }
  return changed ?? list
}

function rightEntries(shape: Shape, map: ValueMap): ValueMap {
  let changed: Record<string, Value> | undefined
  for (const key in map) {
    const right = rightValue(shape, map[key]!) ?? zeroOf(shape)
    if (right !== map[key]) setOwn((changed ??= { ...map }), key, right)
  }
  return changed ?? map
}

function rightAlternative({ kind, schema }: OpaqueShape, value: Value): Value | undefined {
  if (schema === undefined) return value
  if (isMap(value)) return rightMembers(schema, value)
  if (kind === 'schemaOrBool') return typeof value === 'boolean' ? value : undefined
  if (!isList(value)) return undefined
  return rightItems(kind === 'schemaOrArray' ? schema : { kind: 'string' }, value)
}
