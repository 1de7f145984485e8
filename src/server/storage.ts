// Opens the configured storage engine, and keeps it from growing. Errors are one line.
import type { MemoryKv, MemorySnapshot } from '../kv/embedded/memory.ts'
import { type Kv, KvError } from '../kv/kv.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Compactor } from '../store/compactor.ts'
import type { Config, EtcdConfig, StorageConfig } from '../config/config.ts'
import { readTextFile } from '../config/files.ts'
import { StartError } from '../config/start-error.ts'

/** There is no disk to keep history on: five minutes of it, unless that is more than this. */
const MEMORY_HISTORY_BYTES = 64 * 1024 * 1024

export interface Storage {
  readonly kv: Kv
  /** The same, where it is in memory. */
  readonly memory?: MemoryKv
}

/** In memory, from the snapshot on if there is one. Throws a `StartError` where the engine says what is wrong. */
export async function openStorage(
  config: Config,
  snapshot: MemorySnapshot | undefined,
  signal: AbortSignal,
): Promise<Storage> {
  try {
    return await openEngine(config, snapshot, signal)
  } catch (error) {
    throw error instanceof KvError ? new StartError(error.message, { cause: error }) : error
  }
}

async function openEngine(config: Config, snapshot: MemorySnapshot | undefined, signal: AbortSignal): Promise<Storage> {
  const { storage } = config
  if (snapshot !== undefined && storage.kind !== 'memory') {
    throw new StartError('only a server in memory can begin with a snapshot: leave out where its data is to be kept')
  }
  switch (storage.kind) {
    case 'memory': {
      const { openMemory } = await import('../kv/embedded/memory.ts')
      const memory = openMemory({ historyBytes: MEMORY_HISTORY_BYTES, ...(snapshot === undefined ? {} : { snapshot }) })
      return { kv: memory, memory }
    }
    case 'embedded': {
      const { openEmbedded } = await import('../kv/embedded/embedded.ts')
      return { kv: await openEmbedded({ dataDir: storage.directory }, signal) }
    }
    case 'etcd': {
      const { openEtcd } = await import('../kv/etcd/etcd.ts')
      const { endpoints } = storage
      return { kv: await openEtcd({ endpoints, prefix: config.storagePrefix, tls: etcdTls(storage) }, signal) }
    }
  }
}

function etcdTls({ caFile, client }: EtcdConfig): { ca?: string; certificate?: string; key?: string } {
  return {
    ...(caFile === undefined ? {} : { ca: readTextFile(caFile, '--etcd-cafile') }),
    ...(client === undefined
      ? {}
      : {
          certificate: readTextFile(client.certificateFile, '--etcd-certfile'),
          key: readTextFile(client.keyFile, '--etcd-keyfile'),
        }),
  }
}

/** For people: where the data is. */
export function describeStorage(config: StorageConfig): string {
  switch (config.kind) {
    case 'memory':
      return 'in memory only; it is gone when the server stops'
    case 'embedded':
      return config.directory
    case 'etcd':
      return `etcd at ${config.endpoints.join(', ')}`
  }
}

/** So that the storage does not grow for ever; not where the operator says that somebody else does it. */
export async function forgetHistory(parts: { config: Config; kv: Kv; log: Log }, signal: AbortSignal): Promise<void> {
  const { config, kv, log } = parts
  const { storagePrefix: prefix, compactionIntervalMs: intervalMs } = config
  if (intervalMs === 0) return
  const onError = (error: unknown): void => log.warn({ err: error }, 'compaction failed')
  await new Compactor({ kv, prefix, intervalMs, clock: systemClock, onError }).run(signal)
}
