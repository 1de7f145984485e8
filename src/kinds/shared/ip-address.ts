// IP addresses and CIDRs in fields. New values must be unambiguous: no leading zeros, no IPv4-mapped IPv6 addresses, no bits beyond
// the prefix; stored values may stay.
import { isIPv6 } from 'node:net'
import type { FieldPath } from '../../api/field-path.ts'
import { bitsOfIpv6 } from '../../lib/ip-bits.ts'
import type { Check } from '../../schema/validation/check.ts'

interface IpAddress {
  readonly family: 'IPv4' | 'IPv6'
  /** The address as one number. An IPv4 address in the form of IPv6 counts as IPv4. */
  readonly bits: bigint
  /** IPv4-mapped IPv6. */
  readonly mapped: boolean
  /** Has leading zeros. */
  readonly padded: boolean
}

const MAX_LENGTH = 64
const MAPPED = 0xffffn << 32n
const ZERO = '0'.charCodeAt(0)

/** Undefined: the text is not an address. Leading zeros are ignored, as in old versions of Go. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > MAX_LENGTH) return undefined
  if (!text.includes(':')) {
    const bits = bitsOfParts(text)
    if (bits === undefined) return undefined
    return { family: 'IPv4', bits: BigInt(bits), mapped: false, padded: /(?:^|\.)0\d/.test(text) }
  }
  if (text.includes('%')) return undefined
  const colon = text.lastIndexOf(':')
  const tail = text.slice(colon + 1)
  const plainTail = tail.includes('.') ? withoutLeadingZeros(tail) : tail
  const plain = text.slice(0, colon + 1) + plainTail
  if (!isIPv6(plain)) return undefined
  const bits = bitsOfIpv6(plain)
  const mapped = bits >> 32n === 0xffffn
  return { family: mapped ? 'IPv4' : 'IPv6', bits: mapped ? bits - MAPPED : bits, mapped, padded: plainTail !== tail }
}

/** The number of an IPv4 address. Undefined: the text is not an address. One loop, because an object may have 200,000 of them. */
function bitsOfParts(text: string): number | undefined {
  let [bits, part, digits, parts] = [0, 0, 0, 1]
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit >= 0 && digit <= 9) {
      part = part * 10 + digit
      digits++
      if (part > 255) return undefined
    } else {
      if (text[i] !== '.' || digits === 0) return undefined
      bits = bits * 256 + part
      part = digits = 0
      parts++
    }
  }
  return parts === 4 && digits > 0 ? bits * 256 + part : undefined
}

function withoutLeadingZeros(text: string): string {
  return text.replace(/(^|\.)0+(?=\d)/g, '$1')
}

interface Cidr {
  readonly address: IpAddress
  readonly prefixLength: number
  readonly padded: boolean
  /** The first address of the range. */
  readonly base: bigint
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const length = text.slice(slash + 1)
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  if (address === undefined || !/^\d{1,3}$/.test(length)) return undefined
  const width = text.slice(0, slash).includes(':') ? 128 : 32
  const prefixLength = Number(length)
  if (prefixLength > width) return undefined
  const shift = BigInt(width - prefixLength)
  const padded = address.padded || (length.length > 1 && length.startsWith('0'))
  return { address, prefixLength, padded, base: (address.bits >> shift) << shift }
}

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

/** The same for a CIDR, which `checkCidr` has found valid. */
export function canonicalCidrFaults(text: string): readonly string[] {
  const [address = '', length = ''] = text.split('/')
  return canonicalFaults(text, `${canonicalIp(address)}/${length}`)
}

function canonicalFaults(text: string, canonical: string): readonly string[] {
  return canonical === text ? [] : [`must be in canonical form ("${canonical}")`]
}

/** In the one form of RFC 5952. */
export function canonicalIp(text: string): string {
  return text.includes(':') ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text
}

/** Returns the parsed CIDR if the text is one. */
export function checkCidr(text: string, at: FieldPath, check: Check, { stored }: OldValues = {}): Cidr | undefined {
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

const V4_LOOPBACK = 127n
const V6_LOOPBACK = 1n

/** An address of an endpoint: not loopback, link-local or unspecified. */
export function checkEndpointIp(text: string, at: FieldPath, check: Check): void {
  const ip = parseIp(text)
  if (ip === undefined) {
    check.invalid(at, text, 'must be a valid IP address')
    return
  }
  const { bits, family } = ip
  const isV4 = family === 'IPv4'
  if (bits === 0n) check.invalid(at, text, `may not be unspecified (${text})`)
  if (isV4 ? bits >> 24n === V4_LOOPBACK : bits === V6_LOOPBACK) {
    check.invalid(at, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')
  }
  if (isV4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0xfe80n >> 6n) {
    check.invalid(at, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  }
  if (isV4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n) {
    check.invalid(at, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
  }
}

/** Two addresses, one of each family; undefined if one is not an address. */
export function isDualStack(texts: readonly string[]): boolean | undefined {
  const families = texts.map((text) => parseIp(text)?.family)
  if (families.includes(undefined)) return undefined
  return families.includes('IPv4') && families.includes('IPv6')
}

/** The stored values of a field, which may stay. */
export function storedTexts(stored: readonly string[] | undefined): OldValues {
  return stored === undefined ? {} : { stored: new Set(stored) }
}
