// Config maps, and the rules that secrets share with them: keys are file names, the size is limited, and an object can be immutable.
import { FieldPath } from '../../api/field-path.ts'
import type { ConfigMap } from '../../api/gen/kinds.ts'
import { entriesOf, equalValues, type MapOf } from '../../api/value.ts'
import { AGE, column, NAME, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { configKey } from '../../schema/validation/formats.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  NOWHERE,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'

export const MAX_DATA_BYTES = 1024 * 1024
const DATA = FieldPath.root('data')
const BINARY_DATA = FieldPath.root('binaryData')
const IMMUTABLE_DATA = 'field is immutable when `immutable` is set'

function checkConfigMap(object: ConfigMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { data = {}, binaryData = {} } = object
  let bytes = 0
  for (const [key, value] of entriesOf(data)) {
    checkKey(key, DATA, check)
    if (Object.hasOwn(binaryData, key)) check.invalid(DATA.key(key), key, 'duplicate of key present in binaryData')
    bytes += Buffer.byteLength(value)
  }
  for (const [key, value] of entriesOf(binaryData)) {
    checkKey(key, BINARY_DATA, check)
    bytes += decodedLength(value)
  }
  if (bytes > MAX_DATA_BYTES) check.tooLong(NOWHERE, MAX_DATA_BYTES)
}

export function checkKey(key: string, at: FieldPath, check: Check): void {
  const faults = configKey(key)
  if (faults.length > 0) check.format(at.key(key), key, faults)
}

interface Data extends Pick<ConfigMap, 'immutable' | 'binaryData'> {
  readonly data?: MapOf<string | null>
}

/** Immutable data cannot change, and cannot become mutable. */
export function checkImmutable(object: Data, stored: Data, check: Check): void {
  if (stored.immutable !== true) return
  if (object.immutable !== true) check.forbidden(FieldPath.root('immutable'), IMMUTABLE_DATA)
  for (const field of ['data', 'binaryData'] as const) {
    if (!equalValues(object[field] ?? {}, stored[field] ?? {})) check.forbidden(FieldPath.root(field), IMMUTABLE_DATA)
  }
}

/** The number of bytes that a base64 text encodes. */
export function decodedLength(base64: string | null): number {
  if (base64 === null) return 0
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

export const CONFIG_MAP: Kind = typedKind<ConfigMap>({
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
      'The number of entries.',
      ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    ),
    AGE,
  ]),
})
