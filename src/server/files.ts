// The server's own files: what is secret is never readable by others, and a file is there whole or not at all.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeDirectory } from '../lib/make-directory.ts'
import { reasonOf, StartError } from './start-error.ts'

/** Makes the directory where it is missing, closed to everybody else. */
export function makePrivateDirectory(directory: string, what: string): void {
  try {
    if (makeDirectory(directory, 0o700)) chmodSync(directory, 0o700)
  } catch (error) {
    throw new StartError(`${what} ${directory} cannot be made: ${reasonOf(error)}`, { cause: error })
  }
}

/** Readable by the owner alone. */
export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new StartError(`${file} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
}

/** `what` names the flag or the purpose in the message. */
export function readTextFile(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${what} ${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** Undefined where it is not there. */
export function readOwnFile(directory: string, name: string): string | undefined {
  const file = path.join(directory, name)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new StartError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}
