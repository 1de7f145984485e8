// The cluster IPs of a service and their families: one or two, and the first is immutable.
import { faultsOf } from '../../../api/fault-list.ts'
import { type FieldError, shownJson } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import type { ServiceSpec } from '../../../api/gen/kinds.ts'
import { parseIp } from '../../../lib/ip-bits.ts'
import { Check, type ValidationContext } from '../../../schema/validation/check.ts'
import { checkIp, isDualStack, storedTexts } from '../../shared/ip-address.ts'

const SPEC = FieldPath.root<ServiceSpec>('spec')
const ADDRESSES = SPEC.child('clusterIPs')

export function isHeadless(spec: ServiceSpec): boolean {
  const addresses = spec.clusterIPs ?? []
  return addresses.length === 1 && addresses[0] === 'None'
}

/** The faults of the addresses alone, which are checked before any address is allocated. */
export function addressFaults(spec: ServiceSpec, context: ValidationContext): readonly FieldError[] {
  return faultsOf((list) => checkAddresses(spec, undefined, new Check(context, list)))
}

export function checkAddresses(spec: ServiceSpec, old: ServiceSpec | undefined, check: Check): void {
  if ((spec.type ?? '') === 'ExternalName') return
  const first = spec.clusterIP ?? ''
  const addresses = spec.clusterIPs ?? []
  if (first !== '') {
    if (addresses.length === 0) check.required(ADDRESSES)
    else if (addresses[0] !== first) check.invalid(ADDRESSES, addresses, 'first value must match `clusterIP`')
  } else if (addresses.length > 0) {
    check.invalid(ADDRESSES, addresses, 'must be empty when `clusterIP` is not specified')
  }
  check.fields(spec, SPEC, 'core_v1.ServiceSpec', 'ipFamilies', 'ipFamilyPolicy')
  const before = check.errors.length
  checkEach(addresses, old, check)
  const hasFaults = check.errors.length > before
  if (addresses.length > 2) check.invalid(ADDRESSES, addresses, 'may only hold up to 2 values')
  if (hasFaults) return
  if (addresses.length > 1 && isDualStack(addresses) !== true) {
    check.invalid(ADDRESSES, addresses, 'may specify no more than one IP for each IP family')
  }
  checkMatch(spec, check)
}

function checkEach(addresses: readonly string[], old: ServiceSpec | undefined, check: Check): void {
  const stored = storedTexts(old?.clusterIPs)
  for (const [i, address] of addresses.entries()) {
    if (i === 0 && address === 'None') {
      if (addresses.length > 1) check.invalid(ADDRESSES, addresses, "'None' must be the first and only value")
    } else checkIp(address, ADDRESSES.index(i), check, stored)
  }
}

function checkMatch(spec: ServiceSpec, check: Check): void {
  if (isHeadless(spec)) return
  const families = spec.ipFamilies ?? []
  for (const [i, address] of (spec.clusterIPs ?? []).entries()) {
    const family = families[i]
    const actual = parseIp(address)?.family
    if (family === undefined) return
    if ((family === 'IPv4' || family === 'IPv6') && actual !== family) {
      check.invalid(ADDRESSES.index(i), address, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)
    }
  }
}

/** The second address may be added or released. The first address changes only together with the type. */
export function checkAddressChange(spec: ServiceSpec, old: ServiceSpec, check: Check): void {
  if ((spec.type ?? '') === 'ExternalName' || (old.type ?? '') === 'ExternalName') return
  if (!(isHeadless(spec) && isHeadless(old))) checkListChange(spec, old, 'clusterIPs', check)
  if (!isHeadless(spec) && !isHeadless(old)) checkListChange(spec, old, 'ipFamilies', check)
}

function checkListChange(spec: ServiceSpec, old: ServiceSpec, field: 'clusterIPs' | 'ipFamilies', check: Check): void {
  const isAddresses = field === 'clusterIPs'
  const at = SPEC.child(field)
  const word = isAddresses ? 'clusterIP' : 'ipFamily'
  const now = spec[field] ?? []
  const before = old[field] ?? []
  const shown = shownJson(now)
  if (now.length === before.length) {
    for (const [i, value] of before.entries()) {
      // The reference reports a changed family at the first family.
      if (value !== now[i]) check.invalid(at.index(isAddresses ? i : 0), shown, 'may not change once set')
    }
    return
  }
  if ((spec.clusterIPs ?? []).length === 0 && before.length > now.length) {
    check.invalid(at.index(0), shown, `primary ${word} can not be unset`)
  }
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) {
    check.invalid(at.index(0), shownJson(spec.clusterIPs ?? []), 'may not change once set')
  }
  const policy = spec.ipFamilyPolicy
  if (before.length > now.length && now.length === 1 && policy !== 'SingleStack') {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${word}`
    check.invalid(SPEC.child('ipFamilyPolicy'), policy, detail)
  }
}
