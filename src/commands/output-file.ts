// Writes the files of commands, completely or not at all. They replace another file only with --overwrite.
import { lstatSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { StartError, unwritable, usageError } from '../config/start-error.ts'
import { realPath } from '../lib/real-path.ts'

/**
 * Call this before the work. Throws a `StartError` for a file that cannot be written or must not be replaced. `-` is standard output.
 * `inputs`: flags of the command, as `--name=value`. The work reads the files that they name, such as the key of a backup, so it must not
 * write to them.
 */
export function checkTarget(file: string, overwrite: boolean, inputs: readonly string[] = []): void {
  if (file === '-' && overwrite) throw usageError('--overwrite is for a file, and - is standard output')
  if (file === '-') return
  const input = inputs.find((flag) => realPath(flag.replace(/^[^=]*=/, '')) === realPath(file))
  if (input !== undefined) throw usageError(`${file} cannot be written: it is the file of ${input.replace(/=.*/s, '')}`)
  const folder = path.dirname(file)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new StartError(`${file} cannot be written: there is no directory ${folder}`)
  }
  if (file.endsWith('/')) throw new StartError(`${file} cannot be written: it names a directory`)
  const there = lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!there.isFile() && !there.isSymbolicLink()) throw new StartError(`${file} cannot be written: it is not a file`)
  if (!overwrite) throw new StartError(`${file} exists: choose another name, or give --overwrite`)
}

/** The file gets its name when `fill` has resolved and all of the file is on disk. Only its owner can read it. */
export async function writeWhole<T>(file: string, fill: (draft: FileHandle, name: string) => Promise<T>): Promise<T> {
  const name = `${file}.${process.pid}.partial`
  try {
    const filled = await withHandle(name, 'wx', async (draft) => {
      const result = await fill(draft, name)
      await draft.sync()
      return result
    })
    await rename(name, file)
    await withHandle(path.dirname(file), 'r', (folder) => folder.sync())
    return filled
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(name, { force: true })
    const isSystems = error instanceof Error && 'syscall' in error
    throw isSystems ? unwritable(file, error) : error
  }
}

async function withHandle<T>(file: string, flags: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags, 0o600)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}
