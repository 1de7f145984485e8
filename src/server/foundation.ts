// The inputs of a server at its start, and the parts that exist before it serves anything.
import type { SimulatedContainers } from '../controllers/cluster/cluster.ts'
import { KeptFunctions } from '../extensions/kept-functions.ts'
import type { CallerFilter, Filter, Handler } from '../http/http.ts'
import type { HandedSockets } from '../http/listener.ts'
import type { MemoryKv } from '../kv/embedded/memory.ts'
import type { Dial } from '../kv/etcd/etcd.ts'
import type { Route } from '../http/router.ts'
import type { Kv } from '../kv/kv.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import type { Resource } from '../registry/registry.ts'
import type { GroupVersionResource } from '../api/object.ts'
import type { TlsFiles } from '../http/tls-server.ts'
import type { TokenMethod } from '../auth/bearer-tokens.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Log, logOf } from '../lib/log.ts'
import { type Random, seededRandom, systemRandom } from '../lib/random.ts'
import { releaseByWork } from '../lib/runtime/compilers.ts'
import { type Runtime, runtimeOf } from '../lib/runtime/runtime.ts'
import type { PageSource } from '../telemetry/management/management.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import type { SchemaTable } from '../schema/table.ts'
import { adminToken } from '../config/admin.ts'
import { ownAddress } from '../config/advertised-address.ts'
import type { Config } from '../config/config.ts'
import type { ResourceParts } from '../handlers/resource-parts.ts'
import { type AtRest, openAtRest } from './encryption.ts'
import { closeDataDirectory, makePrivateDirectory } from '../config/files.ts'
import { ServerMeasures } from './measures.ts'
import { accountKeys, warnOfOwnKey } from '../config/account-keys.ts'
import { Lifecycle } from '../http/lifecycle.ts'
import { type Authority, type ServerState } from './past.ts'
import { servingFiles } from '../config/serving-files.ts'
import { LiveConfig } from '../config/live-config.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { checkFormat, checkWhole, openStorage, type Storage } from './storage.ts'
import type { WorkerParts } from './worker-parts.ts'
import type { RunningTracing } from '../telemetry/tracing.ts'
import { startTracing } from './tracing.ts'

/** The data that a client needs to reach a server as its administrator. */
export interface ServerAccess {
  /** The URL on this machine: `https://127.0.0.1:6443`. */
  readonly url: string
  /** In PEM. Undefined: clients already trust the operator's certificate. */
  readonly authority: string | undefined
  readonly adminToken: string
}

/** The activity of the server, as its calls to the store show it. */
export interface Activity {
  /** Returns the same store, with every call observed. */
  around(kv: Kv): Kv
  /** Resolves when the server makes no more calls to its store. */
  settled(): Promise<void>
  /** Returns a handler that begins each request when the work of the earlier requests is done. */
  inOrder(handler: Handler): Handler
}

/** The points at which faults are injected: around requests, watches and the store. */
export interface FaultPoints {
  /** Called with the resources that the server has. No request or watch gets a fault before this call. */
  know(resources: KnownResources): void
  readonly requests: CallerFilter
  readonly watched: NonNullable<ResourceParts['watches']['wrap']>
  stored(kv: Kv): Kv
  readonly routes: readonly Route[]
  /** Removes all faults. */
  clear(): void
}

interface KnownResources {
  readonly groups: () => readonly DiscoveryGroup[]
  readonly find: (resource: GroupVersionResource) => Resource | undefined
}

export interface ServerLinks {
  /** Connects to the members of etcd. */
  readonly dial?: Dial
  /** The address for clients, and the connections of these clients. Clients in this process do not need them. */
  readonly sockets?: HandedSockets
}

export interface StartOrder {
  readonly config: Config
  readonly log: Log
  /** The clock for times of day and for repeated work. Absent: the system's. */
  readonly clock?: Clock
  /** The seed of uids, generated names and other random texts. Absent: they are unpredictable. */
  readonly seed?: string
  /** Observes the activity of the server. With a seed, it decides the order of requests. */
  readonly activity?: Activity
  /** Ends the start. */
  readonly signal: AbortSignal
  /** Tokens in addition to those of the configuration. */
  readonly tokens?: TokenMethod
  /** Sees every request before anything else does. */
  readonly recordRequests?: Filter
  /** Called once the server listens, which is before it is ready. */
  readonly onListening?: (access: ServerAccess, pages: PageSource) => void
  /** The process does other work too. The server then leaves V8's flags and garbage collection alone. */
  readonly sharesProcess?: boolean
  /** The state to continue from. The start then resolves at once, and the first request waits for the rest. Only for a server in memory. */
  readonly from?: ServerState
  /** The parts from the supervisor, if the server is one of several workers. */
  readonly worker?: WorkerParts
  /** Injects faults into this server. */
  readonly faults?: FaultPoints | undefined
  /** A store in memory that belongs to another server in this process. That server closes the store. `config` has storage in memory. */
  readonly memory?: MemoryKv
  /** The connections to the server and from it, if it must not use sockets. */
  readonly links?: ServerLinks
  /** The logs, commands and ports of containers on simulated nodes, from a program. */
  readonly containers?: SimulatedContainers | undefined
  /** Routes that are served with `--dev`, in addition to the server's own. */
  readonly devRoutes?: readonly Route[]
}

/** If the store has more bytes, loading them takes longer than optimizing the code that loads them. */
const MUCH_TO_LOAD_BYTES = 4 * 1024 * 1024

/** Functions that change the whole process. A server that shares its process has none of them. */
type ProcessRuntime = Partial<Pick<Runtime, 'compilers' | 'takeCollector' | 'limitHeapGrowth' | 'keepObjectsYoung'>>

/** The parts that exist before anything is served: the storage, the keys and the counters. */
export interface Foundation
  extends Pick<StartOrder, 'config' | 'log' | 'tokens' | 'activity' | 'devRoutes'>,
    Storage,
    Authority {
  readonly faults: FaultPoints | undefined
  readonly runtime: ProcessRuntime
  /** The server calls this for every request and handshake. After the first 50, V8 may optimize code. */
  readonly noteWork: () => void
  /** Undefined if tracing is not configured. */
  readonly tracing: RunningTracing | undefined
  readonly functions: KeptFunctions
  readonly clock: Clock
  /** Random numbers for one purpose. */
  readonly randomFor: (purpose: string) => Random
  readonly schema: SchemaTable
  readonly measures: ServerMeasures
  readonly atRest: AtRest
  readonly lifecycle: Lifecycle
  readonly reloads: ReloadRequests
  /** The configuration with its changes since the start. */
  readonly live: LiveConfig
  /** The address of the service `kubernetes`. Undefined: none. */
  readonly advertisedAddress: string | undefined
  /** `host:port`, empty until the server listens. */
  readonly address: { text: string; shown: string }
  /** The current certificates for clients. */
  readonly shownTls: { current: TlsFiles }
}

export async function openFoundation(order: StartOrder, opened: AsyncDisposableStack): Promise<Foundation> {
  const { config, log, clock = systemClock, seed, activity, signal, tokens, from, faults } = order
  const { dataDirectory } = config
  if (dataDirectory !== undefined) {
    makePrivateDirectory(dataDirectory, 'the data directory')
    closeDataDirectory(dataDirectory, log)
  }
  const runtime: ProcessRuntime = order.sharesProcess === true ? {} : runtimeOf(config)
  const tracing = await startTracing(config.tracing)
  if (tracing !== undefined) opened.defer(() => tracing.close())
  const { memory, worker, links } = order
  const ordered = { config, clock, snapshot: from?.stored, tracing, link: worker?.store, dial: links?.dial }
  const storage: Storage = memory === undefined ? await openStorage(ordered, signal) : { kv: memory }
  if (memory === undefined) opened.defer(() => storage.kv.close())
  await checkWhole(storage.kv, config, signal)
  await checkFormat(storage.kv, config, signal)
  if (faults !== undefined && config.dev) log.warn({}, '--dev: administrators can inject faults at /debug/faults')
  const kv = faults?.stored(storage.kv) ?? storage.kv
  if (((await kv.size(signal))?.bytes ?? 0) > MUCH_TO_LOAD_BYTES) runtime.compilers?.release()
  const measures = new ServerMeasures(config.level)
  const reloads = new ReloadRequests()
  const atRest = await openAtRest({ config, log: logOf(log, 'storage'), measures: measures.encryption, reloads })
  opened.defer(atRest.close)
  const authority = from?.authority ?? order.worker?.authority ?? openAuthority(config, log)
  return {
    config,
    log,
    clock,
    randomFor: (purpose) => (seed === undefined ? systemRandom : seededRandom(seed, purpose)),
    ...(tokens === undefined ? {} : { tokens }),
    ...(activity === undefined ? {} : { activity }),
    devRoutes: order.devRoutes ?? [],
    ...storage,
    kv,
    faults,
    runtime,
    noteWork: releaseByWork(runtime.compilers),
    tracing,
    functions: new KeptFunctions(from?.functions ?? []),
    schema: loadBuiltInSchema(config.level),
    measures,
    atRest,
    ...authority,
    shownTls: { current: authority.serving.tls },
    lifecycle: new Lifecycle(config.livezGraceMs),
    reloads,
    live: new LiveConfig(config),
    advertisedAddress: from === undefined ? ownAddress(config, log) : from.advertisedAddress,
    address: { text: '', shown: '' },
  }
}

function openAuthority(config: Config, log: Log): Authority {
  const serving = servingFiles(config)
  const keys = accountKeys(config)
  warnOfOwnKey(config, log)
  return { serving, adminToken: adminToken(config.dataDirectory), keys }
}
