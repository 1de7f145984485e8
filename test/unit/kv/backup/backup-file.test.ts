import { deepStrictEqual } from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BackupReader } from '../../../../src/kv/backup/backup-reader.ts'
import { writeBackup } from '../../../../src/kv/backup/backup-writer.ts'
import { checkedPages } from '../../../../src/kv/backup/checked-pages.ts'
import { parseKey } from '../../../../src/kv/backup/seal.ts'
import type { CopiedItem, StoreCopy } from '../../../../src/kv/copy.ts'
import { compareKeys } from '../../../../src/kv/key-order.ts'

const signal = new AbortController().signal
const KEY = randomBytes(32)

describe.each([
  ['plain', undefined],
  ['encrypted', KEY],
])('a backup, %s,', (_name, key) => {
  it('gives back any items', async () => {
    for (const count of [0, 1, 2, 100, 3000]) {
      const items = randomItems(count)
      const file = await write(items, key)
      const { header, read } = await readAll(file, key)
      expect(header).toMatchObject({ revision: 4711, keys: count, prefix: '/registry/', version: '1.2.3' })
      deepStrictEqual(read, items)
    }
  })

  it('does not depend on how it is cut into pieces', async () => {
    const items = randomItems(300)
    const file = await write(items, key)
    deepStrictEqual((await readAll(file, key, 1000)).read, items)
    deepStrictEqual((await readAll(file, key, 7)).read, items)
  })

  it('is refused wherever one bit was flipped', async () => {
    const file = await write(randomItems(20), key)
    for (let at = 0; at < file.length; at += 1 + randomInt(40)) {
      const flipped = Buffer.from(file)
      flipped[at] = flipped[at]! ^ (1 << randomInt(8))
      await expect(readAll(flipped, key), `byte ${at} of ${file.length}`).rejects.toThrow(/^it is|^invalid/)
    }
  })

  it('is refused wherever it was cut off, and where something follows it', async () => {
    const file = await write(randomItems(20), key)
    for (let length = 0; length < file.length; length += 1 + randomInt(40)) {
      await expect(readAll(file.subarray(0, length), key), `${length} of ${file.length}`).rejects.toThrow(/^it is/)
    }
    await expect(readAll(file.subarray(0, -1), key)).rejects.toThrow('it is cut short')
    await expect(readAll(Buffer.concat([file, Buffer.of(0)]), key)).rejects.toThrow('it is damaged')
  })
})

describe('the key of a backup', () => {
  it('is asked for, and must be the one', async () => {
    const file = await write(randomItems(3), KEY)
    await expect(readAll(file, undefined)).rejects.toThrow('it is encrypted: give its key')
    await expect(readAll(file, randomBytes(32))).rejects.toThrow('it is encrypted with another key')
  })

  it('hides what is stored', async () => {
    const item = { key: '/registry/secrets/a', value: Buffer.from('password'), revision: 2, createRevision: 2 }
    const file = await write([item], KEY)
    expect(file.includes('password') || file.includes('secrets')).toBe(false)
  })

  it('does not open a chunk in another place or in another file', async () => {
    const items = randomItems(40).map((item) => ({ ...item, value: randomBytes(100_000) }))
    const [one, other] = [await write(items, KEY), await write(items, KEY)]
    const [first, second, ...rest] = chunksOf(one)
    expect(rest.length).toBeGreaterThan(0)
    const swapped = Buffer.concat([headOf(one), second!, first!, ...rest, one.subarray(-36)])
    await expect(readAll(swapped, KEY)).rejects.toThrow('it is damaged')
    const exchanged = Buffer.concat([headOf(one), chunksOf(other)[0]!, second!, ...rest, one.subarray(-36)])
    await expect(readAll(exchanged, KEY)).rejects.toThrow('it is damaged')
  })

  it('is 32 bytes in base64', () => {
    expect(parseKey(`${KEY.toString('base64')}\n`)).toEqual(KEY)
    for (const text of ['', 'abc', KEY.toString('hex'), randomBytes(31).toString('base64')]) {
      expect(() => parseKey(text)).toThrow('must hold 32 bytes in base64')
    }
  })
})

it('a file of another kind or a newer format is named as such', async () => {
  await expect(readAll(Buffer.from('hello\n'), undefined)).rejects.toThrow('it is not a backup')
  await expect(readAll(randomBytes(100_000), undefined)).rejects.toThrow('it is not a backup')
  const newer = Buffer.from('quarterdeck backup, format 7\n{}\n')
  await expect(readAll(newer, undefined)).rejects.toThrow('it is in format 7; this version reads formats up to 1')
})

it('a store that gives fewer items than it told of is no backup', async () => {
  const copy = copyOf(randomItems(3))
  const order = { prefix: '/registry/', time: new Date(0), version: '1.2.3', write: async () => undefined }
  await expect(writeBackup({ ...order, copy: { ...copy, count: 4 } }, signal)).rejects.toThrow(
    'reported 4 keys and returned 3',
  )
})

it('the key of a restore that is under way is no item of a backup', async () => {
  const marker = { key: '/registry/quarterdeck_restore', value: Buffer.from('x'), revision: 2, createRevision: 2 }
  const pages = async function* (): AsyncGenerator<readonly CopiedItem[]> {
    yield [marker]
  }
  const header = { revision: 4711, keys: 1, prefix: '/registry/', time: '', version: '', compression: 'zstd' } as const
  const checked = checkedPages({ header, pages } as unknown as BackupReader)
  await expect(checked.next()).rejects.toThrow('it is damaged: /registry/quarterdeck_restore: the key does not belong')
})

function randomItems(count: number): readonly CopiedItem[] {
  const keys = new Set<string>()
  while (keys.size < count) keys.add(`/registry/${randomBytes(randomInt(1, 30)).toString('base64url')}ü😀`.slice(0, 40))
  return [...keys].sort(compareKeys).map((key) => ({
    key: key.toWellFormed(),
    value: randomBytes(randomInt(20) === 0 ? randomInt(20_000) : randomInt(200)),
    revision: randomInt(2, 2 ** 47),
    createRevision: randomInt(2, 2 ** 47),
    ...(randomInt(3) === 0 ? { ttlSeconds: randomInt(1, 10_000) } : {}),
  }))
}

function copyOf(items: readonly CopiedItem[]): StoreCopy {
  return {
    revision: 4711,
    count: items.length,
    firstKey: async () => undefined,
    newestRevision: async () => 4711,
    close: async () => undefined,
    async *pages() {
      for (let at = 0; at < items.length; at += 100) yield items.slice(at, at + 100)
    },
  }
}

async function write(items: readonly CopiedItem[], key: Buffer | undefined): Promise<Buffer> {
  const pieces: Buffer[] = []
  const order = { prefix: '/registry/', time: new Date(0), version: '1.2.3', key }
  await writeBackup({ ...order, copy: copyOf(items), write: async (bytes) => void pieces.push(bytes) }, signal)
  return Buffer.concat(pieces)
}

async function readAll(file: Buffer, key: Buffer | undefined, pieceBytes = 64 * 1024) {
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes)
  }
  await using reader = await BackupReader.open(pieces(), key)
  const read: CopiedItem[] = []
  for await (const page of reader.pages()) read.push(...page)
  return { header: reader.header, read }
}

function headOf(file: Buffer): Buffer {
  return file.subarray(0, file.indexOf('\n', file.indexOf('\n') + 1) + 1)
}

function chunksOf(file: Buffer): readonly Buffer[] {
  const chunks: Buffer[] = []
  for (let at = headOf(file).length; ; ) {
    const length = file.readUInt32BE(at)
    if (length === 0) return chunks
    chunks.push(file.subarray(at, at + 4 + length))
    at += 4 + length
  }
}
