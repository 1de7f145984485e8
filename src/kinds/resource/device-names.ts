// Rules that claims and slices share: names of devices, pools and attributes, lists, tolerations and binding conditions.
import { shownJson } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { DeviceRequestAllocationResult, DeviceToleration } from '../../api/gen/kinds.ts'
import { isMap, type Value } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import {
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  longerThan,
  qualifiedName,
} from '../../schema/validation/formats.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const MAX_POOL_NAME = 253
const MAX_ID = 32
const MAX_CONDITIONS = 4
const MAX_PARAMETERS = 10 * 1024
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

const IDENTIFIER_FAULT =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function checkPoolName(name: string, at: FieldPath, check: Check): void {
  if (name === '') {
    check.required(at)
    return
  }
  if (longerThan(name, MAX_POOL_NAME)) check.tooLong(at, MAX_POOL_NAME)
  for (const part of name.split('/')) check.format(at, part, dns1123Subdomain(part))
}

export function checkDeviceName(name: string, at: FieldPath, check: Check): void {
  check.format(at, name, dns1123Label(name))
}

/** A name with an optional domain prefix. More than one slash is accepted, as in the reference. */
export function checkAttributeName(name: string, at: FieldPath, check: Check): void {
  const parts = name.split('/', 3)
  const [first = '', second = ''] = parts
  if (parts.length === 1) checkIdentifier(first, at, check)
  if (parts.length !== 2) return
  if (first === '') check.invalid(at, '', 'the domain must not be empty')
  else checkDriverName(first, at, check)
  if (second === '') check.invalid(at, '', 'the name must not be empty')
  else checkIdentifier(second, at, check)
}

export function checkFullAttributeName(name: string, at: FieldPath, check: Check): void {
  checkAttributeName(name, at, check)
  if (name.includes('/')) return
  check.invalid(at, name, 'a fully qualified name must be a domain and a name separated by a slash')
}

function checkIdentifier(id: string, at: FieldPath, check: Check): void {
  if (longerThan(id, MAX_ID)) check.tooLong(at, MAX_ID)
  if (!IDENTIFIER.test(id)) check.invalid(at, id, IDENTIFIER_FAULT)
}

export function checkShareId(id: string | undefined, at: FieldPath, check: Check): void {
  if (id !== undefined && !UID.test(id)) check.invalid(at, id, shareIdFault(id))
}

const ANY_UID = /^([0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i

/** The lengths of a UUID with dashes, without dashes, in braces, and as a URN. */
const UID_LENGTHS: readonly number[] = [36, 32, 38, 45]
const URN = 'urn:uuid:'

/** The fault of a UUID that is not in its normalized form. */
function shareIdFault(id: string): string {
  const faulty = 'error validating uid: '
  if (!UID_LENGTHS.includes(id.length)) return `${faulty}invalid UUID length: ${id.length}`
  const prefix = id.slice(0, URN.length)
  if (id.length === 45 && prefix.toLowerCase() !== URN) return `${faulty}invalid urn prefix: ${JSON.stringify(prefix)}`
  const digits = id.length === 45 ? id.slice(URN.length) : id.length === 38 ? id.slice(1, -1) : id
  if (!ANY_UID.test(digits)) return `${faulty}invalid UUID format`
  return 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
}

/** Opaque parameters of a driver: an object of limited size. */
export function checkOpaque(value: Value | undefined, at: FieldPath, check: Check): void {
  if (value === undefined || value === null) check.required(at)
  else if (Buffer.byteLength(shownJson(value).text) > MAX_PARAMETERS) check.tooLong(at, MAX_PARAMETERS)
  else if (!isMap(value)) check.invalid(at, '<value omitted>', 'must be a valid JSON object')
}

interface ListRule<T> {
  readonly check: Check
  /** Absent: unlimited. */
  readonly max?: number
  readonly item: (item: T, at: FieldPath<T>, check: Check) => void
  /** The key that must be unique. Absent: items may repeat. */
  readonly key?: (item: T) => string
}

/** A list that is too long is not checked any further. */
export function checkList<T>(
  items: readonly T[],
  at: FieldPath<readonly NoInfer<T>[] | null | undefined>,
  { check, max, item, key }: NoInfer<ListRule<T>>,
): void {
  if (max !== undefined && items.length > max) {
    check.tooMany(at, items.length, max)
    return
  }
  items.forEach((one, i) => item(one, at.index(i), check))
  if (key === undefined) return
  const seen = new Set<string>()
  items.forEach((one, i) => check.unique(seen, key(one), at.index(i)))
}

export function checkToleration(toleration: DeviceToleration, at: FieldPath<DeviceToleration>, check: Check): void {
  check.fields(toleration, at, 'resource.k8s.io_v1.DeviceToleration', 'key')
  const { value = '', operator = '' } = toleration
  if (operator === 'Exists') {
    if (value !== '') check.invalid(at.child('value'), value, 'must be empty for operator `Exists`')
  } else if (operator === 'Equal') check.format(at.child('value'), value, labelValue(value))
  else if (operator === '') check.required(at.child('operator'))
  else check.notSupported(at.child('operator'), operator, ['Equal', 'Exists'])
  check.fields(toleration, at, 'resource.k8s.io_v1.DeviceToleration', 'effect')
}

type Bound = Pick<DeviceRequestAllocationResult, 'bindingConditions' | 'bindingFailureConditions'>

export function checkBindingConditions(part: Bound, at: FieldPath<Bound>, check: Check): void {
  const { bindingConditions: wanted = [], bindingFailureConditions: failed = [] } = part
  const wantedAt = at.child('bindingConditions')
  const failedAt = at.child('bindingFailureConditions')
  const item = (name: string, place: FieldPath): void => check.format(place, name, qualifiedName(name))
  checkList(wanted, wantedAt, { check, max: MAX_CONDITIONS, item })
  checkList(failed, failedAt, { check, max: MAX_CONDITIONS, item })
  const names = new Set<string>()
  wanted.forEach((name, i) => check.unique(names, name, wantedAt.index(i)))
  const failures = new Set<string>()
  for (const [i, name] of failed.entries()) {
    check.unique(failures, name, failedAt.index(i))
    if (!names.has(name)) continue
    check.invalid(failedAt.index(i), name, 'bindingFailureConditions must not overlap with bindingConditions')
  }
  if (wanted.length === 0 && failed.length > 0) {
    check.invalid(wantedAt, undefined, 'bindingConditions are required to use bindingFailureConditions')
  }
  if (failed.length === 0 && wanted.length > 0) {
    check.invalid(failedAt, undefined, 'bindingFailureConditions are required to use bindingConditions')
  }
}
