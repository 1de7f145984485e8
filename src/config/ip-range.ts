// The range of cluster IPs in CIDR notation, and its first address.
import { BlockList, isIPv4, isIPv6 } from 'node:net'

export interface Range {
  /** The original text. */
  readonly text: string
  /** The address of the service `kubernetes`. */
  readonly firstAddress: string
}

/** Undefined: the text is not a range, or the range is too small for an address. */
export function parseCidr(text: string): Range | undefined {
  const [base = '', bits = '', ...more] = text.split('/')
  const size = /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (more.length > 0 || size < 0) return undefined
  if (isIPv4(base) && size <= 30) return { text, firstAddress: firstIpv4(base, size) }
  if (!isIPv6(base) || size > 126) return undefined
  const within = new BlockList()
  within.addSubnet(base, size, 'ipv6')
  const first = base.endsWith('::') ? `${base}1` : undefined
  return first !== undefined && within.check(first, 'ipv6') ? { text, firstAddress: first } : undefined
}

function firstIpv4(base: string, size: number): string {
  const number = base.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const first = Math.floor(number / 2 ** (32 - size)) * 2 ** (32 - size) + 1
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')
}
