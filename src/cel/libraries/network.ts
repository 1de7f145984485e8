// IP addresses and CIDR ranges.
import { isIPv4, isIPv6 } from 'node:net'
import { bitsOfIpv4, bitsOfIpv6 } from '../../lib/ip-bits.ts'
import { define, type FunctionDefinition } from '../function.ts'
import { type CelValue, Fault, OpaqueValue } from '../value.ts'

class Ip extends OpaqueValue {
  readonly typeName = 'net.IP'
  readonly family: 4 | 6
  readonly bits: bigint
  override readonly size: number

  constructor(family: 4 | 6, bits: bigint) {
    super()
    this.family = family
    this.bits = bits
    this.size = family === 4 ? 4 : 16
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && this.family === other.family && this.bits === other.bits
  }

  /** Whether its first bits are those of the prefix. */
  startsWith(prefix: bigint, length: number): boolean {
    return this.bits >> BigInt(width(this.family) - length) === prefix
  }
}

class Cidr extends OpaqueValue {
  readonly typeName = 'net.CIDR'
  readonly address: Ip
  readonly length: number
  override readonly size: number

  constructor(address: Ip, length: number) {
    super()
    this.address = address
    this.length = length
    this.size = Math.ceil(length / 8)
  }

  get prefix(): bigint {
    return this.address.bits >> BigInt(width(this.address.family) - this.length)
  }

  contains(ip: Ip): boolean {
    return ip.family === this.address.family && ip.startsWith(this.prefix, this.length)
  }

  masked(): Cidr {
    const { family } = this.address
    return new Cidr(new Ip(family, this.prefix << BigInt(width(family) - this.length)), this.length)
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && this.length === other.length && this.address.equals(other.address)
  }
}

const width = (family: 4 | 6): number => (family === 4 ? 32 : 128)
const MAX_ADDRESS = 64

function parseIp(text: string): Ip | Fault {
  if (text.length > MAX_ADDRESS) return notAnIp(text)
  if (isIPv4(text)) return new Ip(4, bitsOfIpv4(text))
  if (!isIPv6(text)) return notAnIp(text)
  if (text.includes('%')) return new Fault(`IP address ${JSON.stringify(text)} with zone value is not allowed`)
  const bits = bitsOfIpv6(text)
  if (bits >> 32n === 0xffffn) return new Fault(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  return new Ip(6, bits)
}

function notAnIp(text: string): Fault {
  const quoted = JSON.stringify(text)
  return new Fault(
    `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
  )
}

/** The canonical form. The platform makes it for IPv6 addresses. */
function formatIp({ family, bits }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.')
  const words = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  return new URL(`http://[${words.join(':')}]`).hostname.slice(1, -1)
}

function parseCidr(text: string): Cidr | Fault {
  const fault = new Fault(
    `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
  )
  const slash = text.lastIndexOf('/')
  if (slash < 0 || text.length > MAX_ADDRESS) return fault
  const address = parseIp(text.slice(0, slash))
  const length = /^(?:0|[1-9][0-9]{0,2})$/.test(text.slice(slash + 1)) ? Number(text.slice(slash + 1)) : undefined
  if (address instanceof Fault || length === undefined || length > width(address.family)) {
    return new Fault(fault.message.replace(/: no '\/'$/, ': bad bits after slash'))
  }
  return new Cidr(address, length)
}

function is(name: string, id: string, of: (ip: Ip) => boolean): FunctionDefinition {
  return define(name, [`ip_${id}: net.IP.() bool`], ([ip]: [Ip]) => of(ip))
}

const isLoopback = (ip: Ip): boolean => (ip.family === 4 ? ip.startsWith(127n, 8) : ip.bits === 1n)
const isLinkLocal = (ip: Ip): boolean => (ip.family === 4 ? ip.startsWith(0xa9fen, 16) : ip.startsWith(0x3fan, 10))
const isMulticast = (ip: Ip): boolean => (ip.family === 4 ? ip.startsWith(0xen, 4) : ip.startsWith(0xffn, 8))
const isLocalMulticast = (ip: Ip): boolean =>
  ip.family === 4 ? ip.startsWith(0xe00000n, 24) : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n

function isGlobal(ip: Ip): boolean {
  if (ip.bits === 0n || (ip.family === 4 && ip.bits === 0xffffffffn)) return false
  return !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip)
}

function isCanonical([text]: [string]): CelValue {
  const ip = parseIp(text)
  return ip instanceof Fault ? ip : formatIp(ip) === text
}

function containsIp([range, other]: [Cidr, Ip | string]): CelValue {
  const ip = typeof other === 'string' ? parseIp(other) : other
  return ip instanceof Fault ? ip : range.contains(ip)
}

function containsCidr([range, other]: [Cidr, Cidr | string]): CelValue {
  const inner = typeof other === 'string' ? parseCidr(other) : other
  if (inner instanceof Fault) return inner
  return range.length <= inner.length && range.contains(inner.address)
}

const isIp = ([text]: [string]): boolean => !(parseIp(text) instanceof Fault)
const isCidr = ([text]: [string]): boolean => !(parseCidr(text) instanceof Fault)
const format = ([value]: [Ip | Cidr]): string =>
  value instanceof Ip ? formatIp(value) : `${formatIp(value.address)}/${value.length}`

export const NETWORK: readonly FunctionDefinition[] = [
  define('ip', ['string_to_ip: (string) net.IP'], ([text]: [string]) => parseIp(text)),
  define('isIP', ['is_ip: (string) bool'], isIp),
  define('ip.isCanonical', ['ip_is_canonical: (string) bool'], isCanonical),
  define('family', ['ip_family: net.IP.() int'], ([ip]: [Ip]) => BigInt(ip.family)),
  is('isUnspecified', 'is_unspecified', (ip) => ip.bits === 0n),
  is('isLoopback', 'is_loopback', isLoopback),
  is('isLinkLocalMulticast', 'is_link_local_multicast', isLocalMulticast),
  is('isLinkLocalUnicast', 'is_link_local_unicast', isLinkLocal),
  is('isGlobalUnicast', 'is_global_unicast', isGlobal),
  define('cidr', ['string_to_cidr: (string) net.CIDR'], ([text]: [string]) => parseCidr(text)),
  define('isCIDR', ['is_cidr: (string) bool'], isCidr),
  define(
    'containsIP',
    ['cidr_contains_ip_string: net.CIDR.(string) bool', 'cidr_contains_ip_ip: net.CIDR.(net.IP) bool'],
    containsIp,
  ),
  define(
    'containsCIDR',
    ['cidr_contains_cidr_string: net.CIDR.(string) bool', 'cidr_contains_cidr: net.CIDR.(net.CIDR) bool'],
    containsCidr,
  ),
  define('ip', ['cidr_ip: net.CIDR.() net.IP'], ([range]: [Cidr]) => range.address),
  define('prefixLength', ['cidr_prefix_length: net.CIDR.() int'], ([range]: [Cidr]) => BigInt(range.length)),
  define('masked', ['cidr_masked: net.CIDR.() net.CIDR'], ([range]: [Cidr]) => range.masked()),
  define('string', ['ip_to_string: (net.IP) string', 'cidr_to_string: (net.CIDR) string'], format),
]
