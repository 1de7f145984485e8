// A range of cluster IPs, as a base and offsets.
import { isIPv4, isIPv6 } from 'node:net'
import { InvariantError } from '../../../lib/errors.ts'
import { bitsOf, canonicalIp, type IpFamily, textOfIp, WIDTH } from '../../../lib/ip-bits.ts'

export interface AddressRange {
  /** The range as the operator wrote it: `10.96.0.0/16`. */
  readonly text: string
  readonly family: IpFamily
  readonly base: bigint
  /** The first and the last offset that can be allocated. The network address, and the broadcast address of IPv4, are not allocated. */
  readonly first: bigint
  readonly last: bigint
  /** Offsets below this one are for static allocation. Dynamic allocation takes them last (W-541). */
  readonly dynamicFrom: bigint
}

/** Larger ranges are used up to this size. */
const MAX_HOST_BITS = 64

export function addressRange(text: string): AddressRange {
  const [address = '', prefix = ''] = text.split('/')
  const family = familyOf(address)
  if (family === undefined) throw new InvariantError(`${text} is not a range of addresses`)
  const hostBits = WIDTH[family] - Number(prefix)
  const base = (bitsOf(withoutZone(address)) >> BigInt(hostBits)) << BigInt(hostBits)
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

/** The offset of an address. Undefined: the address cannot be allocated. */
export function offsetOf(range: AddressRange, address: string): bigint | undefined {
  if (familyOf(address) !== range.family) return undefined
  const offset = bitsOf(withoutZone(address)) - range.base
  return offset < range.first || offset > range.last ? undefined : offset
}

export function addressAt({ family, base }: AddressRange, offset: bigint): string {
  return textOfIp({ family, bits: base + offset })
}

export function canonicalAddress(address: string): string {
  return canonicalIp(withoutZone(address))
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0]!
}
