// Writes files of bbolt, etcd's database. Start here: `layOutBolt`. The first pages of a file refer to the last ones, so the content is
// read twice: to lay it out, and to write it. Only one piece of the content is in memory at a time.
import { InvariantError } from '../../lib/errors.ts'
import { bucketOf, elementsPage, metaPage, PAGE_BYTES, type PageElement, type PageId } from './pages.ts'
import { TreeLevel } from './tree.ts'

export type BoltPair = readonly [key: Buffer, value: Buffer]

export interface BoltBucket {
  readonly name: string
  /** The pairs in pieces, in ascending order of the bytes of their keys. Every call returns the same pairs. */
  readonly pairs: () => AsyncIterable<readonly BoltPair[]>
}

export interface BoltFile {
  readonly bytes: number
  /** The file from its beginning to its end, in pieces. */
  pieces(): AsyncGenerator<readonly Buffer[]>
}

interface Layout {
  readonly root: PageId
  readonly pages: number
}

const META_PAGES = 2

/** Pass the buckets in ascending order of their names: the tree is written from its first key to its last. */
export async function layOutBolt(buckets: readonly BoltBucket[]): Promise<BoltFile> {
  const pages = writeBuckets(buckets)
  let step = await pages.next()
  while (step.done !== true) step = await pages.next()
  const layout = step.value
  return {
    bytes: layout.pages * PAGE_BYTES,
    async *pieces() {
      yield [metaPage(0, layout), metaPage(1, layout)]
      const written = yield* writeBuckets(buckets)
      if (written.pages !== layout.pages) throw new InvariantError('the written file differs from its layout')
    },
  }
}

/** Writes the pages of each bucket, and then the pages of the root bucket. */
async function* writeBuckets(buckets: readonly BoltBucket[]): AsyncGenerator<readonly Buffer[], Layout> {
  let pages = META_PAGES
  let piece: Buffer[] = []
  const write = (elements: readonly PageElement[], bytes: number): PageId => {
    const page = elementsPage(pages, elements, bytes)
    const id = pages
    pages += page.length / PAGE_BYTES
    piece.push(page)
    return id
  }
  const all = new TreeLevel(write)
  for (const { name, pairs } of buckets) {
    const tree = new TreeLevel(write)
    for await (const some of pairs()) {
      for (const [key, value] of some) tree.add({ kind: 'value', key, value })
      yield piece
      piece = []
    }
    all.add({ kind: 'bucket', key: Buffer.from(name), value: bucketOf(tree.finish()) })
  }
  const root = all.finish()
  yield piece
  return { root, pages }
}
