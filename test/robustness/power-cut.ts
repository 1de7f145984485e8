// Takes back from a file what a power cut may lose: any part of the writes that were not synced (`unsynced-writes.c` tells them).
import { execFile } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findOnPath } from '../rigs/made-once.ts'

/** What a disk writes, or does not, as a whole. */
const SECTOR_BYTES = 512

export interface Unsynced {
  readonly offset: number
  /** What was there before. */
  readonly replaced: Buffer
}

/** The library to load before a process; undefined where there is no compiler. */
export async function buildJournal(folder: string): Promise<string | undefined> {
  const compiler = (await findOnPath('cc')) ?? (await findOnPath('gcc')) ?? (await findOnPath('clang'))
  if (compiler === undefined) return undefined
  const library = join(folder, 'unsynced-writes.so')
  const source = join(import.meta.dirname, 'unsynced-writes.c')
  await promisify(execFile)(compiler, ['-shared', '-fPIC', '-O1', '-Wall', '-o', library, source, '-ldl', '-lpthread'])
  return library
}

/** The writes that no sync came after, from the first to the last; `ignoreSyncs`: all of them. */
export async function readUnsynced(journal: string, ignoreSyncs = false): Promise<readonly Unsynced[]> {
  const bytes = await readFile(journal)
  let unsynced: Unsynced[] = []
  let at = 0
  while (at < bytes.length) {
    const kind = String.fromCharCode(bytes[at]!)
    if (kind === 'W') {
      const offset = Number(bytes.readBigUInt64LE(at + 1))
      const end = at + 13 + bytes.readUInt32LE(at + 9)
      // The process was killed within this record, before the write itself.
      if (end > bytes.length) break
      unsynced.push({ offset, replaced: bytes.subarray(at + 13, end) })
      at = end
      continue
    }
    if (kind === 'D' && !ignoreSyncs) unsynced.pop()
    if (kind === 'S' && !ignoreSyncs) unsynced = []
    at++
  }
  return unsynced
}

/** `loses` decides for each sector of each write. The number of sectors that were lost. */
export async function cutPower(file: string, unsynced: readonly Unsynced[], loses: () => boolean): Promise<number> {
  const handle = await open(file, 'r+')
  let lost = 0
  try {
    for (const { offset, replaced } of unsynced.toReversed()) {
      for (let at = 0; at < replaced.length; at += SECTOR_BYTES) {
        if (!loses()) continue
        const sector = replaced.subarray(at, at + SECTOR_BYTES)
        await handle.write(sector, 0, sector.length, offset + at)
        lost++
      }
    }
  } finally {
    await handle.close()
  }
  return lost
}
