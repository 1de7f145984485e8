// Reads a bbolt file page by page, and holds it to what bbolt takes for granted: every page is reached once, keys are in order, and
// a branch names the first key of each of its pages.
import { deepStrictEqual, equal, ok } from 'node:assert/strict'

const PAGE_BYTES = 4096
const META_PAGES = 2

export type BoltContents = Readonly<Record<string, readonly (readonly [key: string, value: string])[]>>

/** By the names of the buckets; keys and values in latin1. */
export function readBolt(file: Buffer): BoltContents {
  const reader = new BoltReader(file)
  const contents: Record<string, (readonly [string, string])[]> = {}
  for (const { flags, key, value } of reader.leaves(Number(file.readBigUInt64LE(16 + 16)))) {
    equal(flags, 1)
    const pairs = reader.leaves(Number(value.readBigUInt64LE()))
    contents[key.toString()] = pairs.map((pair) => [pair.key.toString('latin1'), pair.value.toString('latin1')])
  }
  equal(reader.reached, file.length / PAGE_BYTES)
  return contents
}

interface Leaf {
  readonly flags: number
  readonly key: Buffer
  readonly value: Buffer
}

class BoltReader {
  readonly #file: Buffer
  readonly #reached = new Set<number>([0, 1])

  constructor(file: Buffer) {
    this.#file = file
  }

  get reached(): number {
    return this.#reached.size
  }

  /** All that is below a page. */
  leaves(id: number): readonly Leaf[] {
    const at = id * PAGE_BYTES
    const [flags, count] = [this.#file.readUInt16LE(at + 8), this.#file.readUInt16LE(at + 10)]
    const pages = 1 + this.#file.readUInt32LE(at + 12)
    equal(Number(this.#file.readBigUInt64LE(at)), id)
    for (let page = id; page < id + pages; page++) {
      ok(page >= META_PAGES, `page ${page} is one of those that begin the file`)
      ok(!this.#reached.has(page), `page ${page} is reached twice`)
      this.#reached.add(page)
    }
    const page = this.#file.subarray(at, at + pages * PAGE_BYTES)
    const elements = Array.from({ length: count }, (_, index) => 16 + 16 * index)
    const leaves = flags === 1 ? this.#branch(page, elements) : elements.map((element) => leafAt(page, element))
    const keys = leaves.map(({ key }) => key)
    ok(
      keys.every((key, index) => index === 0 || Buffer.compare(keys[index - 1]!, key) <= 0),
      `what is below page ${id} is not in order`,
    )
    return leaves
  }

  #branch(page: Buffer, elements: readonly number[]): readonly Leaf[] {
    ok(elements.length >= 2, `a branch has ${elements.length} pages`)
    return elements.flatMap((at) => {
      const keyAt = at + page.readUInt32LE(at)
      const key = page.subarray(keyAt, keyAt + page.readUInt32LE(at + 4))
      const below = this.leaves(Number(page.readBigUInt64LE(at + 8)))
      deepStrictEqual(below[0]?.key, key)
      return below
    })
  }
}

function leafAt(page: Buffer, at: number): Leaf {
  const keyAt = at + page.readUInt32LE(at + 4)
  const valueAt = keyAt + page.readUInt32LE(at + 8)
  const end = valueAt + page.readUInt32LE(at + 12)
  ok(end <= page.length, `a value ends at ${end} of ${page.length}`)
  return { flags: page.readUInt32LE(at), key: page.subarray(keyAt, valueAt), value: page.subarray(valueAt, end) }
}
