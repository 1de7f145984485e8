import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FORMAT, openDataDirectory, openToRead } from '../../../../src/kv/embedded/data-directory.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'

it('makes the folder and says which format is in it', async () => {
  const path = join(await tempFolder(), 'a', 'b')
  const directory = await openDataDirectory(path)
  await directory.mark()
  directory.release()
  expect(await readFile(join(path, 'format'), 'utf8')).toBe(`quarterdeck store, format ${FORMAT}\n`)
})

it('belongs to one at a time, and says to whom', async () => {
  const path = await tempFolder()
  const first = await openDataDirectory(path)
  await expect(openDataDirectory(path)).rejects.toMatchObject({
    code: 'unavailable',
    message: `the data directory ${path} is in use by process ${process.pid}`,
  })
  first.release()
  const second = await openDataDirectory(path)
  second.release()
})

it('says to whom it belongs while a process reads it alone', async () => {
  const path = await tempFolder()
  const made = await openDataDirectory(path)
  await made.mark()
  made.release()
  await writeFile(join(path, 'owner'), '1\n')
  const reader = await openToRead(path, true)
  await expect(openDataDirectory(path)).rejects.toMatchObject({
    message: `the data directory ${path} is in use by process ${process.pid}`,
  })
  reader.release()
})

it.each([
  [
    'a newer format',
    `quarterdeck store, format ${FORMAT + 1}\n`,
    /is in format 2; this version supports formats up to 1/,
  ],
  ['no format that can be read', 'something else', /is not a valid format file/],
  ['a format cut short', 'quarterdeck store, form', /is not a valid format file/],
])('refuses %s in one line, and stays free for another', async (_, text, message) => {
  const path = await tempFolder()
  await writeFile(join(path, 'format'), text)
  for (let i = 0; i < 2; i++) {
    await expect(openDataDirectory(path)).rejects.toMatchObject({ code: 'corrupt', message })
  }
  expect(await readFile(join(path, 'format'), 'utf8')).toBe(text)
})

it('says what is wrong where the folder cannot be made', async () => {
  const file = join(await tempFolder(), 'file')
  await writeFile(file, '')
  await expect(openDataDirectory(join(file, 'data'))).rejects.toMatchObject({
    code: 'unavailable',
    message: /^cannot make the data directory .*ENOTDIR/,
  })
})
