// Whether a schema is structural: every field has its type in one place, and schemas under allOf, anyOf, oneOf and not only restrict fields
// that are described outside of them.
import { faultsOf } from '../../../api/fault-list.ts'
import type { FieldError } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  asMap,
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrEmpty,
  textsInPlace,
} from '../../../api/members.ts'
import { isMap, own, type Value, type ValueMap } from '../../../api/value.ts'
import { firstFound } from '../../../lib/first-found.ts'
import { Check } from '../../../schema/validation/check.ts'

type Level = 'root' | 'item' | 'field'

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'

/** The schemas of a map by name. An entry that is not a schema reads as an empty schema. */
export function schemasIn(schema: ValueMap, field: string): readonly (readonly [string, ValueMap])[] {
  const schemas = mapOrAbsent(schema, field)
  return schemas === undefined ? NONE : Object.entries(schemas).map(([key, value]) => [key, asMap(value)])
}

/** Most schemas describe single values and have no inner schemas. */
const NONE: readonly (readonly [string, ValueMap])[] = []

/** An error for the first construct in the schema that structural schemas do not support. Undefined: there is none. */
export function unsupported(schema: ValueMap): string | undefined {
  const field = UNSUPPORTED.find((name) => isPresent(schema[name]))
  if (field !== undefined) return `OpenAPIV3Schema '${field === '$schema' ? 'schema' : field}' is not supported`
  if (schema[PRESERVE] === false) return `internal error: '${PRESERVE}' must be true or undefined`
  if (Array.isArray(schema['items'])) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  return firstFound(innerSchemas(schema), unsupported)
}

const UNSUPPORTED: readonly string[] = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
]

function isPresent(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === '') return false
  return isMap(value) ? Object.keys(value).length > 0 : true
}

function innerSchemas(schema: ValueMap): readonly ValueMap[] {
  const inner: ValueMap[] = schemasIn(schema, 'properties').map(([, property]) => property)
  for (const field of ['items', 'not', 'additionalProperties']) {
    const part = mapOrAbsent(schema, field)
    if (part !== undefined) inner.push(part)
  }
  for (const field of ['allOf', 'anyOf', 'oneOf']) for (const part of mapsInPlace(schema, field)) inner.push(part)
  return inner
}

/** Whether the schema has a default anywhere. */
export function hasDefaults(schema: ValueMap): boolean {
  return schema['default'] !== undefined || innerSchemas(schema).some(hasDefaults)
}

/** The errors of a schema without unsupported constructs, sorted by their texts. */
export function structuralFaults(schema: ValueMap, at: FieldPath, check: Check): readonly FieldError[] {
  const faults = faultsOf((list) => {
    const found = new Check(check.context, list, check.patterns)
    checkInvariants(schema, { level: 'root', at, check: found })
    checkRestrictions(schema, schema, { at, from: at, check: found })
  })
  const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`
  return faults.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

interface Place {
  readonly level: Level
  readonly at: FieldPath
  readonly check: Check
}

function checkInvariants(schema: ValueMap, place: Place): void {
  const { level, at, check } = place
  const items = mapOrAbsent(schema, 'items')
  if (textOrEmpty(schema, 'type') === 'array' && items === undefined)
    check.required(at.child('items'), 'must be specified')
  if (items !== undefined) checkInvariants(items, { level: 'item', at: at.child('items'), check })
  for (const [name, property] of schemasIn(schema, 'properties')) {
    checkInvariants(property, { level: 'field', at: at.child('properties').key(name), check })
  }
  if (isGiven(schema, 'additionalProperties')) {
    const inner = at.child('additionalProperties')
    if (level === 'root') check.forbidden(inner, 'must not be used at the root')
    const values = mapOrAbsent(schema, 'additionalProperties')
    if (values !== undefined) checkInvariants(values, { level: 'field', at: inner, check })
  }
  if (isTrue(schema, INT_OR_STRING)) {
    for (const field of [PRESERVE, EMBEDDED]) {
      if (isTrue(schema, field)) check.invalid(at.child(field), true, `must be false if ${INT_OR_STRING} is true`)
    }
  }
  checkJunctors(schema, place, { anyOf: isIntOrString(schema), first: isIntOrString(mapsInPlace(schema, 'allOf')[0]) })
  checkType(schema, place)
  checkMetadata(schema, place)
  if (isTrue(schema, EMBEDDED) && !isTrue(schema, PRESERVE) && schemasIn(schema, 'properties').length === 0) {
    check.required(at.child('properties'), `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`)
  }
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(schema: ValueMap, { level, at, check }: Place): void {
  const type = textOrEmpty(schema, 'type')
  const place = at.child('type')
  const isEmbedded = isTrue(schema, EMBEDDED)
  if (isEmbedded && type !== 'object') {
    const detail = `must be object if ${EMBEDDED} is true`
    if (type === '') check.required(place, detail)
    else check.invalid(place, type, detail)
  } else if (type === '' && !isTrue(schema, INT_OR_STRING) && !isTrue(schema, PRESERVE)) {
    check.required(place, MISSING_TYPE[level])
  }
  if (isEmbedded && isGiven(schema, 'additionalProperties')) {
    check.forbidden(at.child('additionalProperties'), `must not be used if ${EMBEDDED} is set`)
  }
  if (level === 'root' && type !== '' && type !== 'object') check.invalid(place, type, 'must be object at the root')
}

function checkMetadata(schema: ValueMap, { level, at, check }: Place): void {
  const properties = mapOrEmpty(schema, 'properties')
  if (level !== 'root' && !isTrue(schema, EMBEDDED)) return
  for (const [name, wanted] of [
    ['kind', 'string'],
    ['apiVersion', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const property = own(properties, name)
    if (!isMap(property)) continue
    const type = textOrEmpty(property, 'type')
    if (type === wanted) continue
    check.invalid(at.child('properties').key(name).child('type'), type, `must be ${wanted}`)
  }
  const metadata = own(properties, 'metadata')
  if (level !== 'root' || !isMap(metadata) || isPlainMetadata(metadata)) return
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
  check.forbidden(at.child('properties').key('metadata'), detail)
}

function isPlainMetadata(metadata: ValueMap): boolean {
  const names = Object.keys(mapOrEmpty(metadata, 'properties'))
  if (!names.every((name) => name === 'name' || name === 'generateName')) return false
  return Object.entries(metadata).every(
    ([name, value]) => name === 'type' || name === 'default' || name === 'properties' || !isPresent(value),
  )
}

interface Skips {
  /** Skips `anyOf`: the alternatives of an int or string may have types. */
  readonly anyOf: boolean
  /** Skips `anyOf` in the first schema of `allOf`, for the same reason. */
  readonly first: boolean
}

const NO_SKIPS: Skips = { anyOf: false, first: false }

function isIntOrString(schema: ValueMap | undefined): boolean {
  const [first, second, ...more] = schema === undefined ? [] : mapsInPlace(schema, 'anyOf')
  if (first === undefined || second === undefined || more.length > 0) return false
  return isOnlyType(first, 'integer') && isOnlyType(second, 'string')
}

function isOnlyType(schema: ValueMap, type: string): boolean {
  return Object.keys(schema).length === 1 && schema['type'] === type
}

function checkJunctors(schema: ValueMap, { level, at, check }: Place, skips: Skips): void {
  const nested = (field: string, anyOf = false): void => {
    for (const [i, inner] of mapsInPlace(schema, field).entries()) {
      const place = { level, at: at.child(field).index(i), check }
      checkNested(inner, place, { anyOf: anyOf && i === 0, first: false })
    }
  }
  if (!skips.anyOf) nested('anyOf')
  nested('allOf', skips.first)
  nested('oneOf')
  const not = mapOrAbsent(schema, 'not')
  if (not !== undefined) checkNested(not, { level, at: at.child('not'), check }, NO_SKIPS)
  const pattern = textOrEmpty(schema, 'pattern')
  const fault = pattern === '' ? undefined : check.patterns.faultOf(pattern)
  if (fault !== undefined) {
    check.invalid(at.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${fault}`)
  }
}

const NESTED_FORBIDDEN: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [PRESERVE, 'must be false to be structural'],
  [EMBEDDED, 'must be false to be structural'],
  [INT_OR_STRING, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

/** Whether the schema has the field. A default counts with any value. Other fields count unless they are empty. */
function isSpecified(field: string, value: Value | undefined): boolean {
  if (value === undefined || value === null) return false
  if (field === 'default' || isMap(value)) return true
  return value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
}

function checkNested(schema: ValueMap, place: Place, skips: Skips): void {
  const { at, check, level } = place
  checkJunctors(schema, place, skips)
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) checkNested(items, { level, at: at.child('items'), check }, NO_SKIPS)
  const properties = schemasIn(schema, 'properties')
  for (const [name, property] of properties) {
    checkNested(property, { level: 'field', at: at.child('properties').key(name), check }, NO_SKIPS)
  }
  for (const [field, detail] of NESTED_FORBIDDEN) {
    if (isSpecified(field, schema[field])) check.forbidden(at.child(field), detail)
  }
  if (properties.some(([name]) => name === 'metadata')) {
    check.forbidden(at.child('properties').key('metadata'), 'must not be specified in a nested context')
  }
}

interface Restriction {
  /** The place of the schema that has to describe the field. */
  readonly at: FieldPath
  /** The place of the restriction. */
  readonly from: FieldPath
  readonly check: Check
}

/** Fields that are restricted under allOf, anyOf, oneOf or not must be described outside of them. */
function checkRestrictions(schema: ValueMap, described: ValueMap, { at, from, check }: Restriction): void {
  const not = mapOrAbsent(schema, 'not')
  if (not !== undefined) checkDescribed(not, described, { at, from: from.child('not'), check })
  for (const field of ['allOf', 'anyOf', 'oneOf']) {
    for (const [i, inner] of mapsInPlace(schema, field).entries()) {
      checkDescribed(inner, described, { at, from: from.child(field).index(i), check })
    }
  }
}

function checkDescribed(schema: ValueMap, described: ValueMap | undefined, place: Restriction): void {
  const { at, from, check } = place
  if (described === undefined) {
    check.required(at, `because it is defined in ${from.toString()}`)
    return
  }
  checkRestrictions(schema, described, place)
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) {
    const inner = { at: at.child('items'), from: from.child('items'), check }
    checkDescribed(items, mapOrAbsent(described, 'items'), inner)
  }
  const known = mapOrEmpty(described, 'properties')
  for (const [name, property] of schemasIn(schema, 'properties')) {
    const found = own(known, name)
    const inner = { at: at.child('properties').key(name), from: from.child('properties').key(name), check }
    checkDescribed(property, isMap(found) ? found : undefined, inner)
  }
}

/** Whether a default has members that its schema does not know. */
export function hasUnknown(value: Value | undefined, schema: ValueMap, isResource: boolean): boolean {
  if (Array.isArray(value)) {
    const items = mapOrEmpty(schema, 'items')
    const known = isTrue(schema, PRESERVE) ? { ...items, [PRESERVE]: true } : items
    return value.some((item: Value) => hasUnknown(item, known, isTrue(items, EMBEDDED)))
  }
  if (!isMap(value)) return false
  const properties = mapOrEmpty(schema, 'properties')
  const others = schema['additionalProperties']
  return Object.entries(value).some(([name, member]) => {
    if (isResource && (name === 'apiVersion' || name === 'kind' || name === 'metadata')) return false
    const property = own(properties, name)
    if (isMap(property)) return hasUnknown(member, property, isTrue(property, EMBEDDED))
    if (isMap(others)) return hasUnknown(member, others, isTrue(others, EMBEDDED))
    if (others === true) return hasUnknown(member, {}, false)
    return !isTrue(schema, PRESERVE)
  })
}

export function mapKeys(schema: ValueMap): readonly string[] {
  return textsInPlace(schema, 'x-kubernetes-list-map-keys')
}
