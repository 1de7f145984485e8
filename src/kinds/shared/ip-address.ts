// IP addresses and CIDRs in fields. New values must be unambiguous: no leading zeros, no IPv4-mapped IPv6 addresses, no bits beyond the
// prefix. Stored values may stay.
import type { FieldPath } from '../../api/field-path.ts'
import {
  canonicalIp,
  isLinkLocal,
  isLocalMulticast,
  isLoopback,
  parseCidr,
  type ParsedCidr,
  parseIp,
} from '../../lib/ip-bits.ts'
import type { Check } from '../../schema/validation/check.ts'

interface OldValues {
  /** Values of the stored object. They stay valid. */
  readonly stored?: ReadonlySet<string>
}

export function checkIp(text: string, at: FieldPath, check: Check, { stored }: OldValues = {}): void {
  if (stored?.has(text) === true) return
  const fault = ipFault(text, check.gate('StrictIPCIDRValidation'))
  if (fault !== undefined) check.invalid(at, text, fault)
}

function ipFault(text: string, isStrict: boolean): string | undefined {
  const ip = parseIp(text)
  if (ip === undefined) return 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
  if (isStrict && ip.padded) return 'must not have leading 0s'
  return isStrict && ip.mapped ? 'must not be an IPv4-mapped IPv6 address' : undefined
}

/** The fault of a text that is not an address in its canonical form, which newer fields require. */
export function canonicalIpFaults(text: string): readonly string[] {
  const fault = ipFault(text, true)
  return fault === undefined ? canonicalFaults(text, canonicalIp(text)) : [fault]
}

/** The fault of a CIDR that is not in its canonical form. `checkCidr` has found the CIDR valid. */
export function canonicalCidrFaults(text: string): readonly string[] {
  const [address = '', length = ''] = text.split('/')
  return canonicalFaults(text, `${canonicalIp(address)}/${length}`)
}

function canonicalFaults(text: string, canonical: string): readonly string[] {
  return canonical === text ? [] : [`must be in canonical form ("${canonical}")`]
}

/** Returns the parsed CIDR. Undefined: the text is not a CIDR. */
export function checkCidr(
  text: string,
  at: FieldPath,
  check: Check,
  { stored }: OldValues = {},
): ParsedCidr | undefined {
  const cidr = parseCidr(text)
  if (stored?.has(text) === true) return cidr
  if (cidr === undefined) {
    check.invalid(at, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')
  } else if (!check.gate('StrictIPCIDRValidation')) return cidr
  else if (cidr.padded) check.invalid(at, text, 'must not have leading 0s in IP or prefix length')
  else if (cidr.address.mapped) check.invalid(at, text, 'must not have an IPv4-mapped IPv6 address')
  else if (cidr.base !== cidr.address.bits) check.invalid(at, text, 'must not have bits set beyond the prefix length')
  return cidr
}

/** The address of an endpoint must not be loopback, link-local or unspecified. */
export function checkEndpointIp(text: string, at: FieldPath, check: Check): void {
  const ip = parseIp(text)
  if (ip === undefined) {
    check.invalid(at, text, 'must be a valid IP address')
    return
  }
  if (ip.bits === 0n) check.invalid(at, text, `may not be unspecified (${text})`)
  if (isLoopback(ip)) check.invalid(at, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')
  if (isLinkLocal(ip)) check.invalid(at, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  if (isLocalMulticast(ip)) {
    check.invalid(at, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
  }
}

/** Whether the addresses are of both families. Undefined: a text is not an address. */
export function isDualStack(texts: readonly string[]): boolean | undefined {
  const families = texts.map((text) => parseIp(text)?.family)
  if (families.includes(undefined)) return undefined
  return families.includes('IPv4') && families.includes('IPv6')
}

/** The stored values of a field, which may stay. */
export function storedTexts(stored: readonly string[] | undefined): OldValues {
  return stored === undefined ? {} : { stored: new Set(stored) }
}
