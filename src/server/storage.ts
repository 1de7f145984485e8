// Opens the configured storage engine, and keeps it from growing. Errors are one line.
import { unfinishedSince } from '../kv/backup/unfinished.ts'
import type { RestorableKv, StoreCopy } from '../kv/copy.ts'
import type { EmbeddedKv } from '../kv/embedded/embedded.ts'
import type { Dial, Etcd } from '../kv/etcd/etcd.ts'
import type { MemoryKv, MemorySnapshot } from '../kv/embedded/memory.ts'
import { type Kv, KvError, prefixRange, type Revision } from '../kv/kv.ts'
import type { Maintenance } from '../kv/maintenance.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Tracing } from '../lib/tracing.ts'
import { Compactor } from '../store/compactor.ts'
import { newerFormat } from '../store/storage-format.ts'
import { SpaceKeeper } from '../store/space-keeper.ts'
import type { Config } from '../config/config.ts'
import type { EmbeddedConfig, EtcdConfig, OwnStorageConfig, StorageConfig } from '../config/storage-config.ts'
import { readAuthorities, readTextFile } from '../config/files.ts'
import { StartError } from '../config/start-error.ts'
import { programVersion } from '../telemetry/version.ts'
import type { StoreLink } from './worker-parts.ts'

/** Without a disk, history is kept for five minutes, or up to this size. The history of the watch cache has the same limit in a small store. */
const MEMORY_HISTORY_BYTES = 32 * 1024 * 1024

export interface Storage {
  readonly kv: Kv
  /** The same store, if it is in memory. */
  readonly memory?: MemoryKv
  /** The maintenance of the members of an etcd. */
  readonly maintenance?: Maintenance
}

interface StorageOrder {
  readonly config: Config
  readonly clock: Clock
  readonly snapshot: MemorySnapshot | undefined
  readonly tracing: Tracing | undefined
  /** The store of the supervisor, which is used in place of the configured one. */
  readonly link: StoreLink | undefined
  /** Connects to etcd's members. Absent: by sockets. */
  readonly dial?: Dial | undefined
}

/**
 * Opens the store of the supervisor, or else the configured one. Only a store in memory can begin with a snapshot. Throws a `StartError`
 * with the fault of the engine.
 */
export function openStorage(order: StorageOrder, signal: AbortSignal): Promise<Storage> {
  return explained(() => openEngine(order, signal))
}

/** Opens a store other than etcd, which the caller serves to other processes. Throws as `openStorage` does. */
export function openOwnStorage(storage: OwnStorageConfig, clock: Clock, signal: AbortSignal): Promise<Storage> {
  return explained(() => openOwnEngine(storage, { clock, snapshot: undefined }, signal))
}

async function openEngine(order: StorageOrder, signal: AbortSignal): Promise<Storage> {
  const { config, clock, snapshot, tracing, link, dial } = order
  const { storage } = config
  if (link !== undefined) return { kv: await openSupervisorsStore(link, signal) }
  if (snapshot !== undefined && storage.kind !== 'memory') {
    throw new StartError('only a server in memory can begin with a snapshot: name no directory or etcd for its data')
  }
  if (storage.kind !== 'etcd') return openOwnEngine(storage, { clock, snapshot }, signal)
  const kv = await openConfiguredEtcd(storage, { config, tracing, dial }, signal)
  return { kv, maintenance: kv.maintenance }
}

async function openSupervisorsStore({ path, level }: StoreLink, signal: AbortSignal): Promise<Kv> {
  const { LINK_LEVEL, openLink } = await import('../kv/link/link.ts')
  if (level !== LINK_LEVEL) throw new StartError('the supervisor is of another version: restart the server')
  return openLink(path, signal)
}

/** Opens a store of our own: embedded or in memory. */
async function openOwnEngine(
  storage: OwnStorageConfig,
  { clock, snapshot }: Pick<StorageOrder, 'clock' | 'snapshot'>,
  signal: AbortSignal,
): Promise<Storage> {
  if (storage.kind === 'embedded') return { kv: await openConfiguredEmbedded(storage, clock, signal) }
  const { openMemory } = await import('../kv/embedded/memory.ts')
  const memory = openMemory({
    clock,
    historyBytes: MEMORY_HISTORY_BYTES,
    ...(snapshot === undefined ? {} : { snapshot }),
  })
  return { kv: memory, memory }
}

async function openConfiguredEmbedded(storage: EmbeddedConfig, clock: Clock, signal: AbortSignal): Promise<EmbeddedKv> {
  const { openEmbedded } = await import('../kv/embedded/embedded.ts')
  const { directory: dataDir, keptBytes } = storage
  return openEmbedded({ dataDir, clock, keptBytes }, signal)
}

async function openConfiguredEtcd(
  storage: EtcdConfig,
  { config, tracing, dial }: Pick<StorageOrder, 'config' | 'tracing' | 'dial'>,
  signal: AbortSignal,
): Promise<Etcd> {
  const { openEtcd } = await import('../kv/etcd/etcd.ts')
  const { endpoints } = storage
  const metadata = tracing === undefined ? undefined : () => tracing.headers()
  const streamsRanges = config.featureGates['EtcdRangeStream'] === true
  const { storagePrefix: prefix } = config
  return openEtcd({ endpoints, prefix, tls: etcdTls(storage), metadata, dial, streamsRanges }, signal)
}

/** Opens etcd for a program that is not a server. Throws as `openStorage` does. */
export function openEtcdStorage(config: Config, storage: EtcdConfig, signal: AbortSignal): Promise<Etcd> {
  return explained(() => openConfiguredEtcd(storage, { config, tracing: undefined }, signal))
}

/** Opens a store to restore into. Throws as `openStorage` does. */
export async function openRestorable(
  order: Pick<StorageOrder, 'config' | 'clock'>,
  signal: AbortSignal,
): Promise<RestorableKv> {
  const { config, clock } = order
  const { storage } = config
  if (storage.kind === 'memory') throw inMemory()
  return explained<RestorableKv>(() =>
    storage.kind === 'etcd'
      ? openConfiguredEtcd(storage, { config, tracing: undefined }, signal)
      : openConfiguredEmbedded(storage, clock, signal),
  )
}

/** Throws a `StartError` while a restore into the store is not finished. */
export async function checkWhole(kv: Kv, config: Config, signal: AbortSignal): Promise<void> {
  const since = await explained(() => unfinishedSince(kv, config.storagePrefix, signal))
  if (since === undefined) return
  const where = describeStorage(config.storage)
  throw new StartError(`the restore of ${since} into ${where} was not finished; run quarterdeck restore again`)
}

/** Throws a `StartError` if the stored data needs a newer version. */
export async function checkFormat(kv: Kv, config: Config, signal: AbortSignal): Promise<void> {
  const { storage, storagePrefix } = config
  // No other process sees a store in memory.
  if (storage.kind === 'memory') return
  const newer = await explained(() => newerFormat(kv, storagePrefix, signal))
  if (newer === undefined) return
  const where = describeStorage(storage)
  throw new StartError(
    `what is stored in ${where} is in format ${newer.level}: it takes version ${newer.needs} or later, and this is ${programVersion()}`,
  )
}

/** Throws a `StartError` if the copy is empty and the store has keys under other prefixes: then the prefix is wrong. */
export async function checkPrefix(copy: StoreCopy, config: Config, signal: AbortSignal): Promise<void> {
  const { storage, storagePrefix: prefix } = config
  // Under the prefix, etcd may have keys that a copy leaves out.
  for (const start of copy.count > 0 ? [] : ['', prefixRange(prefix).end]) {
    const key = await explained(() => copy.firstKey(start, signal))
    if (key === undefined || key.startsWith(prefix)) continue
    throw new StartError(
      `${describeStorage(storage)} has no keys under ${prefix}, but others, such as ${key}: give their prefix with --etcd-prefix`,
    )
  }
}

/** Turns the fault of the engine into a message of one line. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof KvError ? new StartError(error.message, { cause: error }) : error
  }
}

function inMemory(): StartError {
  return new StartError('other processes cannot read the memory of a server')
}

interface CopyOrder {
  readonly config: Config
  readonly clock: Clock
  /** Absent: the newest revision. */
  readonly at?: Revision | undefined
  /** Whether opening an embedded store fails while another process uses it. */
  readonly exclusive?: boolean
  readonly takesDamaged?: boolean
}

/** Opens a copy of the stored data, even while servers use it. Throws as `openStorage` does. */
export function openStorageCopy(order: CopyOrder, signal: AbortSignal): Promise<StoreCopy> {
  const { config, clock, at, exclusive, takesDamaged } = order
  const { storage, storagePrefix: prefix } = config
  return explained(async () => {
    switch (storage.kind) {
      case 'memory':
        throw inMemory()
      case 'embedded': {
        const { openEmbeddedCopy } = await import('../kv/embedded/copy.ts')
        return openEmbeddedCopy({ dataDir: storage.directory, prefix, at, exclusive, takesDamaged, clock }, signal)
      }
      case 'etcd': {
        const { openEtcdCopy } = await import('../kv/etcd/copy.ts')
        return openEtcdCopy({ endpoints: storage.endpoints, prefix, at, tls: etcdTls(storage) }, signal)
      }
    }
  })
}

/** For probes: throws if the store cannot be used. A full store passes: only a server that gets requests can delete objects. */
export async function checkUsable(kv: Kv, signal: AbortSignal): Promise<void> {
  try {
    await kv.checkHealth(signal)
  } catch (error) {
    if (!(error instanceof KvError && error.code === 'full')) throw error
  }
}

interface HistoryParts {
  readonly config: Config
  readonly kv: Kv
  readonly clock: Clock
  readonly log: Log
}

/** Bounds the history of the storage. Undefined if the operator leaves compaction to another program. */
export function openCompactor({ config, kv, clock, log }: HistoryParts): Compactor | undefined {
  const { storagePrefix: prefix, compactionIntervalMs: intervalMs } = config
  if (intervalMs === 0) return undefined
  const onError = (error: unknown): void => log.warn({ err: error }, 'compaction failed')
  return new Compactor({ kv, prefix, intervalMs, clock, onError })
}

interface SpaceParts extends Storage {
  readonly storage: StorageConfig
  readonly log: Log
}

/** Warns before the space ends, and defragments etcd if that is the server's task. */
export async function keepSpace({ storage, kv, maintenance, log }: SpaceParts, signal: AbortSignal): Promise<void> {
  if (storage.kind === 'memory') return
  const bounds = storage.kind === 'etcd' ? storage.defragment : undefined
  // Storage fills up by real time, even under a virtual clock.
  await new SpaceKeeper({ kv, maintenance, bounds, clock: systemClock, log }).run(signal)
}

function etcdTls({ caFile, client }: EtcdConfig): { ca?: string; certificate?: string; key?: string } {
  return {
    ...(caFile === undefined ? {} : { ca: readAuthorities(caFile, '--etcd-cafile') }),
    ...(client === undefined
      ? {}
      : {
          certificate: readTextFile(client.certificateFile, '--etcd-certfile'),
          key: readTextFile(client.keyFile, '--etcd-keyfile'),
        }),
  }
}

/** The place of the data, for messages to users. */
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
