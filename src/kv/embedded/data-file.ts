// Checks the file before LMDB opens it. The package ends the process if LMDB refuses a file, so every reason to
// refuse it is checked here first and reported as an error.
import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { KvError } from '../kv.ts'

/**
 * The same on machines with other page sizes, so that a store can be moved. Most objects fit into one page. A larger record needs adjacent
 * pages. If many pages are free, LMDB searches for adjacent ones for a long time. A commit writes every page that it touches.
 */
export const PAGE_BYTES = 8192

/** Places in the first two pages, which have the state of the last commits. All numbers are little-endian, as on the machine. */
const MAGIC_AT = 24
const MAGIC = 0xbeefc0de
const VERSION_AT = 28
const VERSION = 2
const PAGE_BYTES_AT = 48
const LAST_PAGE_AT = 144
/** 64 TB. */
const MOST_PAGES = 2 ** 33

/** Twice the size of an empty store with its tables. */
const FIRST_BYTES = 512 * 1024

/** Errors of the disk, the quota or the file size limit. */
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** More than LMDB's table of readers needs. */
const LOCK_BYTES = 128 * 1024

/** Throws `KvError` if a store can be neither opened nor made in the folder. `isOld`: a store was made there before. */
export function prepareDataFile(folder: string, isOld: boolean): Promise<void> {
  return explained(folder, async () => {
    const path = join(folder, 'data.mdb')
    if (!(await hasStore(path, 'r+'))) {
      // A new store in its place would look as if all objects had been deleted.
      if (isOld) {
        const advice = `restore a backup, or remove ${folder} to begin with an empty store`
        throw new KvError('corrupt', `${path} is missing or cut off: ${advice}`)
      }
      await rm(path, { force: true })
      await checkRoom(join(folder, 'room.new'))
      // LMDB treats an empty file like a missing file. A file that LMDB makes can be read by other users.
      await makePrivateFile(path)
    }
    await allocateLockFile(join(folder, 'lock.mdb'))
  })
}

/** Checks a store that is only read. Throws `KvError` if it cannot be opened. */
export function checkDataFile(folder: string): Promise<void> {
  return explained(folder, async () => {
    if (!(await hasStore(join(folder, 'data.mdb'), 'r'))) {
      throw new KvError('unavailable', `there is no store in ${folder}`)
    }
    await allocateLockFile(join(folder, 'lock.mdb'))
  })
}

async function explained(folder: string, prepare: () => Promise<void>): Promise<void> {
  try {
    await prepare()
  } catch (error) {
    if (error instanceof KvError) throw error
    const code = NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '') ? 'full' : 'unavailable'
    throw new KvError(code, `cannot open the data in ${folder}: ${(error as Error).message}`, { cause: error })
  }
}

/** Makes the file if it is missing. Only its owner may read it. */
export async function makePrivateFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  await file.close()
}

/** Writes a folder to the disk. Without the sync, a new file in the folder may be gone after the machine stops. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** False if the file is missing, or if its first write failed. Throws if the file is not a store. */
async function hasStore(path: string, mode: 'r' | 'r+'): Promise<boolean> {
  const file = await open(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return false
  try {
    const { size } = await file.stat()
    if (size < 2 * PAGE_BYTES) return false
    const pages = Math.max(await checkPage(file, path, 0), await checkPage(file, path, PAGE_BYTES))
    // Reading beyond the end of a mapped file would end the process. Zeros are found to be damaged instead. LMDB itself leaves out pages at
    // the end that it has freed again.
    if (mode === 'r+' && size < pages * PAGE_BYTES) await file.truncate(pages * PAGE_BYTES)
    return true
  } finally {
    await file.close()
  }
}

/** Returns the number of pages that the file has after this commit. */
async function checkPage(file: FileHandle, path: string, at: number): Promise<number> {
  const page = Buffer.alloc(LAST_PAGE_AT + 8)
  await file.read(page, 0, page.length, at)
  const isOurs =
    page.readUInt32LE(MAGIC_AT) === MAGIC &&
    page.readUInt32LE(VERSION_AT) === VERSION &&
    page.readUInt32LE(PAGE_BYTES_AT) === PAGE_BYTES
  const pages = Number(page.readBigUInt64LE(LAST_PAGE_AT)) + 1
  if (!isOurs || pages > MOST_PAGES) throw new KvError('corrupt', `${path} is corrupt, or not a store of this program`)
  return pages
}

async function checkRoom(path: string): Promise<void> {
  try {
    await extend(path, FIRST_BYTES)
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * LMDB writes to this file through mapped memory. With a full disk, such a write would end the process. So the whole file is allocated
 * first. Existing content stays: it has the present readers of the store.
 */
async function allocateLockFile(path: string): Promise<void> {
  await extend(path, LOCK_BYTES)
}

/** Extends the file with zeros to the size. */
async function extend(path: string, bytes: number): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    const { size } = await file.stat()
    if (size >= bytes) return
    const { bytesWritten } = await file.write(Buffer.alloc(bytes - size), 0, bytes - size, size)
    if (bytesWritten < bytes - size) throw new KvError('full', `no space left for ${path}`)
    await file.sync()
  } finally {
    await file.close()
  }
}
