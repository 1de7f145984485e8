import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CopiedItem, StoreCopy } from '../../../../src/kv/copy.ts'
import { openEmbeddedCopy } from '../../../../src/kv/embedded/copy.ts'
import { openEmbedded } from '../../../../src/kv/embedded/embedded.ts'
import { ManualClock } from '../../../fakes/manual-clock.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'
import { putKey, removeKey } from '../../../../src/kv/kv.ts'

const { signal } = new AbortController()
const clock = new ManualClock()

describe('a copy of an embedded store', () => {
  it('is what is under the prefix, now or at a revision, with the time that is left', async () => {
    const dataDir = await filledStore()
    const now = await take(dataDir, {})
    expect(textsOf(now)).toEqual(['/r/a=2', '/r/c=1', '/r/leased=1'])
    expect(now.map(({ ttlSeconds }) => ttlSeconds)).toEqual([undefined, 100, 77])
    expect(textsOf(await take(dataDir, { at: 4 }))).toEqual(['/r/a=1', '/r/b=1', '/r/c=1'])
    await expect(take(dataDir, { at: 100 })).rejects.toMatchObject({ code: 'future' })
  })

  it('keeps others out where it is taken of a store that must not change', async () => {
    const dataDir = await filledStore()
    const copy = await open(dataDir, { exclusive: true })
    const inUse = `the data directory ${dataDir} is in use by process`
    await expect(openEmbedded({ dataDir }, signal)).rejects.toThrow(inUse)
    await copy.close()
    const kv = await openEmbedded({ dataDir, clock }, signal)
    await expect(open(dataDir, { exclusive: true })).rejects.toThrow(inUse)
    // LMDB would take the two for one.
    await expect(open(dataDir, {})).rejects.toThrow(`${inUse} ${process.pid}`)
    await kv.close()
    expect(await take(dataDir, {})).toHaveLength(3)
  })

  it('is refused, in one line, where there is nothing that it can be of', async () => {
    const folder = await tempFolder()
    await expect(open(folder, {})).rejects.toThrow(`there is no store in ${folder}`)
    const dataDir = await filledStore()
    const format = path.join(dataDir, 'format')
    const text = await readFile(format, 'utf8')
    await writeFile(format, text.replace(/\d+/, '1'))
    await expect(open(dataDir, {})).rejects.toThrow('is in format 1; start this version on it once')
    await writeFile(format, text.replace(/\d+/, '99'))
    await expect(open(dataDir, {})).rejects.toThrow('is in format 99; this version supports')
    await writeFile(format, text)
    await writeFile(path.join(dataDir, 'data.mdb'), Buffer.alloc(100_000))
    await expect(open(dataDir, {})).rejects.toThrow('is corrupt, or not a store of this program')
  })
})

/** Revisions 2 to 7. */
async function filledStore(): Promise<string> {
  const dataDir = path.join(await tempFolder(), 'store')
  const kv = await openEmbedded({ dataDir, clock }, signal)
  const put = (key: string, text: string, expected = 0, ttlSeconds?: number) =>
    putKey(kv, { key, value: Buffer.from(text), expected, ttlSeconds }, signal)
  await put('/r/a', '1')
  await put('/r/b', '1')
  await put('/r/c', '1', 0, 100)
  await put('/r/a', '2', 2)
  await removeKey(kv, { key: '/r/b', expected: 3 }, signal)
  await kv.transact(
    {
      bytes: 10,
      freesSpace: false,
      run: (transaction) => {
        transaction.grantLease(5n, 77)
        transaction.put({ key: '/r/leased', value: Buffer.from('1'), lease: 5n })
        transaction.put({ key: '/s/other', value: Buffer.from('1'), lease: 0n })
      },
    },
    signal,
  )
  await kv.close()
  return dataDir
}

type Order = Partial<Parameters<typeof openEmbeddedCopy>[0]>

function open(dataDir: string, order: Order): Promise<StoreCopy> {
  return openEmbeddedCopy({ dataDir, prefix: '/r/', clock, ...order }, signal)
}

async function take(dataDir: string, order: Order): Promise<readonly CopiedItem[]> {
  const copy = await open(dataDir, order)
  try {
    const items: CopiedItem[] = []
    for await (const page of copy.pages(signal)) items.push(...page)
    expect(items).toHaveLength(copy.count)
    return items
  } finally {
    await copy.close()
  }
}

function textsOf(items: readonly CopiedItem[]): readonly string[] {
  return items.map(({ key, value }) => `${key}=${value.toString()}`)
}
