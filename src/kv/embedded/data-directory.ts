// The directory of a durable store: locked by one process at a time, and marked with its format once the store is in it. No other file in
// it is touched before the lock is taken and the format is checked.
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDirectory } from '../../lib/make-directory.ts'
import { KvError } from '../kv.ts'
import { makePrivateFile, syncFolder } from './data-file.ts'

/**
 * Raise this number when older versions of the program can no longer read the records. Since format 2, records have the number of writes of
 * a key, its lease and its place among several changes of a revision. Records of format 1 stay as they are.
 */
export const FORMAT = 2

export interface DataDirectory {
  readonly path: string
  release(): void
}

export interface OwnDirectory extends DataDirectory {
  /** A store was made here before. */
  readonly hasStore: boolean
  /** Writes the format, after the store is on the disk. */
  mark(): Promise<void>
}

/** Throws `KvError` with a clear message if the folder cannot be used. */
export async function openDataDirectory(path: string): Promise<OwnDirectory> {
  try {
    makeDirectory(path, 0o700)
  } catch (error) {
    throw new KvError('unavailable', `cannot make the data directory ${path}: ${(error as Error).message}`, {
      cause: error,
    })
  }
  const lock = await takeLock(path)
  try {
    const format = await readFormat(path)
    await writeOwner(path)
    const isMarked = format === FORMAT
    const mark = async (): Promise<void> => (isMarked ? undefined : writeFormat(path))
    return { path, hasStore: format !== undefined, mark, release: () => lock.close() }
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * Takes a kernel lock on a file, through SQLite: Node has no other way to take such a lock. The kernel releases it when the process ends in
 * any way. A second lock in this process fails too.
 */
async function takeLock(path: string): Promise<DatabaseSync> {
  const file = join(path, 'lock')
  let lock: DatabaseSync | undefined
  try {
    await makePrivateFile(file)
    lock = new DatabaseSync(file)
    // A journal on the disk would need space, which a full disk does not have.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const SQLITE_BUSY = 5
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) {
      throw new KvError('unavailable', `cannot lock the data directory ${path}: ${(error as Error).message}`, {
        cause: error,
      })
    }
    const owner = await readOwner(path)
    const who = owner === '' ? 'another process' : `process ${owner}`
    throw new KvError('unavailable', `the data directory ${path} is in use by ${who}`, { cause: error })
  }
}

/**
 * Opens the store for reading. Without `exclusive`, another process may have it open. LMDB identifies readers by process ids. So this fails
 * if the process that has the store open has the same id: it is this process, or a process in another container.
 */
export async function openToRead(path: string, exclusive: boolean): Promise<DataDirectory> {
  const format = await readFormat(path)
  if (format === undefined) throw new KvError('unavailable', `there is no store in ${path}`)
  if (format < FORMAT) {
    throw new KvError('unavailable', `the data in ${path} is in format ${format}; start this version on it once`)
  }
  const isSameNumber = (await readOwner(path)) === String(process.pid)
  const lock = exclusive || isSameNumber ? await takeLock(path) : undefined
  if (exclusive) await writeOwner(path)
  else lock?.close()
  return { path, release: () => exclusive && lock?.close() }
}

/** Writes the id of this process, for the checks and error messages of other processes. A failure is ignored: the disk may be full. */
async function writeOwner(path: string): Promise<void> {
  await writeFile(join(path, 'owner'), `${process.pid}\n`, { mode: 0o600 }).catch(() => undefined)
}

async function readOwner(path: string): Promise<string> {
  return (await readFile(join(path, 'owner'), 'utf8').catch(() => '')).trim()
}

/** Undefined: no store yet. Throws for a store of a newer version. */
async function readFormat(path: string): Promise<number | undefined> {
  const file = formatFile(path)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new KvError('unavailable', `cannot read ${file}: ${error.message}`, { cause: error })
  })
  if (text === undefined) return undefined
  const format = /^quarterdeck store, format (\d+)\n$/.exec(text)?.[1]
  if (format === undefined) throw new KvError('corrupt', `${file} is not a valid format file`)
  if (Number(format) > FORMAT) {
    const message = `the data in ${path} is in format ${format}; this version supports formats up to ${FORMAT}; use a newer version`
    throw new KvError('corrupt', message)
  }
  return Number(format)
}

function formatFile(path: string): string {
  return join(path, 'format')
}

/** Atomic, even if the machine stops. */
async function writeFormat(path: string): Promise<void> {
  const file = formatFile(path)
  try {
    const draft = await open(`${file}.new`, 'w', 0o600)
    await draft.writeFile(`quarterdeck store, format ${FORMAT}\n`)
    await draft.sync()
    await draft.close()
    await rename(`${file}.new`, file)
    await syncFolder(path)
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === 'ENOSPC'
    throw new KvError(full ? 'full' : 'unavailable', `cannot write ${file}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
