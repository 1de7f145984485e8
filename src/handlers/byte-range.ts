// The `Range` header. The answer to several ranges is the whole document, which HTTP allows.
export type ByteRange =
  | { readonly kind: 'whole' }
  /** Both bytes are included. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  /** The header has no valid range. `beyond`: the range begins after the end. */
  | { readonly kind: 'none'; readonly beyond: boolean }

const WHOLE: ByteRange = { kind: 'whole' }
const NOT_UNDERSTOOD: ByteRange = { kind: 'none', beyond: false }
const UNIT = 'bytes='

export function byteRangeOf(header: string, size: number): ByteRange {
  if (header === '') return WHOLE
  if (!header.startsWith(UNIT)) return NOT_UNDERSTOOD
  const texts = header
    .slice(UNIT.length)
    .split(',')
    .map((text) => text.trim())
  const ranges = texts.filter((text) => text !== '').map((text) => oneOf(text, size))
  if (ranges.some((range) => range.kind === 'none' && !range.beyond)) return NOT_UNDERSTOOD
  const parts = ranges.filter((range) => range.kind === 'part')
  if (parts.length === 0) return ranges[0] ?? WHOLE
  return parts.length === 1 ? parts[0]! : WHOLE
}

function oneOf(text: string, size: number): ByteRange {
  const match = /^(\d{0,15})\s*-\s*(\d{0,15})$/.exec(text)
  const [from, to] = [match?.[1] ?? '', match?.[2] ?? '']
  if (match === null || (from === '' && to === '')) return NOT_UNDERSTOOD
  if (from === '') return { kind: 'part', first: Math.max(0, size - Number(to)), last: size - 1 }
  const first = Number(from)
  if (first >= size) return { kind: 'none', beyond: true }
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return to !== '' && Number(to) < first ? NOT_UNDERSTOOD : { kind: 'part', first, last }
}
