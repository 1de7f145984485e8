// IP addresses and ranges as numbers.
import { isIPv6 } from 'node:net'

export type IpFamily = 'IPv4' | 'IPv6'

export interface IpBits {
  readonly family: IpFamily
  readonly bits: bigint
}

export interface ParsedIp extends IpBits {
  /** The text is an IPv4-mapped IPv6 address. Its family is IPv4, and so are its bits. */
  readonly mapped: boolean
  /** The text has leading zeros. */
  readonly padded: boolean
}

export interface ParsedCidr {
  readonly address: ParsedIp
  readonly prefixLength: number
  /** The address or the length has leading zeros. */
  readonly padded: boolean
  /** The first address of the range. */
  readonly base: bigint
}

const MAPPED = 0xffffn << 32n
const ZERO = '0'.charCodeAt(0)

/** Undefined: the text is not an address, or has a zone. Leading zeros are ignored, as in old versions of Go. */
export function parseIp(text: string): ParsedIp | undefined {
  if (!text.includes(':')) {
    const bits = bitsOfParts(text)
    if (bits === undefined) return undefined
    return { family: 'IPv4', bits: BigInt(bits), mapped: false, padded: /(?:^|\.)0\d/.test(text) }
  }
  if (text.includes('%')) return undefined
  const colon = text.lastIndexOf(':')
  const tail = text.slice(colon + 1)
  const plainTail = tail.includes('.') ? tail.replace(/(^|\.)0+(?=\d)/g, '$1') : tail
  const plain = text.slice(0, colon + 1) + plainTail
  if (!isIPv6(plain)) return undefined
  const bits = bitsOf(plain)
  const mapped = bits >> 32n === 0xffffn
  return { family: mapped ? 'IPv4' : 'IPv6', bits: mapped ? bits - MAPPED : bits, mapped, padded: plainTail !== tail }
}

/** Undefined: the text is not a CIDR. */
export function parseCidr(text: string): ParsedCidr | undefined {
  const slash = text.indexOf('/')
  const length = text.slice(slash + 1)
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  if (address === undefined || !/^\d+$/.test(length)) return undefined
  const width = text.slice(0, slash).includes(':') ? 128 : 32
  const prefixLength = Number(length)
  if (prefixLength > width) return undefined
  const shift = BigInt(width - prefixLength)
  const padded = address.padded || (length.length > 1 && length.startsWith('0'))
  return { address, prefixLength, padded, base: (address.bits >> shift) << shift }
}

/** The number of a valid address without a zone. */
export function bitsOf(text: string): bigint {
  const v4 = bitsOfParts(text)
  if (v4 !== undefined) return BigInt(v4)
  const [head = '', rest] = text.split('::')
  const [before, after] = [digitsOf(head), digitsOf(rest ?? '')]
  return BigInt(`0x${before}${'0'.repeat(32 - before.length - after.length)}${after}`)
}

/** The number of an IPv4 address. Undefined: the text is not an address. It uses one loop, because an object may have 200,000 addresses. */
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

/** Four hexadecimal digits for each group of 16 bits. */
function digitsOf(text: string): string {
  if (text === '') return ''
  const digits = (part: string): string =>
    part.includes('.') ? bitsOf(part).toString(16).padStart(8, '0') : part.padStart(4, '0')
  return text.split(':').map(digits).join('')
}

export function textOfIp({ family, bits }: IpBits): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.')
  return canonicalIp(
    bits
      .toString(16)
      .padStart(32, '0')
      .replace(/.{4}(?!$)/g, '$&:'),
  )
}

/** The address in the form of RFC 5952, which Node's URL parser makes. Other texts, and addresses with a zone, stay as they are. */
export function canonicalIp(text: string): string {
  return isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text
}

/** The number of bits of an address. */
export const WIDTH: Readonly<Record<IpFamily, number>> = { IPv4: 32, IPv6: 128 }

/** Whether the first bits of the address equal the prefix. */
export function hasPrefix({ family, bits }: IpBits, prefix: bigint, length: number): boolean {
  return bits >> BigInt(WIDTH[family] - length) === prefix
}

export function isLoopback(ip: IpBits): boolean {
  return ip.family === 'IPv4' ? hasPrefix(ip, 127n, 8) : ip.bits === 1n
}

export function isLinkLocal(ip: IpBits): boolean {
  return ip.family === 'IPv4' ? hasPrefix(ip, 0xa9fen, 16) : hasPrefix(ip, 0x3fan, 10)
}

export function isLocalMulticast(ip: IpBits): boolean {
  return ip.family === 'IPv4' ? hasPrefix(ip, 0xe00000n, 24) : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n
}
