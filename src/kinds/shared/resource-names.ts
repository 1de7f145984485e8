// The names of resources in containers, quotas and limit ranges, and their amounts.
import { shownJson } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { Value } from '../../api/value.ts'
import { parseQuantity, type Quantity, scaledValue, signOfQuantity } from '../../lib/quantity.ts'
import type { Check } from '../../schema/validation/check.ts'
import { NOT_NEGATIVE, qualifiedName } from '../../schema/validation/formats.ts'

const COMPUTE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']

const COUNTS: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]

const QUOTA_AMOUNTS: readonly string[] = [
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]

const QUOTA: ReadonlySet<string> = new Set([...COMPUTE, ...COUNTS, ...QUOTA_AMOUNTS])

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-')
}

export function isStandardQuotaName(name: string): boolean {
  return QUOTA.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-')
}

/** Whether the name has no domain, or is in kubernetes.io. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

/** Whether the name is an extended resource: `example.com/device`. */
export function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0
}

export function isOvercommittable(name: string): boolean {
  return isNative(name) && !isHugePages(name)
}

/** Whether the name is valid. A name without a domain must also be known. */
export function checkResourceName(name: string, at: FieldPath, check: Check): boolean {
  const faults = qualifiedName(name)
  for (const fault of faults) check.invalid(at, shownJson(name), fault)
  if (faults.length > 0) return false
  if (name.includes('/') || name === 'storage' || isStandardQuotaName(name)) return true
  check.invalid(at, shownJson(name), 'must be a standard resource type or fully qualified')
  return false
}

export type NameRule = (name: string, at: FieldPath, check: Check) => void

export const checkContainerResourceName: NameRule = (name, at, check) => {
  if (COMPUTE.includes(name)) return
  checkResourceName(name, at, check)
  if (!name.includes('/')) {
    if (!isHugePages(name)) check.invalid(at, shownJson(name), 'must be a standard resource for containers')
  } else if (!isNative(name) && !isExtended(name)) {
    check.invalid(at, shownJson(name), "doesn't follow extended resource name standard")
  }
}

export const checkPodResourceName: NameRule = (name, at, check) => {
  if (!checkResourceName(name, at, check)) return
  if (name !== 'cpu' && name !== 'memory' && !isHugePages(name)) {
    check.notSupported(at, shownJson(name), ['cpu', 'hugepages-', 'memory'])
  }
}

export const checkQuotaResourceName: NameRule = (name, at, check) => {
  checkResourceName(name, at, check)
  if (!name.includes('/') && !isStandardQuotaName(name)) {
    check.invalid(at, shownJson(name), 'must be a standard resource for quota')
  }
}

/** Undefined: the value is not a quantity. Decoding has refused such values. */
export function amountOf(value: Value | undefined): Quantity | undefined {
  if (typeof value !== 'string') return undefined
  const parsed = parseQuantity(value)
  return parsed.ok ? parsed.quantity : undefined
}

export function checkNotNegativeAmount(value: Value | undefined, at: FieldPath, check: Check): void {
  const amount = amountOf(value)
  if (amount !== undefined && signOfQuantity(amount) < 0) check.invalid(at, value, NOT_NEGATIVE)
}

export function checkPositiveAmount(value: Value | undefined, at: FieldPath, check: Check): void {
  const amount = amountOf(value)
  if (amount !== undefined && signOfQuantity(amount) <= 0) check.invalid(at, value, 'must be greater than zero')
}

/** The amount must not be negative. It must be an integer if the resource is counted. */
export function checkAmount(name: string, value: Value | undefined, at: FieldPath, check: Check): void {
  checkNotNegativeAmount(value, at, check)
  if (!COUNTS.includes(name) && !isExtended(name)) return
  const amount = amountOf(value)
  if (amount !== undefined && scaledValue(amount, -3) % 1000n !== 0n) check.invalid(at, value, 'must be an integer')
}

export function checkHugePages(name: string, value: Value | undefined, at: FieldPath, check: Check): void {
  if (!isHugePages(name)) return
  const size = amountOf(name.slice('hugepages-'.length))
  const amount = amountOf(value)
  if (amount === undefined) return
  const whole = size !== undefined && signOfQuantity(size) > 0 && scaledValue(size, -3) % 1000n === 0n
  if (!whole || scaledValue(amount, 0) % scaledValue(size, 0) !== 0n) {
    check.invalid(at, value, `${amountText(value)} is not positive integer multiple of ${name}`)
  }
}

/** An amount inside a message. */
export function amountText(value: Value | undefined): string {
  return typeof value === 'string' ? value : '0'
}

/** The amount must not be negative. The fault shows the amount as an integer. */
export function checkBasicAmount(value: Value | undefined, at: FieldPath, check: Check): void {
  const amount = amountOf(value)
  const whole = amount === undefined ? 0n : scaledValue(amount, 0)
  if (whole < 0n) check.invalid(at, whole, 'must be a valid resource quantity')
}
