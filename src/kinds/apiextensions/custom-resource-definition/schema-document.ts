// Checks the schema of a custom kind: its keywords, and the merge rules of its lists and maps.
import { shownJson, shownMap } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  isGiven,
  isTrue,
  mapOrAbsent,
  mapOrEmpty,
  mapsInPlace,
  textOrAbsent,
  textOrEmpty,
  textsInPlace,
} from '../../../api/members.ts'
import { isMap, own, type ValueMap } from '../../../api/value.ts'
import { defaultFaults, followPath } from '../../../schema/custom/custom.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { EMBEDDED_RULES } from '../../../schema/validation/validation.ts'
import { placedMaps } from '../../shared/placed-items.ts'
import { checkSchemaRules } from './schema-rules.ts'
import { hasUnknown, mapKeys, schemasIn, structuralFaults, unsupported } from './schema-structure.ts'

const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const LIST_TYPE = 'x-kubernetes-list-type'
const MAP_TYPE = 'x-kubernetes-map-type'
const MAP_KEYS = 'x-kubernetes-list-map-keys'
const RULES = 'x-kubernetes-validations'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

const REASONS: readonly string[] = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
]

const ROOT_WORDS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations'

/** The fields that are allowed at the root if the status subresource is enabled. */
const ROOT_FIELDS: ReadonlySet<string> = new Set([
  ...ROOT_WORDS.split(' ').map((word) => word.charAt(0).toLowerCase() + word.slice(1)),
  PRESERVE,
  RULES,
])

/** Checks the whole schema. `at` is the place of the schema. */
export function checkSchema(schema: ValueMap, at: FieldPath, hasStatus: boolean, check: Check): void {
  const before = check.errors.length
  if (hasStatus) checkRoot(schema, at, check)
  if (isTrue(schema, 'nullable')) check.forbidden(at.child('nullable'), 'nullable cannot be true at the root')
  const obstacle = unsupported(schema)
  const structural = check.errors.length
  if (obstacle === undefined) {
    for (const fault of structuralFaults(schema, at, check)) check.add(fault)
    if (check.errors.length === structural) checkDefaults(schema, at, { insideMeta: false, isResource: true, check })
  }
  const words = check.errors.length
  checkDocument(schema, { at, check, isRoot: true, insideMeta: false })
  // Rules on a faulty schema would only repeat its errors.
  if (obstacle === undefined && words === structural) {
    checkSchemaRules(schema, at, { check, wrong: check.errors.slice(words).map(({ field }) => field) })
  }
  if (obstacle !== undefined && check.errors.length === before) check.invalid(at, '', obstacle)
}

function checkRoot(schema: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(schema, 'type')
  const isUsed = (field: string): boolean => isGiven(schema, field) && schema[field] !== false && schema[field] !== ''
  const words = `only [${ROOT_WORDS}] fields are allowed at the root of the schema if the status subresource is enabled`
  if (['id', '$schema', '$ref'].some(isUsed)) check.invalid(at, shownJson(schema), words)
  else if (type !== '' && type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    check.invalid(at.child('type'), type, detail)
  } else if (Object.keys(schema).some((field) => !ROOT_FIELDS.has(field) && isUsed(field))) {
    check.invalid(at, shownJson(schema), words)
  }
}

interface DefaultPlace {
  readonly insideMeta: boolean
  readonly isResource: boolean
  readonly check: Check
}

function checkDefaults(schema: ValueMap, at: FieldPath, { insideMeta, isResource, check }: DefaultPlace): void {
  const within = isResource ? false : insideMeta
  const value = schema['default']
  if (value !== undefined && value !== null && !within) {
    if (hasUnknown(value, schema, isResource)) {
      const shown = isMap(value) ? shownMap(value) : value
      check.invalid(at.child('default'), shown, 'must not have unknown fields')
    }
    for (const fault of defaultFaults(schema, value, at.child('default'), EMBEDDED_RULES)) check.add(fault)
  }
  const items = mapOrAbsent(schema, 'items')
  const inner = (part: ValueMap, isMeta: boolean): DefaultPlace => ({
    insideMeta: within || isMeta,
    isResource: isTrue(part, EMBEDDED),
    check,
  })
  if (items !== undefined) checkDefaults(items, at.child('items'), inner(items, false))
  // The reference does not look at the defaults in additionalProperties.
  for (const [name, property] of schemasIn(schema, 'properties')) {
    checkDefaults(property, at.child('properties').key(name), inner(property, isResource && isMetaField(name)))
  }
}

function isMetaField(name: string): boolean {
  return name === 'metadata' || name === 'kind' || name === 'apiVersion'
}

interface Place {
  readonly at: FieldPath
  readonly check: Check
  readonly isRoot: boolean
  readonly insideMeta: boolean
  /** The reason why defaults are not allowed here. */
  readonly noDefaults?: string
}

function checkDocument(schema: ValueMap, place: Place): void {
  const { at, check, isRoot, insideMeta } = place
  checkWords(schema, place)
  if (isTrue(schema, 'uniqueItems')) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    check.forbidden(at.child('uniqueItems'), detail)
  }
  const child = (path: FieldPath, more: Partial<Place> = {}): Place => ({ ...place, at: path, isRoot: false, ...more })
  const properties = schemasIn(schema, 'properties')
  if (isGiven(schema, 'additionalProperties')) {
    const values = schema['additionalProperties']
    const path = at.child('additionalProperties')
    if (properties.length > 0 && values !== true) {
      check.forbidden(path, 'additionalProperties and properties are mutual exclusive')
    }
    const why = insideMeta ? { noDefaults: 'inside additionalProperties applying to object metadata' } : {}
    if (isMap(values)) checkDocument(values, child(path, why))
  }
  for (const [name, property] of properties) {
    const isMeta = isMetaField(name) && (isRoot || isTrue(schema, EMBEDDED))
    const more = {
      ...(isMeta && { insideMeta: true }),
      ...(isMeta && isRoot && { noDefaults: `in top-level ${name}` }),
    }
    checkDocument(property, child(at.child('properties').key(name), more))
  }
  const not = mapOrAbsent(schema, 'not')
  if (not !== undefined) checkDocument(not, child(at.child('not')))
  for (const field of ['allOf', 'oneOf', 'anyOf']) {
    for (const [i, inner] of mapsInPlace(schema, field).entries()) checkDocument(inner, child(at.child(field).index(i)))
  }
  for (const [name, inner] of schemasIn(schema, 'definitions')) {
    checkDocument(inner, child(at.child('definitions').key(name)))
  }
  const items = mapOrAbsent(schema, 'items')
  if (items !== undefined) checkDocument(items, child(at.child('items')))
  else for (const [inner, path] of placedMaps(schema, 'items', at)) checkDocument(inner, child(path))
  checkExtensions(schema, at, check)
  checkMapList(schema, at, check)
  checkKeys(schema, at, check)
  for (const [rule, path] of placedMaps(schema, RULES, at)) checkExpression(rule, schema, path, check)
}

function checkWords(schema: ValueMap, { at, check, insideMeta, noDefaults }: Place): void {
  const type = textOrEmpty(schema, 'type')
  if (type !== '') check.oneOf(at.child('type'), type, TYPES)
  if (isGiven(schema, 'default') && noDefaults !== undefined) {
    check.forbidden(at.child('default'), `must not be set ${noDefaults}`)
  }
  if (textOrEmpty(schema, 'id') !== '') check.forbidden(at.child('id'), 'id is not supported')
  for (const field of ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']) {
    const value = schema[field]
    const isEmpty = isMap(value) && Object.keys(value).length === 0 && field !== 'dependencies'
    if (isGiven(schema, field) && !isEmpty) check.forbidden(at.child(field), `${field} is not supported`)
  }
  if (type === 'null') {
    check.forbidden(at.child('type'), 'type cannot be set to null, use nullable as an alternative')
  }
  if (mapsInPlace(schema, 'items').length > 0) {
    check.forbidden(at.child('items'), 'items must be a schema object and not an array')
  }
  if (insideMeta && isTrue(schema, EMBEDDED)) {
    check.forbidden(at.child(EMBEDDED), 'must not be used inside of resource meta')
  }
}

function checkExtensions(schema: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrEmpty(schema, 'type')
  const needs = (wanted: string, field: string): boolean => {
    if (!isGiven(schema, field) || type === wanted) return false
    const detail = `must be ${wanted} if ${field} is specified`
    if (type === '') check.required(at.child('type'), detail)
    else check.invalid(at.child('type'), type, detail)
    return true
  }
  if (schema[PRESERVE] === false) check.invalid(at.child(PRESERVE), false, 'must be true or undefined')
  needs('object', MAP_TYPE)
  const mapType = textOrAbsent(schema, MAP_TYPE)
  if (mapType !== undefined) check.oneOf(at.child(MAP_TYPE), mapType, ['atomic', 'granular'])
  const listType = textOrAbsent(schema, LIST_TYPE)
  const isWrong = needs('array', LIST_TYPE)
  const items = mapOrAbsent(schema, 'items')
  if (!isWrong && listType === 'set' && items !== undefined) {
    const detail = `must be atomic as item of a list with ${LIST_TYPE}=set`
    const inner = textOrAbsent(items, LIST_TYPE)
    if (textOrEmpty(items, 'type') === 'array' && inner !== undefined && inner !== 'atomic') {
      check.invalid(at.child('items').child(LIST_TYPE), inner, detail)
    }
    if (textOrEmpty(items, 'type') === 'object' && textOrAbsent(items, MAP_TYPE) !== 'atomic') {
      check.invalid(at.child('items').child(MAP_TYPE), inner, detail)
    }
  }
  if (listType !== undefined) check.oneOf(at.child(LIST_TYPE), listType, ['atomic', 'set', 'map'])
  if (mapKeys(schema).length === 0 || listType === 'map') return
  const detail = `must be map if ${MAP_KEYS} is non-empty`
  if (listType === undefined) check.required(at.child(LIST_TYPE), detail)
  else check.invalid(at.child(LIST_TYPE), listType, detail)
}

function checkMapList(schema: ValueMap, at: FieldPath, check: Check): void {
  if (textOrAbsent(schema, LIST_TYPE) !== 'map') return
  const keys = mapKeys(schema)
  if (keys.length === 0) check.required(at.child(MAP_KEYS), `must not be empty if ${LIST_TYPE} is map`)
  const place = at.child('items')
  const items = mapOrAbsent(schema, 'items')
  if (!isGiven(schema, 'items')) check.required(place, `must have a schema if ${LIST_TYPE} is map`)
  else if (items === undefined) {
    check.invalid(place, shownJson(schema['items']), `must only have a single schema if ${LIST_TYPE} is map`)
  } else if (textOrEmpty(items, 'type') !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`
    check.invalid(place.child('type'), textOrEmpty(items, 'type'), detail)
  } else {
    const seen = new Set<string>()
    for (const key of keys) {
      const property = own(mapOrEmpty(items, 'properties'), key)
      if (!isMap(property)) check.invalid(at.child(MAP_KEYS), keys, 'entries must all be names of item properties')
      else if (textOrEmpty(property, 'type') === 'array' || textOrEmpty(property, 'type') === 'object') {
        const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`
        check.invalid(place.child('properties').key(key).child('type'), 'object', detail)
      }
      if (seen.has(key)) check.invalid(at.child(MAP_KEYS), keys, 'must not contain duplicate entries')
      seen.add(key)
    }
  }
}

/** Items of sets and maps must not be nullable. Keys of maps must be required or have a default. */
function checkKeys(schema: ValueMap, at: FieldPath, check: Check): void {
  const type = textOrAbsent(schema, LIST_TYPE)
  const items = mapOrAbsent(schema, 'items')
  if (items === undefined || (type !== 'set' && type !== 'map')) return
  const place = at.child('items')
  if (isTrue(items, 'nullable')) {
    check.forbidden(place.child('nullable'), `cannot be nullable when ${LIST_TYPE} is ${type}`)
  }
  if (type === 'set') return
  const required = new Set(textsInPlace(items, 'required'))
  for (const key of mapKeys(schema)) {
    const property = own(mapOrEmpty(items, 'properties'), key)
    if (!isMap(property)) continue
    const inner = place.child('properties').key(key)
    const why = `this property is in ${MAP_KEYS}, so it`
    if (!required.has(key) && !isGiven(property, 'default')) {
      check.required(inner.child('default'), `${why} must have a default or be a required property`)
    }
    if (isTrue(property, 'nullable')) check.forbidden(inner.child('nullable'), `${why} cannot be nullable`)
  }
}

const BREAK = /[\n\r]/

function checkExpression(rule: ValueMap, schema: ValueMap, at: FieldPath, check: Check): void {
  const text = textOrEmpty(rule, 'rule').trim()
  const message = textOrEmpty(rule, 'message')
  if (text === '') check.required(at.child('rule'), 'rule is not specified')
  else if (message !== '' && message.trim() === '') {
    check.invalid(at.child('message'), message, 'must be non-empty if specified')
  } else if (BREAK.test(message.trim())) check.invalid(at.child('message'), message, 'must not contain line breaks')
  else if (BREAK.test(text) && message === '') {
    check.required(at.child('message'), 'message must be specified if rule contains line breaks')
  }
  const expression = textOrEmpty(rule, 'messageExpression')
  if (expression !== '' && expression.trim() === '') {
    check.required(at.child('messageExpression'), 'messageExpression must be non-empty if specified')
  }
  const reason = textOrAbsent(rule, 'reason')
  if (reason !== undefined) check.oneOf(at.child('reason'), reason, REASONS)
  const path = textOrEmpty(rule, 'fieldPath')
  const place = at.child('fieldPath')
  if (path === '') return
  if (path.trim() === '') check.invalid(place, path, 'must be non-empty if specified')
  if (BREAK.test(path)) check.invalid(place, path, 'must not contain line breaks')
  if (unsupported(schema) === undefined && followPath(path, schema, true).kind === 'fault')
    check.invalid(place, path, 'must be a valid path')
}
