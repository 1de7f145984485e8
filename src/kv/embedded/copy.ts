// Copies a durable store that another process may have open. LMDB lets other processes read, and keeps the pages of a snapshot until the
// snapshot is released.
import type { Clock } from '../../lib/clock.ts'
import { throwIfCancelled } from '../../lib/errors.ts'
import type { CopiedItem, CopyRequest, StoreCopy } from '../copy.ts'
import { damageOf } from '../damaged-value.ts'
import { KvError, prefixRange, type Revision } from '../kv.ts'
import { NO_LEASE } from '../transactional.ts'
import { type DataDirectory, openToRead } from './data-directory.ts'
import { checkDataFile } from './data-file.ts'
import { type PutEntry, RangeRead } from './range-read.ts'
import type { LogEntry } from './records.ts'
import { checkReadable } from './request-check.ts'
import { type Snapshot, Tables } from './tables.ts'

export interface EmbeddedCopyRequest extends CopyRequest {
  readonly dataDir: string
  readonly clock: Clock
}

/** Throws `KvError` if there is no readable store, or if its revision `at` cannot be read. */
export async function openEmbeddedCopy(request: EmbeddedCopyRequest, signal: AbortSignal): Promise<StoreCopy> {
  throwIfCancelled(signal)
  const directory = await openToRead(request.dataDir, request.exclusive ?? false)
  try {
    await checkDataFile(directory.path)
    return await takeCopy(directory, request, signal)
  } catch (error) {
    directory.release()
    throw error
  }
}

async function takeCopy(
  directory: DataDirectory,
  request: EmbeddedCopyRequest,
  signal: AbortSignal,
): Promise<StoreCopy> {
  const tables = new Tables(directory.path, true)
  const snapshot = tables.takeSnapshot()
  const close = async (): Promise<void> => {
    tables.release(snapshot)
    await tables.close()
  }
  try {
    tables.checkKeys()
    const counters = tables.counters(snapshot)
    const revision = request.at ?? counters.newest
    checkReadable(revision, counters)
    const from = { tables, snapshot, range: { ...prefixRange(request.prefix), at: request.at } }
    const count = await new RangeRead({ ...from, signal }).count()
    return new EmbeddedCopy({
      ...from,
      revision,
      count,
      clock: request.clock,
      takesDamaged: request.takesDamaged ?? false,
      close: () => close().finally(() => directory.release()),
    })
  } catch (error) {
    await close()
    throw error
  }
}

function refuseDamaged({ key, value }: PutEntry): void {
  const damage = damageOf(value)
  if (damage !== undefined) throw new KvError('corrupt', `${key}: ${damage}`)
}

interface CopyParts extends Pick<StoreCopy, 'revision' | 'count' | 'close'> {
  readonly tables: Tables
  readonly snapshot: Snapshot
  readonly range: { readonly start: string; readonly end: string; readonly at: Revision | undefined }
  readonly clock: Clock
  readonly takesDamaged: boolean
}

class EmbeddedCopy implements StoreCopy {
  readonly revision: Revision
  readonly count: number
  readonly close: () => Promise<void>
  readonly #parts: CopyParts

  constructor(parts: CopyParts) {
    this.#parts = parts
    this.revision = parts.revision
    this.count = parts.count
    this.close = parts.close
  }

  async *pages(signal: AbortSignal): AsyncGenerator<readonly CopiedItem[]> {
    for await (const entries of new RangeRead({ ...this.#parts, signal }).entries()) {
      if (!this.#parts.takesDamaged) for (const entry of entries) refuseDamaged(entry)
      yield entries.map((entry) => this.#toItem(entry))
    }
  }

  async firstKey(start: string, signal: AbortSignal): Promise<string | undefined> {
    const range = { start, end: undefined, at: this.#parts.range.at }
    return (await new RangeRead({ ...this.#parts, range, signal }).items(1)).items[0]?.key
  }

  async newestRevision(): Promise<Revision> {
    return this.#parts.tables.newest()
  }

  #toItem(entry: PutEntry): CopiedItem {
    const { key, value, revision, createRevision } = entry
    return { key, value, revision, createRevision, ttlSeconds: this.#ttlSeconds(entry) }
  }

  /** A lease starts again whenever its store is served, so its keys get its full time. */
  #ttlSeconds({ deadlineMs, lease }: LogEntry): number | undefined {
    if (lease !== NO_LEASE) return this.#parts.tables.secondsOfLease(lease) ?? 1
    if (deadlineMs === 0) return undefined
    return Math.max(1, Math.ceil((deadlineMs - this.#parts.clock.now()) / 1000))
  }
}
