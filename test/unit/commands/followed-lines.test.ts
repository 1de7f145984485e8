import { appendFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { followLines } from '../../../src/commands/followed-lines.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

async function follow(file: string, meanwhile: (read: readonly string[]) => Promise<void>): Promise<readonly string[]> {
  const stop = new AbortController()
  const lines = await followLines(file, stop.signal)
  const read: string[] = []
  const reading = (async () => {
    for await (const line of lines) read.push(line)
  })()
  await meanwhile(read)
  stop.abort()
  await reading
  return read
}

it('are those that come from then on, whole, and all that were written before the end', async () => {
  const file = path.join(await tempFolder(), 'log')
  await writeFile(file, 'before\n')
  const lines = await follow(file, async (read) => {
    await appendFile(file, 'one\ntw')
    await expect.poll(() => read).toEqual(['one'])
    await appendFile(file, 'o\nthree\n')
    await appendFile(file, 'half of')
  })
  expect(lines).toEqual(['one', 'two', 'three'])
})

it('go on in the file that takes the place of one that was renamed, and in one that was emptied', async () => {
  const file = path.join(await tempFolder(), 'log')
  await writeFile(file, 'before\n')
  const lines = await follow(file, async (read) => {
    await appendFile(file, 'one\n')
    await rename(file, `${file}.1`)
    await appendFile(`${file}.1`, 'two\n')
    await writeFile(file, 'three\n')
    await expect.poll(() => read).toEqual(['one', 'two', 'three'])
    await writeFile(file, '4\n')
    await expect.poll(() => read).toHaveLength(4)
    await rename(file, `${file}.2`)
    await writeFile(file, 'five\n')
  })
  expect(lines).toEqual(['one', 'two', 'three', '4', 'five'])
})

it('may be longer than what is read at once', async () => {
  const file = path.join(await tempFolder(), 'log')
  await writeFile(file, '')
  const long = 'é'.repeat(100_000)
  expect(await follow(file, () => appendFile(file, `${long}\nshort\n`))).toEqual([long, 'short'])
})

it('cannot be those of a file that is not there', async () => {
  const file = path.join(await tempFolder(), 'none')
  await expect(followLines(file, new AbortController().signal)).rejects.toThrow('ENOENT')
})
