// The files that commands write: whole or not at all, and in the place of another one only where that is asked for.
import { lstatSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf, StartError } from '../config/start-error.ts'

/** Before the work begins. Throws a `StartError` where the file cannot be written, or exists and is not to be replaced. */
export function checkTarget(file: string, overwrite: boolean): void {
  const folder = path.dirname(file)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new StartError(`${file} cannot be written: there is no directory ${folder}`)
  }
  const there = lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!there.isFile() && !there.isSymbolicLink()) throw new StartError(`${file} cannot be written: it is not a file`)
  if (!overwrite) throw new StartError(`${file} exists: choose another name, or give --overwrite`)
}

/** The file has its name when `fill` has resolved and everything is on the disk. It is readable by its owner alone. */
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
    throw isSystems ? new StartError(`${file} cannot be written: ${reasonOf(error)}`, { cause: error }) : error
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
