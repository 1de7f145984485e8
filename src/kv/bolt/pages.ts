// The pages of a bbolt file: little-endian, as on all platforms of etcd. A page has 4096 bytes, and further pages follow for long content.
import { fnv64a } from '../../lib/fnv64a.ts'

export const PAGE_BYTES = 4096

export type PageId = number

/** An element of a branch or a leaf, with its key. */
export type PageElement =
  | { readonly kind: 'value'; readonly key: Buffer; readonly value: Buffer }
  | { readonly kind: 'bucket'; readonly key: Buffer; readonly value: Buffer }
  /** The page that begins with the key. */
  | { readonly kind: 'page'; readonly key: Buffer; readonly page: PageId }

const BRANCH = 0x01
const LEAF = 0x02
const META = 0x04
const HEADER_BYTES = 16
const ELEMENT_BYTES = 16

const BUCKET_FLAG = 0x01

const MAGIC = 0xed0cdaed
const FORMAT = 2
const META_BYTES = 64
/** The file has no list of free pages: readers search for free pages. etcd writes no list either. */
const NO_FREELIST = 0xffff_ffff_ffff_ffffn

/** The bytes of a page without elements. */
export const EMPTY_PAGE_BYTES = HEADER_BYTES

/** The bytes of an element in its page. */
export function sizeOfElement(element: PageElement): number {
  return ELEMENT_BYTES + element.key.length + (element.kind === 'page' ? 0 : element.value.length)
}

/** Makes a branch or a leaf. Either all elements are pages, or none is. */
export function elementsPage(id: PageId, elements: readonly PageElement[], bytes: number): Buffer {
  const isBranch = elements[0]?.kind === 'page'
  const page = newPage({ id, flags: isBranch ? BRANCH : LEAF, count: elements.length, bytes })
  let at = HEADER_BYTES
  let dataAt = HEADER_BYTES + elements.length * ELEMENT_BYTES
  for (const element of elements) {
    const { key } = element
    // The distance from the entry of the element to its key.
    const position = dataAt - at
    if (element.kind === 'page') {
      page.writeUInt32LE(position, at)
      page.writeUInt32LE(key.length, at + 4)
      writeNumber(page, element.page, at + 8)
    } else {
      page.writeUInt32LE(element.kind === 'bucket' ? BUCKET_FLAG : 0, at)
      page.writeUInt32LE(position, at + 4)
      page.writeUInt32LE(key.length, at + 8)
      page.writeUInt32LE(element.value.length, at + 12)
      element.value.copy(page, dataAt + key.length)
    }
    key.copy(page, dataAt)
    at += ELEMENT_BYTES
    dataAt += sizeOfElement(element) - ELEMENT_BYTES
  }
  return page
}

/** One of the first two pages of a file. If both are valid, the page of the later transaction counts. */
export function metaPage(id: 0 | 1, { root, pages }: { readonly root: PageId; readonly pages: number }): Buffer {
  const page = newPage({ id, flags: META, count: 0, bytes: HEADER_BYTES })
  const meta = page.subarray(HEADER_BYTES, HEADER_BYTES + META_BYTES)
  meta.writeUInt32LE(MAGIC, 0)
  meta.writeUInt32LE(FORMAT, 4)
  meta.writeUInt32LE(PAGE_BYTES, 8)
  bucketOf(root).copy(meta, 16)
  meta.writeBigUInt64LE(NO_FREELIST, 32)
  writeNumber(meta, pages, 40)
  const transaction = id
  writeNumber(meta, transaction, 48)
  meta.writeBigUInt64LE(fnv64a(meta.subarray(0, 56)), 56)
  return page
}

/** The value of a bucket in the root bucket: its root page, and an unused sequence. */
export function bucketOf(root: PageId): Buffer {
  const bucket = Buffer.alloc(16)
  writeNumber(bucket, root, 0)
  return bucket
}

function newPage(header: {
  readonly id: PageId
  readonly flags: number
  readonly count: number
  readonly bytes: number
}): Buffer {
  const pages = Math.ceil(header.bytes / PAGE_BYTES)
  const page = Buffer.alloc(pages * PAGE_BYTES)
  writeNumber(page, header.id, 0)
  page.writeUInt16LE(header.flags, 8)
  page.writeUInt16LE(header.count, 10)
  page.writeUInt32LE(pages - 1, 12)
  return page
}

function writeNumber(bytes: Buffer, value: number, at: number): void {
  bytes.writeBigUInt64LE(BigInt(value), at)
}
