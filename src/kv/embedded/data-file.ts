// Checks the file before LMDB opens it. The package ends the process where LMDB refuses a file, so everything that could make it
// refuse is checked here first and reported as an error.
import { constants, type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { KvError } from '../kv.ts'

/**
 * Independent of the machine's own pages, so that a store can be moved. Most objects fit into one page: larger records need
 * adjacent pages, which LMDB searches long for where much is free; and a commit writes every page that it touches.
 */
export const PAGE_BYTES = 8192

/** Of each of the two first pages, with the state as of the last commits. All numbers are little-endian, as the machine is. */
const MAGIC_AT = 24
const MAGIC = 0xbeefc0de
const VERSION_AT = 28
const VERSION = 2
const PAGE_BYTES_AT = 48

/** An empty store with its tables, twice over. */
const FIRST_BYTES = 512 * 1024

/** Of the disk, the quota or the file size limit. */
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** More than LMDB's table of readers needs. */
const LOCK_BYTES = 128 * 1024

/** Throws `KvError` where there is no store in the folder that can be opened, and none can be made. */
export function prepareDataFile(folder: string): Promise<void> {
  return explained(folder, async () => {
    const path = join(folder, 'data.mdb')
    if (await checkFile(path, 'r+')) {
      await rm(path, { force: true })
      await checkRoom(join(folder, 'room.new'))
      // Empty is as good as none to LMDB, which would let others read what it makes.
      await makePrivateFile(path)
    }
    await allocateLockFile(join(folder, 'lock.mdb'))
  })
}

/** The same, for who only reads. */
export function checkDataFile(folder: string): Promise<void> {
  return explained(folder, async () => {
    if (await checkFile(join(folder, 'data.mdb'), 'r')) {
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

/** Makes the file if it is missing. Only its owner may read it, whichever default the system has. */
export async function makePrivateFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  await file.close()
}

/** A file that was made is only sure to be found after the machine stops when its folder is on the disk too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether there is no store yet: no file, or one that was not even begun, because its first write failed. */
async function checkFile(path: string, mode: 'r' | 'r+'): Promise<boolean> {
  const file = await open(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return true
  try {
    const { size } = await file.stat()
    if (size < 2 * PAGE_BYTES) return true
    await checkPage(file, path, 0)
    await checkPage(file, path, PAGE_BYTES)
    return false
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
 * LMDB writes to this file through memory, where a full disk would end the process: so all of it is allocated beforehand. What is there
 * already stays as it is: it tells of those who read the store at this moment.
 */
async function allocateLockFile(path: string): Promise<void> {
  await extend(path, LOCK_BYTES)
}

/** Writes zeros behind what the file has, up to so many bytes. */
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
