// Config maps, and what secrets have in common with them: keys are file names, the size is limited, and both can be immutable.
import { FieldPath } from '../../api/field-path.ts'
import { isTrue, mapOrEmpty } from '../../api/members.ts'
import { equalValues, type Value, type ValueMap } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { mapAt } from '../../codec/tables/reading.ts'
import type { Check } from '../../schema/validation/check.ts'
import { configKey } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  NOWHERE,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'

export const MAX_DATA_BYTES = 1024 * 1024
const DATA = FieldPath.root('data')
const BINARY_DATA = FieldPath.root('binaryData')
const IMMUTABLE_DATA = 'field is immutable when `immutable` is set'

function checkConfigMap(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const data = mapOrEmpty(object, 'data')
  const binary = mapOrEmpty(object, 'binaryData')
  let bytes = 0
  const lookAtText = (key: string, value: Value): void => {
    checkKey(key, DATA, check)
    if (Object.hasOwn(binary, key)) check.invalid(DATA.key(key), key, 'duplicate of key present in binaryData')
    if (typeof value === 'string') bytes += Buffer.byteLength(value)
  }
  const lookAtBytes = (key: string, value: Value): void => {
    checkKey(key, BINARY_DATA, check)
    if (typeof value === 'string') bytes += decodedLength(value)
  }
  check.members(data, lookAtText, () =>
    check.members(binary, lookAtBytes, () => {
      if (bytes > MAX_DATA_BYTES) check.tooLong(NOWHERE, MAX_DATA_BYTES)
    }),
  )
}

export function checkKey(key: string, at: FieldPath, check: Check): void {
  const faults = configKey(key)
  if (faults.length > 0) check.format(at.key(key), key, faults)
}

/** Immutable data stays as it is, and stays immutable. */
export function checkImmutable(object: ValueMap, stored: ValueMap, check: Check): void {
  if (!isTrue(stored, 'immutable')) return
  if (!isTrue(object, 'immutable')) check.forbidden(FieldPath.root('immutable'), IMMUTABLE_DATA)
  for (const field of ['data', 'binaryData']) {
    if (!equalValues(mapOrEmpty(object, field), mapOrEmpty(stored, field)))
      check.forbidden(FieldPath.root(field), IMMUTABLE_DATA)
  }
}

/** How many bytes a base64 text stands for. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

export const CONFIG_MAP: Kind = {
  validation: {
    create: checkConfigMap,
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      checkImmutable(object, stored, check)
      checkConfigMap(object, check)
    },
  },
  columns: tableOf([
    NAME,
    column(
      'Data',
      'How many entries it has.',
      (map) => Object.keys(mapAt(map, 'data')).length + Object.keys(mapAt(map, 'binaryData')).length,
    ),
    AGE,
  ]),
}
