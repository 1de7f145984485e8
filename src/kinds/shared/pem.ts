// Certificates and certificate requests in PEM: whether the blocks are complete and have the right content.
import { X509Certificate } from 'node:crypto'
import { subjectOfRequest } from '../../pki/certificate-names.ts'

interface Block {
  readonly type: string
  readonly headers: boolean
  readonly text: string
}

/** The largest text that is read: far more than any chain in use. */
const MAX_BYTES = 1024 * 1024

function blocksIn(text: string): readonly Block[] {
  const blocks: Block[] = []
  if (text.length > MAX_BYTES) return blocks
  for (let at = 0; at < text.length; ) {
    const begin = text.indexOf('-----BEGIN ', at)
    const typeEnd = begin < 0 ? -1 : text.indexOf('-----', begin + 11)
    if (typeEnd < 0) break
    const type = text.slice(begin + 11, typeEnd)
    const closing = `-----END ${type}-----`
    const end = type.includes('\n') ? -1 : text.indexOf(closing, typeEnd)
    if (end < 0) break
    blocks.push({
      type,
      headers: text.slice(typeEnd + 5, end).includes(':'),
      text: text.slice(begin, end + closing.length),
    })
    at = end + closing.length
  }
  return blocks
}

export function requestFault(text: string): string | undefined {
  const [block] = blocksIn(text)
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  const inner = block.text.slice(block.text.indexOf('-----', 5) + 5, block.text.lastIndexOf('-----END'))
  const der = Buffer.from(inner, 'base64')
  return subjectOfRequest(der) === undefined ? 'asn1: syntax error: malformed certificate request' : undefined
}

export function certificateFault(text: string): string | undefined {
  const blocks = blocksIn(text)
  for (const { type, headers, text: whole } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found "${type}"`
    if (headers) return 'no PEM block headers are permitted'
    if (!parses(whole)) return 'failed to parse certificate'
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined
}

/** The fault of a CA bundle in base64. An empty bundle is valid. */
export function authorityFault(base64: string): string | undefined {
  if (base64 === '') return undefined
  const text = Buffer.from(base64, 'base64').toString('latin1')
  const blocks = blocksIn(text)
  const why = blocks.length === 0 ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen'
  const isUsable = blocks.some(({ type, headers, text: whole }) => type === 'CERTIFICATE' && !headers && parses(whole))
  return isUsable ? undefined : `unable to load root certificates: ${why}`
}

function parses(certificate: string): boolean {
  return parsed(certificate) !== undefined
}

function parsed(certificate: string): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate)
  } catch {
    return undefined
  }
}

/** The faults of a bundle of certificate authorities. A certificate may be in a bundle only once. */
export function anchorFaults(text: string): readonly string[] {
  const places = new Map<string, number[]>()
  const faults = blocksIn(text).flatMap(({ type, headers, text: whole }, i) => {
    if (type !== 'CERTIFICATE') return [`entry ${i} has bad block type: ${type}`]
    if (headers) return [`entry ${i} has PEM block headers`]
    const certificate = parsed(whole)
    if (certificate === undefined) return [`entry ${i} does not parse as X.509`]
    if (!certificate.ca) return [`entry ${i} does not have the CA bit set`]
    places.set(certificate.fingerprint256, [...(places.get(certificate.fingerprint256) ?? []), i])
    return []
  })
  if (faults.length > 0) return faults
  if (places.size === 0) return ['at least one trust anchor must be provided']
  return [...places.values()]
    .filter((same) => same.length > 1)
    .map((same) => `duplicate trust anchor (indices [${same.join(' ')}])`)
}

/** The times of the first certificate of a chain. A text is the fault of the chain. */
export function leafOf(chain: string): { readonly notBeforeMs: number; readonly notAfterMs: number } | string {
  const [first, ...others] = blocksIn(chain)
  if (first === undefined) return 'issued certificate chain must contain at least one certificate'
  if ([first, ...others].some(({ type }) => type !== 'CERTIFICATE'))
    return 'issued certificate chain must consist entirely of CERTIFICATE PEM blocks'
  const leaf = parsed(first.text)
  if (leaf === undefined) return 'leaf certificate does not parse as valid X.509'
  if (others.some(({ text }) => !parses(text))) return 'intermediate certificate does not parse as valid X.509'
  return { notBeforeMs: leaf.validFromDate.getTime(), notAfterMs: leaf.validToDate.getTime() }
}
