// IP addresses and CIDR ranges.
import { isIPv6 } from 'node:net'
import {
  hasPrefix,
  type IpBits,
  type IpFamily,
  isLinkLocal,
  isLocalMulticast,
  isLoopback,
  parseCidr as readCidr,
  parseIp as readIp,
  textOfIp,
  WIDTH,
} from '../../lib/ip-bits.ts'
import { define, type FunctionDefinition } from '../function.ts'
import { type CelValue, Fault, OpaqueValue } from '../value.ts'

class Ip extends OpaqueValue implements IpBits {
  readonly typeName = 'net.IP'
  readonly family: IpFamily
  readonly bits: bigint
  override readonly size: number

  constructor({ family, bits }: IpBits) {
    super()
    this.family = family
    this.bits = bits
    this.size = WIDTH[family] / 8
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && this.family === other.family && this.bits === other.bits
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
    return this.address.bits >> BigInt(WIDTH[this.address.family] - this.length)
  }

  contains(ip: Ip): boolean {
    return ip.family === this.address.family && hasPrefix(ip, this.prefix, this.length)
  }

  masked(): Cidr {
    const { family } = this.address
    const bits = this.prefix << BigInt(WIDTH[family] - this.length)
    return new Cidr(new Ip({ family, bits }), this.length)
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && this.length === other.length && this.address.equals(other.address)
  }
}

const MAX_ADDRESS = 64

function parseIp(text: string): Ip | Fault {
  if (text.length > MAX_ADDRESS) return notAnIp(text)
  if (text.includes('%') && isIPv6(text)) {
    return new Fault(`IP address ${JSON.stringify(text)} with zone value is not allowed`)
  }
  const ip = readIp(text)
  if (ip === undefined || ip.padded) return notAnIp(text)
  return ip.mapped ? new Fault(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`) : new Ip(ip)
}

function notAnIp(text: string): Fault {
  const quoted = JSON.stringify(text)
  return new Fault(
    `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
  )
}

function parseCidr(text: string): Cidr | Fault {
  const fault = new Fault(
    `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
  )
  if (!text.includes('/') || text.length > MAX_ADDRESS) return fault
  const cidr = readCidr(text)
  if (cidr === undefined || cidr.padded || cidr.address.mapped) {
    return new Fault(fault.message.replace(/: no '\/'$/, ': bad bits after slash'))
  }
  return new Cidr(new Ip(cidr.address), cidr.prefixLength)
}

function is(name: string, id: string, of: (ip: Ip) => boolean): FunctionDefinition {
  return define(name, [`ip_${id}: net.IP.() bool`], ([ip]: [Ip]) => of(ip))
}

const isMulticast = (ip: Ip): boolean => (ip.family === 'IPv4' ? hasPrefix(ip, 0xen, 4) : hasPrefix(ip, 0xffn, 8))

function isGlobal(ip: Ip): boolean {
  if (ip.bits === 0n || (ip.family === 'IPv4' && ip.bits === 0xffffffffn)) return false
  return !isLoopback(ip) && !isMulticast(ip) && !isLinkLocal(ip)
}

function isCanonical([text]: [string]): CelValue {
  const ip = parseIp(text)
  return ip instanceof Fault ? ip : textOfIp(ip) === text
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
  value instanceof Ip ? textOfIp(value) : `${textOfIp(value.address)}/${value.length}`

export const NETWORK: readonly FunctionDefinition[] = [
  define('ip', ['string_to_ip: (string) net.IP'], ([text]: [string]) => parseIp(text)),
  define('isIP', ['is_ip: (string) bool'], isIp),
  define('ip.isCanonical', ['ip_is_canonical: (string) bool'], isCanonical),
  define('family', ['ip_family: net.IP.() int'], ([ip]: [Ip]) => BigInt(ip.family.slice(3))),
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
