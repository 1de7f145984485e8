// Opens the durable engine: a store in a directory and in this process, for installations without etcd. Every acknowledged write is on the
// disk. The event loop never waits for the disk.
import { type Clock, systemClock } from '../../lib/clock.ts'
import { throwIfCancelled } from '../../lib/errors.ts'
import type { RestorableKv } from '../copy.ts'
import { KvError } from '../kv.ts'
import type { TransactionalKv } from '../transactional.ts'
import { openDataDirectory } from './data-directory.ts'
import { prepareDataFile, syncFolder } from './data-file.ts'
import { DurableKv } from './durable-kv.ts'
import { MappedMemory } from './mapped-memory.ts'
import { checkPut } from './request-check.ts'
import type { Counters } from './table-writer.ts'
import { Tables } from './tables.ts'

/** Throws a `KvError` for an item that the engine refuses. */
export { checkPut }

export interface EmbeddedOptions {
  /** Created if it does not exist. Only one process at a time can open it. */
  readonly dataDir: string
  /** Puts are refused as `full` while more than this is in use. Absent: the disk is the limit. */
  readonly maxBytes?: number
  /** Compaction keeps history while the store uses less than this. Absent: compaction keeps no history. */
  readonly keptBytes?: number | undefined
  readonly clock?: Clock
  /** Decides when the file is reopened. */
  readonly mapped?: MappedMemory
}

export interface EmbeddedKv extends TransactionalKv, Pick<RestorableKv, 'skipTo'> {
  /** The number of open watches and timers. A cancelled call must leave no watch and no timer behind. */
  readonly liveHandles: number
}

/** Throws `KvError` with one clear line if the folder is in use, of a newer format, damaged or not writable. */
export async function openEmbedded(options: EmbeddedOptions, signal: AbortSignal): Promise<EmbeddedKv> {
  throwIfCancelled(signal)
  const directory = await openDataDirectory(options.dataDir)
  try {
    await prepareDataFile(directory.path, directory.hasStore)
    const tables = openTables(directory.path)
    await syncFolder(directory.path)
    const counters = await checked(directory.path, tables)
    if (tables.lastLogged() > counters.newest || counters.oldest > counters.newest) {
      await tables.close()
      throw new KvError('corrupt', `the data in ${directory.path} is inconsistent`)
    }
    await directory.mark().catch(async (error: unknown) => {
      await tables.close()
      throw error
    })
    const kv = new DurableKv({
      directory,
      tables,
      counters,
      clock: options.clock ?? systemClock,
      maxBytes: options.maxBytes ?? Number.POSITIVE_INFINITY,
      keptBytes: options.keptBytes ?? 0,
      mapped: options.mapped ?? new MappedMemory(),
    })
    kv.start()
    return kv
  } catch (error) {
    directory.release()
    throw error
  }
}

async function checked(path: string, tables: Tables): Promise<Counters> {
  try {
    tables.checkKeys()
    return tables.counters()
  } catch (error) {
    await tables.close()
    if (error instanceof KvError) throw error
    const message = `the data in ${path} is damaged: ${(error as Error).message}; restore a backup`
    throw new KvError('corrupt', message, { cause: error })
  }
}

function openTables(path: string): Tables {
  try {
    return new Tables(path)
  } catch (error) {
    const ENOSPC = 28
    const code = (error as { code?: number }).code === ENOSPC ? 'full' : 'corrupt'
    throw new KvError(code, `cannot open the data in ${path}: ${(error as Error).message}`, { cause: error })
  }
}
