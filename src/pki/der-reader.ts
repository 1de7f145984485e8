// Reads as much of DER, the binary form of certificates, as names and certificate requests need. Malformed data reads as undefined.

export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** The element with its tag and its length. */
  readonly whole: Buffer
}

export const SEQUENCE = 0x30
export const SET = 0x31
export const INTEGER = 0x02
export const OBJECT_ID = 0x06

/** The element that fills all bytes. Undefined: the bytes are not one element. */
export function readElement(bytes: Buffer): DerElement | undefined {
  const elements = readElements(bytes)
  return elements?.length === 1 ? elements[0] : undefined
}

/** No name or request has more parts in one element. A body has room for a million of them, which would take long to read. */
const MOST_ELEMENTS = 2000

/** The elements in the bytes, in their order. Undefined: the bytes are malformed, or have too many elements. */
function readElements(bytes: Buffer): readonly DerElement[] | undefined {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = readHead(bytes, at)
    if (head === undefined || head.start + head.length > bytes.length) return undefined
    if (elements.length === MOST_ELEMENTS) return undefined
    const end = head.start + head.length
    elements.push({ tag: head.tag, content: bytes.subarray(head.start, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return elements
}

function readHead(bytes: Buffer, at: number): { tag: number; start: number; length: number } | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  // Certificates have no tags of several bytes.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  if (first < 0x80) return { tag, start: at + 2, length: first }
  const count = first & 0x7f
  if (count === 0 || count > 4 || at + 2 + count > bytes.length) return undefined
  const length = bytes.readUIntBE(at + 2, count)
  // DER has one form for each length: the shortest.
  return length < 0x80 || bytes[at + 2] === 0 ? undefined : { tag, start: at + 2 + count, length }
}

export function childrenOf(element: DerElement | undefined, tag: number): readonly DerElement[] | undefined {
  return element?.tag === tag ? readElements(element.content) : undefined
}

/** `2.5.4.10`. */
export function readObjectId({ content }: DerElement): string {
  const numbers: number[] = []
  let number = 0
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) continue
    numbers.push(number)
    number = 0
  }
  const [first = 0, ...rest] = numbers
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - top * 40, ...rest].join('.')
}

/** The text of an element, in any of the string types of certificates. Undefined: the element is not a text. */
export function readText({ tag, content }: DerElement): string | undefined {
  switch (tag) {
    case 0x0c:
      return content.toString('utf8')
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x1a:
      return content.toString('latin1')
    case 0x1e:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : undefined
    default:
      return undefined
  }
}
