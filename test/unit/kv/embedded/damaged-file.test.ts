// A data file that lost a part of its bytes: the store says so in one line. It neither ends the process nor begins anew.
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../../../src/kv/embedded/embedded.ts'
import { putKey } from '../../../../src/kv/kv.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'

const { signal } = new AbortController()
const PAGE = 8192

async function filledStore(): Promise<string> {
  const dataDir = path.join(await tempFolder(), 'store')
  const kv = await openEmbedded({ dataDir }, signal)
  const value = Buffer.alloc(2000, 'x')
  await Promise.all(Array.from({ length: 300 }, (_, i) => putKey(kv, { key: `/r/${i}`, value, expected: 0 }, signal)))
  await kv.close()
  return dataDir
}

const fileOf = (dataDir: string): string => path.join(dataDir, 'data.mdb')

const LOST: Readonly<Record<string, (file: string) => Promise<void>>> = {
  'that is gone': (file) => rm(file),
  'that is empty': (file) => truncate(file, 0),
  'of less than its first two pages': (file) => truncate(file, PAGE),
}

it.each(Object.entries(LOST))('a data file %s is not replaced by an empty store', async (_, lose) => {
  const dataDir = await filledStore()
  await lose(fileOf(dataDir))
  const before = await stat(fileOf(dataDir)).catch(() => undefined)
  for (let i = 0; i < 2; i++) {
    await expect(openEmbedded({ dataDir }, signal)).rejects.toMatchObject({
      code: 'corrupt',
      message: `${fileOf(dataDir)} is missing or cut off: restore a backup, or remove ${dataDir} to begin with an empty store`,
    })
  }
  expect((await stat(fileOf(dataDir)).catch(() => undefined))?.size).toBe(before?.size)
})

it.each([4, 10, 30])('a data file that is cut off behind page %i is reported as damaged', async (pages) => {
  const dataDir = await filledStore()
  await truncate(fileOf(dataDir), pages * PAGE)
  await expect(openEmbedded({ dataDir }, signal)).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringMatching(/^cannot open the data in|damaged/) as string,
  })
})

it('pages of zeros are reported as damage', async () => {
  const dataDir = await filledStore()
  const bytes = await readFile(fileOf(dataDir))
  await writeFile(fileOf(dataDir), bytes.fill(0, 4 * PAGE))
  await expect(openEmbedded({ dataDir }, signal)).rejects.toMatchObject({ code: 'corrupt' })
})

it('a start that ended before the store was made is repeated', async () => {
  const dataDir = path.join(await tempFolder(), 'store')
  const kv = await openEmbedded({ dataDir }, signal)
  await kv.close()
  await rm(path.join(dataDir, 'format'))
  await truncate(fileOf(dataDir), 0)
  const again = await openEmbedded({ dataDir }, signal)
  expect(await putKey(again, { key: '/r/a', value: Buffer.from('1'), expected: 0 }, signal)).toMatchObject({ ok: true })
  await again.close()
})
