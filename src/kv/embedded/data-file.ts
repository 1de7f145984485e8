// Checks the file before LMDB opens it. The package ends the process if LMDB refuses a file, so every reason to
// refuse it is checked here first and reported as an error.
import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { KvError } from '../kv.ts'

/**
 * The same on machines with other page sizes, so that a store can be moved. Most objects fit into one page. A larger record needs
 * adjacent pages, and LMDB searches for them for a long time if many are free. A commit writes every page that it touches.
 */
export const PAGE_BYTES = 8192

/** Places in the first two pages, which have the state of the last commits. All numbers are little-endian, as on the machine. */
const MAGIC_AT = 24
const MAGIC = 0xbeefc0de
const VERSION_AT = 28
const VERSION = 2
const PAGE_BYTES_AT = 48

/** Twice the size of an empty store with its tables. */
const FIRST_BYTES = 512 * 1024

/** Errors of the disk, the quota or the file size limit. */
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** More than LMDB's table of readers needs. */
const LOCK_BYTES = 128 * 1024

/** Throws `KvError` if a store can be neither opened nor made in the folder. */
export function prepareDataFile(folder: string): Promise<void> {
  return explained(folder, async () => {
    const path = join(folder, 'data.mdb')
    if (!(await hasStore(path, 'r+'))) {
      await rm(path, { force: true })
      await checkRoom(join(folder, 'room.new'))
      // LMDB treats an empty file like a missing one. A file that LMDB makes can be read by other users.
      await makePrivateFile(path)
    }
    await allocateLockFile(join(folder, 'lock.mdb'))
  })
}

/** The same checks for a store that is only read. */
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

/** A new file is sure to exist after the machine stops only if its folder is on the disk too. */
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
    await checkPage(file, path, 0)
    await checkPage(file, path, PAGE_BYTES)
    return true
  } finally {
    await file.close()
  }
}

async function checkPage(file: FileHandle, path: string, at: number): Promise<void> {
  const page = Buffer.alloc(PAGE_BYTES_AT + 4)
  await file.read(page, 0, page.length, at)
  const isOurs =
    page.readUInt32LE(MAGIC_AT) === MAGIC &&
    page.readUInt32LE(VERSION_AT) === VERSION &&
    page.readUInt32LE(PAGE_BYTES_AT) === PAGE_BYTES
  if (!isOurs) throw new KvError('corrupt', `${path} is corrupt, or not a store of this program`)
}

async function checkRoom(path: string): Promise<void> {
  try {
    await extend(path, FIRST_BYTES)
  } finally {
    await rm(path, { force: true })
  }
}

/**
 * LMDB writes to this file through mapped memory. A full disk would end the process then, so all of it is allocated first. Existing
 * content stays: it has the present readers of the store.
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
