// The schema of a custom resource as documents have it: its author's, unfolded for version 3, and with less in it for version 2,
// whose clients would otherwise hold against objects what is right (P-364).
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import type { OpenApiVersion } from './openapi-model.ts'

/** Undefined in version 2 where members may be unknown: naming any would forbid the others. */
export function authorsSchema(schema: ValueMap, version: OpenApiVersion): ValueMap | undefined {
  if (version === 3) return eachSchema(schema, unfolded)
  return schema[PRESERVE] === true ? undefined : forVersion2(schema)
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

/** The schema with a change in it and in all that it holds members or items by. */
function eachSchema(schema: ValueMap, change: (schema: ValueMap) => ValueMap): ValueMap {
  const out: Record<string, Value> = { ...change(schema) }
  // To say that unknown members are not kept is to say nothing.
  if (out[PRESERVE] === false) delete out[PRESERVE]
  return withInner(out, (inner) => eachSchema(inner, change))
}

/** The schema with a change in those that it holds members or items by. */
export function withInner(schema: ValueMap, change: (inner: ValueMap) => ValueMap): ValueMap {
  const out: Record<string, Value> = { ...schema }
  for (const field of ['items', 'additionalProperties']) {
    const inner = out[field]
    if (isMap(inner)) out[field] = change(inner)
  }
  const members = out['properties']
  if (!isMap(members)) return out
  const changed = Object.entries(members).map(([name, one]) => [name, isMap(one) ? change(one) : one])
  return { ...out, properties: Object.fromEntries(changed) as ValueMap }
}

const INT_OR_STRING: readonly ValueMap[] = [{ type: 'integer' }, { type: 'string' }]

/** A value that is an integer or a text says so in the words of every schema, unless it does already. */
function unfolded(schema: ValueMap): ValueMap {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema
  const { anyOf, allOf } = schema
  const [first] = isList(allOf) ? allOf : []
  if (isIntOrString(anyOf) || (isMap(first) && isIntOrString(first['anyOf']))) return schema
  if (anyOf === undefined) return { ...schema, anyOf: INT_OR_STRING }
  return { ...schema, allOf: [{ anyOf: INT_OR_STRING }, ...(isList(allOf) ? allOf : [])] }
}

function isIntOrString(anyOf: Value | undefined): boolean {
  return (
    isList(anyOf) &&
    anyOf.length === INT_OR_STRING.length &&
    anyOf.every(
      (one, i) => isMap(one) && Object.keys(one).join() === 'type' && one['type'] === INT_OR_STRING[i]?.['type'],
    )
  )
}

/** What version 2 has no words for. Defaults are left out because clients of its time apply them wrongly. */
const NOT_IN_VERSION_2: ReadonlySet<string> = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'nullable',
  'default',
  '$schema',
  'id',
])

function forVersion2(schema: ValueMap): ValueMap {
  return eachSchema(schema, (one) => {
    const isNullable = one['nullable'] === true
    const isOpen = isNullable || one[PRESERVE] === true
    const kept: Record<string, Value> = Object.fromEntries(
      Object.entries(one).filter(
        ([key]) => !NOT_IN_VERSION_2.has(key) && !(isOpen && (key === 'items' || key === 'properties')),
      ),
    )
    const { type, items, ...untyped } = kept
    const isTyped = !isNullable && !(type === 'array' && items === undefined) && !(isOpen && type === 'object')
    const shown = isTyped ? kept : items === undefined ? untyped : { ...untyped, items }
    return withoutNullableRequired(shown)
  })
}

/** A member that may be null need not be there, as far as these clients can tell. */
function withoutNullableRequired(schema: ValueMap): ValueMap {
  const { required, ...rest } = schema
  if (!isList(required)) return schema
  const members = isMap(schema['properties']) ? schema['properties'] : {}
  const values = schema['additionalProperties']
  const isNullable = (one: Value | undefined): boolean => isMap(one) && one['nullable'] === true
  const isLeft = (name: Value): boolean => typeof name === 'string' && !isNullable(own(members, name))
  const left = isNullable(values) ? [] : required.filter(isLeft)
  return left.length === 0 ? rest : { ...rest, required: left }
}
