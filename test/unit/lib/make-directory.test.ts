import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../../src/lib/make-directory.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

describe('a directory', () => {
  it('is made with those above it, for its owner alone where that is wanted', async () => {
    const folder = path.join(await tempFolder(), 'a/b/c')
    expect(makeDirectory(folder, 0o700)).toBe(true)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(path.dirname(folder)).mode & 0o777).toBe(0o700)
  })

  it('that is there stays as it is, also by another name', async () => {
    const folder = await tempFolder()
    mkdirSync(path.join(folder, 'a'), { mode: 0o750 })
    symlinkSync('a', path.join(folder, 'link'))
    expect(makeDirectory(path.join(folder, 'a'), 0o700)).toBe(false)
    expect(makeDirectory(path.join(folder, 'link'))).toBe(false)
    expect(statSync(path.join(folder, 'a')).mode & 0o777).toBe(0o750)
    expect(makeDirectory('/')).toBe(false)
  })

  it.each([
    ['/proc/nope', 'nothing can be created there'],
    ['/proc/nope/deeper/still', 'nothing can be created there'],
    ['/dev/null/x', 'ENOTDIR'],
    ['/dev/null', 'EEXIST'],
  ])('%s cannot be made, and that is told at once', (directory, reason) => {
    expect(() => makeDirectory(directory)).toThrow(reason)
  })

  it('is not made where a file or a name without one is in the way', async () => {
    const folder = await tempFolder()
    writeFileSync(path.join(folder, 'file'), '')
    symlinkSync('/nowhere/at/all', path.join(folder, 'dangling'))
    expect(() => makeDirectory(path.join(folder, 'file/a/b'))).toThrow('ENOTDIR')
    expect(() => makeDirectory(path.join(folder, 'dangling'))).toThrow('EEXIST')
  })
})
