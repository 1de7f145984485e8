// A range of cluster IPs, as a base and offsets.
import { isIPv4, isIPv6 } from 'node:net'
import { InvariantError } from '../../../lib/errors.ts'
import { bitsOfIpv4, bitsOfIpv6 } from '../../../lib/ip-bits.ts'
import { canonicalIp } from '../../shared/ip-address.ts'

export type IpFamily = 'IPv4' | 'IPv6'

export interface AddressRange {
  /** As it was written: `10.96.0.0/16`. */
  readonly text: string
  readonly family: IpFamily
  readonly base: bigint
  /** The offsets that are allocated: neither the network address nor, in IPv4, the broadcast address. */
  readonly first: bigint
  readonly last: bigint
  /** Offsets below it are for static allocation, and dynamically allocated last (W-541). */
  readonly dynamicFrom: bigint
}

const BITS: Readonly<Record<IpFamily, number>> = { IPv4: 32, IPv6: 128 }

/** Larger ranges are used up to this size. */
const MAX_HOST_BITS = 64

export function addressRange(text: string): AddressRange {
  const [address = '', prefix = ''] = text.split('/')
  const family = familyOf(address)
  if (family === undefined) throw new InvariantError(`${text} is not a range of addresses`)
  const hostBits = BITS[family] - Number(prefix)
  const base = (numberOf(address) >> BigInt(hostBits)) << BigInt(hostBits)
  const size = 1n << BigInt(Math.min(hostBits, MAX_HOST_BITS))
  return {
    text,
    family,
    base,
    first: 1n,
    last: size - (family === 'IPv4' ? 2n : 1n),
    dynamicFrom: staticBand(size) + 1n,
  }
}

/** The number of addresses of the range that services can have. */
export function addressCount(text: string): number {
  const { first, last } = addressRange(text)
  return Number(last - first + 1n)
}

function staticBand(size: bigint): bigint {
  if (size <= 16n) return 0n
  const share = size / 16n
  return share < 16n ? 16n : share > 256n ? 256n : share
}

export function familyOf(address: string): IpFamily | undefined {
  return isIPv4(address) ? 'IPv4' : isIPv6(address) ? 'IPv6' : undefined
}

/** The offset of an address that can be allocated; undefined for any other. */
export function offsetOf(range: AddressRange, address: string): bigint | undefined {
  if (familyOf(address) !== range.family) return undefined
  const offset = numberOf(address) - range.base
  return offset < range.first || offset > range.last ? undefined : offset
}

export function addressAt({ family, base }: AddressRange, offset: bigint): string {
  const number = base + offset
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  return canonicalIp(groups.join(':'))
}

export function canonicalAddress(address: string): string {
  return canonicalIp(withoutZone(address))
}

function numberOf(address: string): bigint {
  return isIPv4(address) ? bitsOfIpv4(address) : bitsOfIpv6(withoutZone(address))
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0]!
}
