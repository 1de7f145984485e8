// One version of a custom kind: its schema, printer columns, subresources and selectable fields.
import type { FieldPath } from '../../../api/field-path.ts'
import { isTrue, mapOrAbsent, mapOrEmpty, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import { followPath } from '../../../schema/custom/custom.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { placedMaps } from '../../shared/placed-items.ts'
import { checkSchema } from './schema-document.ts'

const COLUMN_TYPES: readonly string[] = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS: readonly string[] = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const MAX_SELECTABLE_FIELDS = 8
const MAX_WARNING = 256

export function checkVersion(version: ValueMap, at: FieldPath, withStatus: boolean, check: Check): void {
  const warning = textOrAbsent(version, 'deprecationWarning')
  if (warning !== undefined) {
    const faults = warningFaults(warning, isTrue(version, 'deprecated'))
    check.format(at.child('deprecationWarning'), warning, faults)
  }
  const schema = mapOrAbsent(mapOrEmpty(version, 'schema'), 'openAPIV3Schema')
  if (schema !== undefined) checkSchema(schema, at.child('schema').child('openAPIV3Schema'), withStatus, check)
  checkSubresources(version, at, check)
  checkColumns(version, at, check)
  if (mapsInPlace(version, 'selectableFields').length === 0) return
  if (schema !== undefined) checkSelectable(version, schema, at, check)
  else
    check.invalid(
      at.child('selectableFields'),
      '',
      'may only be set when `version.schema.openAPIV3Schema` is not included',
    )
}

function warningFaults(warning: string, isDeprecated: boolean): readonly string[] {
  if (!isDeprecated) return ['can only be set for deprecated versions']
  const faults: string[] = []
  if (Buffer.byteLength(warning) > MAX_WARNING) faults.push(`must be <= ${MAX_WARNING} characters long`)
  if (warning === '') faults.push('must not be an empty string')
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  if (unprintable !== null) {
    const index = Buffer.byteLength(warning.slice(0, unprintable.index))
    faults.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
  return faults
}

export function checkColumns(part: ValueMap, at: FieldPath, check: Check): void {
  for (const [column, place] of placedMaps(part, 'additionalPrinterColumns', at)) {
    if (textOrEmpty(column, 'name') === '') check.required(place.child('name'))
    const type = textOrEmpty(column, 'type')
    const types = `must be one of ${COLUMN_TYPES.join(',')}`
    if (type === '') check.required(place.child('type'), types)
    else if (!COLUMN_TYPES.includes(type)) check.invalid(place.child('type'), type, types)
    const format = textOrEmpty(column, 'format')
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      check.invalid(place.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`)
    }
    const path = textOrEmpty(column, 'jsonPath')
    if (path === '') check.required(place.child('JSONPath'))
    else checkSimplePath(path, place.child('JSONPath'), check)
  }
}

function checkSimplePath(path: string, at: FieldPath, check: Check): boolean {
  if (path.startsWith('.')) return true
  check.invalid(at, path, 'must be a simple json path starting with .')
  return false
}

export function checkSubresources(part: ValueMap, at: FieldPath, check: Check): void {
  const scale = mapOrAbsent(mapOrEmpty(part, 'subresources'), 'scale')
  if (scale === undefined) return
  const list = at.child('subresources').child('scale')
  for (const [field, prefix] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const path = textOrEmpty(scale, field)
    if (path === '') check.required(list.child(field))
    else if (checkSimplePath(path, list.child(field), check) && !path.startsWith(`${prefix}.`)) {
      check.invalid(list.child(field), path, `should be a json path under ${prefix}`)
    }
  }
  const path = textOrEmpty(scale, 'labelSelectorPath')
  const place = list.child('labelSelectorPath')
  if (path === '' || !checkSimplePath(path, place, check) || /^\.(?:spec|status)\./.test(path)) return
  check.invalid(place, path, 'should be a json path under either .spec or .status')
}

const SELECTABLE_TYPES: readonly string[] = ['string', 'boolean', 'integer']

export function checkSelectable(part: ValueMap, schema: ValueMap, at: FieldPath, check: Check): void {
  const seen = new Set<string>()
  for (const [field, item] of placedMaps(part, 'selectableFields', at)) {
    const path = textOrEmpty(field, 'jsonPath')
    const place = item.child('jsonPath')
    if (path === '') {
      check.required(place)
      continue
    }
    const followed = followPath(path, schema, false)
    if (followed.kind === 'fault') {
      check.invalid(place, path, `is an invalid path: ${followed.text}`)
      continue
    }
    if (followed.names[0] === 'metadata') check.invalid(place, path, 'must not point to fields in metadata')
    if (!SELECTABLE_TYPES.includes(textOrEmpty(followed.schema, 'type'))) {
      const allowed = 'Enum string fields and strings with formats are allowed.'
      check.invalid(place, path, `must point to a field of type string, boolean or integer. ${allowed}`)
    }
    const whole = followed.names.join('.')
    if (seen.has(whole)) check.duplicate(place, path)
    seen.add(whole)
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) check.tooMany(at.child('selectableFields'), seen.size, MAX_SELECTABLE_FIELDS)
}
