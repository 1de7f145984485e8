import { describe, expect, it } from 'vitest'
import { type BoltBucket, type BoltPair, layOutBolt } from '../../../../src/kv/bolt/bolt.ts'
import { type BoltContents, readBolt } from '../../../rigs/bolt-reader.ts'
import { dice } from '../../../corpora/dice.ts'
import { SEED } from '../../../rigs/seed.ts'

/** In pieces of a few pairs. */
function bucketsOf(contents: BoltContents): readonly BoltBucket[] {
  return Object.entries(contents).map(([name, pairs]) => ({
    name,
    pairs: async function* () {
      for (let at = 0; at < pairs.length; at += 3) yield pairs.slice(at, at + 3).map(toPair)
    },
  }))
}

function toPair([key, value]: readonly [string, string]): BoltPair {
  return [Buffer.from(key, 'latin1'), Buffer.from(value, 'latin1')]
}

async function written(contents: BoltContents): Promise<Buffer> {
  const file = await layOutBolt(bucketsOf(contents))
  const pieces: Buffer[] = []
  for await (const piece of file.pieces()) pieces.push(...piece)
  const bytes = Buffer.concat(pieces)
  expect(bytes.length).toBe(file.bytes)
  return bytes
}

/** Without the zeros that each line and the page end with. */
function hexOfPage(file: Buffer, page: number): readonly string[] {
  const lines =
    file
      .subarray(page * 4096, (page + 1) * 4096)
      .toString('hex')
      .match(/.{32}/g) ?? []
  return lines.filter((line) => /[^0]/.test(line))
}

const number = (index: number): string => index.toString().padStart(8, '0')

describe('a bbolt file', () => {
  it('of one pair is laid out as bbolt lays it out', async () => {
    const file = await written({ fruit: [['apple', 'red']] })
    expect(file.length).toBe(4 * 4096)
    expect(hexOfPage(file, 0)).toEqual([
      '00000000000000000400000000000000',
      'edda0ced020000000010000000000000',
      '03000000000000000000000000000000',
      'ffffffffffffffff0400000000000000',
      expect.stringMatching(/^0000000000000000/),
    ])
    // Number 1, transaction 1, and therefore another checksum.
    expect(hexOfPage(file, 1).slice(1, -1)).toEqual(hexOfPage(file, 0).slice(1, -1))
    expect(hexOfPage(file, 1).at(-1)).toMatch(/^0100000000000000/)
    // A leaf of one element: its flags, where its key begins, and the lengths of both.
    expect(hexOfPage(file, 2)).toEqual([
      '02000000000000000200010000000000',
      '00000000100000000500000003000000',
      '6170706c657265640000000000000000',
    ])
    // The bucket of all buckets: the name of one, its root and no sequence.
    expect(hexOfPage(file, 3)).toEqual([
      '03000000000000000200010000000000',
      '01000000100000000500000010000000',
      '66727569740200000000000000000000',
    ])
  })

  it('has the checksum of FNV-1a over what a meta page says', async () => {
    const file = await written({})
    let hash = 0xcbf29ce484222325n
    for (const byte of file.subarray(16, 16 + 56)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n
    expect(file.readBigUInt64LE(16 + 56)).toBe(hash)
  })

  it.each([
    ['nothing', {}],
    ['buckets without anything', { a: [], b: [] }],
    ['empty values', { a: [['k', '']] }],
    // Of a page 16 bytes are its own, and 16 of each pair.
    ['a value that just fits its page', { a: [['k', 'v'.repeat(4096 - 16 - 16 - 1)]] }],
    ['a value that is a byte too long for it', { a: [['k', 'v'.repeat(4096 - 16 - 16)]] }],
    [
      'a value of many pages between others',
      {
        a: [
          ['a', 'x'],
          ['b', 'y'.repeat(1_500_000)],
          ['c', 'z'],
        ],
      },
    ],
    [
      'two pairs that just fit one page',
      {
        a: [
          ['k', 'v'.repeat(4000)],
          ['l', 'w'.repeat(4096 - 16 - 2 * 17 - 4000)],
        ],
      },
    ],
    [
      'two pairs that just do not',
      {
        a: [
          ['k', 'v'.repeat(4000)],
          ['l', 'w'.repeat(4096 - 16 - 2 * 17 - 3999)],
        ],
      },
    ],
    // A branch holds 170 keys of eight bytes.
    ...[169, 170, 171, 172, 340, 341].map(
      (leaves) =>
        [
          `${leaves} leaves`,
          { a: Array.from({ length: leaves }, (_, i) => [number(i), 'v'.repeat(4000)] as const) },
        ] as const,
    ),
    [
      'many levels',
      { a: Array.from({ length: 500 }, (_, i) => [number(i) + 'k'.repeat(1000), 'v'.repeat(i)] as const) },
    ],
    [
      'keys that no branch has room for two of',
      { a: Array.from({ length: 30 }, (_, i) => [number(i) + 'k'.repeat(5000), 'v'] as const) },
    ],
  ] satisfies readonly (readonly [string, BoltContents])[])('holds %s', async (_, contents) => {
    expect(readBolt(await written(contents))).toEqual(contents)
  })

  it('holds anything', async () => {
    const roll = dice(SEED)
    for (let round = 0; round < 30; round++) {
      const longest = [10, 100, 2040, 4096, 9000][roll(5)]!
      const pairs = Array.from(
        { length: roll(600) },
        (_, i) => [number(i) + 'k'.repeat(roll(20)), 'v'.repeat(roll(longest))] as const,
      )
      const contents: BoltContents = { first: pairs.slice(0, roll(20)), second: pairs }
      expect(readBolt(await written(contents))).toEqual(contents)
    }
  })
})
