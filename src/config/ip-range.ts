// The range of cluster IPs in CIDR notation, and its first address.
import { parseCidr, textOfIp, WIDTH } from '../lib/ip-bits.ts'

export interface Range {
  /** The original text. */
  readonly text: string
  /** The address of the service `kubernetes`. */
  readonly firstAddress: string
}

/** Undefined: the text is not a range, or the range is too small for an address. */
export function parseRange(text: string): Range | undefined {
  const range = parseCidr(text)
  if (range === undefined || range.address.padded || range.address.mapped) return undefined
  const { family } = range.address
  if (range.prefixLength > WIDTH[family] - 2) return undefined
  return { text, firstAddress: textOfIp({ family, bits: range.base + 1n }) }
}
