// A whole server inside a program or a test. By default it is in memory, on a free port, and its users need no files. It has no global state:
// any number of servers run in one process.
import { Client, type Transport } from '../client/client.ts'
import { type Config, readConfig } from '../config/config.ts'
import { CONTROLLER_NAMES } from '../config/controller-names.ts'
import { usageError } from '../config/start-error.ts'
import type { Extensible } from '../extensions/extensions.ts'
import { FaultInjector, type Faults } from './faults/faults.ts'
import { checkOptions, fits, isRecord, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { SILENT_LOG, type Log } from '../lib/log.ts'
import {
  ADMIN,
  type Kubeconfig,
  type KubeconfigFile,
  kubeconfigOf,
  kubeconfigPlace,
  writeKubeconfig,
} from '../config/admin.ts'
import { startServer as composeServer, type RunningServer } from '../server/server.ts'
import type { SimulatedContainers } from '../controllers/cluster/cluster.ts'
import { InProcessTransport } from './in-process-transport.ts'
import { type RecordOptions, type RequestRecord, RequestRecords } from './request-record.ts'
import { pastIn, type Snapshot, TakenSnapshot } from './snapshot.ts'
import { openTime, type ServerTime, type TimeOptions } from './time.ts'
import { type ServerUser, Users } from './users.ts'
import type { Clock } from './virtual-clock.ts'

export { openTime }
export type { SimulatedContainers }
export type { Client, Clock, Kubeconfig, Log, ServerUser, Snapshot }
export type { RecordedRequest, RecordOptions, RequestRecord } from './request-record.ts'
export type { Cut, Delay, Failure, FailureStatus, Fault, Faults, FaultSpec, FaultVerb } from './faults/faults.ts'
export type { Repeated, RequestMatch, WatchFaults, WatchMatch } from './faults/faults.ts'

export interface ServerOptions extends TimeOptions {
  /** The directory of the data. Absent: in memory only. */
  readonly dataDir?: string
  /** 0 or absent: any free port. */
  readonly port?: number
  /**
   * Runs a cluster in this process: this number of simulated nodes, on which pods become ready, a scheduler and the controllers of workloads.
   * Absent: pods stay as they are written.
   */
  readonly nodes?: number
  /** The logs, commands and ports of containers on simulated nodes. Absent: annotations of pods have the logs. */
  readonly containers?: SimulatedContainers
  /** Users that are known from the start. Later, `credentials`, `client` and `kubeconfig` can make other users. */
  readonly users?: readonly ServerUser[]
  /** Flags of `quarterdeck serve`, by name without dashes, `{ 'feature-gates': 'WatchList=false' }`, or in a list as on a command line. */
  readonly flags?: Readonly<Record<string, string | number | boolean>> | readonly string[]
  /** Absent: nothing is logged. Any pino logger will do. */
  readonly log?: Log
  /** Ends the start when the signal fires. */
  readonly signal?: AbortSignal
  /**
   * The state to begin with, with its certificate authority, keys, tokens and users. `users` are added to these. The server must be in
   * memory, and has the flags that are given here, not those of the snapshot's server.
   */
  readonly snapshot?: Snapshot
}

/** The options of a fork. All other options are those of the original server. */
export type ForkOptions = Pick<ServerOptions, 'port' | 'users' | 'log' | 'signal'>

const FLAGS: ValueType = {
  wanted: 'a list of texts, or an object of texts, numbers and booleans',
  fits: (flags) => fits(flags, 'texts') || (isRecord(flags) && Object.values(flags).every(isFlag)),
}
const isFlag = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
const FORK: OptionTypes<ForkOptions> = { port: 'count?', users: 'list?', log: 'log?', signal: 'signal?' }
/** An undefined `dataDir` is refused, because the server would not keep its data. */
const STATE = { dataDir: 'text', nodes: 'count?', containers: 'functions?', flags: FLAGS, snapshot: 'object' } as const
const TIME: OptionTypes<TimeOptions> = { clock: ['system', 'virtual'], seed: 'text?' }
export const SERVER_OPTIONS: OptionTypes<ServerOptions> = { ...FORK, ...STATE, ...TIME }

/** The administrator, if there is no argument. An undefined user is refused: a user that was not found must not become the administrator. */
export type OfUser = readonly [] | readonly [user: string | ServerUser]

/** The data by which a client of any library connects. */
export interface ServerCredentials {
  readonly url: string
  /** The certificate authority, in PEM. Undefined: the flags name a certificate that clients trust already. */
  readonly ca: string | undefined
  readonly token: string
}

/** A server that is ready. `await using server = await startServer()` stops it at the end of the block. */
export interface Server extends AsyncDisposable, Extensible {
  /** `https://127.0.0.1:41234` */
  readonly url: string
  /** The time of the server. A server that was started with `clock: 'virtual'` can advance it. */
  readonly clock: Clock
  /** Never resolves. Rejects if a necessary part has failed for good. */
  readonly failed: Promise<never>
  /** Injects faults: requests that fail, watches that break, a store that goes away. */
  readonly faults: Faults
  /** The credentials of the administrator, or of a user by name. A description of an unknown user makes the user. */
  credentials(...user: OfUser): ServerCredentials
  /**
   * A client for the same user, with the server's clock. It is closed when the server stops. Its requests use no socket. Requests of
   * `new Client(server.credentials())` do.
   */
  client(...user: OfUser): Client
  /** The credentials as a kubeconfig. */
  kubeconfig(...user: OfUser): Kubeconfig
  /** The path of the kubeconfig as a file that only its owner can read. The file is removed when the server stops. */
  kubeconfigFile(...user: OfUser): string
  /** Records all requests from now on, including those that the server refuses. */
  recordRequests(options?: RecordOptions): RequestRecord
  /**
   * Starts a second server with everything that this one has stored, the same flags, certificate authority, keys, tokens, users and functions,
   * and a port of its own. resourceVersions continue from this server's. From then on neither server sees changes of the other, and either may
   * stop first. The servers share the memory for their common objects, so the call takes hardly any time or memory. The first request waits
   * until the rest of the server is made, which takes some hundred bytes for each object. Needs a server in memory.
   */
  fork(options?: ForkOptions): Promise<Server>
  /** The present state, for `restore` or for new servers. Needs a server in memory. */
  snapshot(): Snapshot
  /**
   * Goes back to the state of a snapshot of this server or of another. Users, tokens and certificates stay those of this server. The server
   * does this by writes: it creates, updates or deletes each object that differs, at a new resourceVersion and with its old uid. So watches
   * and informers see the changes as if they were a client's, and need not start again. Equal objects keep their resourceVersion. The
   * server handles open requests before or after the change. Resolves when everything that the server derives from its objects (roles,
   * definitions, policies) is up to date. Needs a server in memory.
   */
  restore(snapshot: Snapshot): Promise<void>
  /** Closes all connections and everything else that is open. All calls wait for the same end. */
  stop(): Promise<void>
}

/** Resolves when the server is ready. Throws an error of one line if it cannot start, and for options that do not exist. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  checkOptions('startServer', options, SERVER_OPTIONS)
  return startAs(options)
}

/** Needs a virtual clock and a seed. All waits use that clock, so that every run is the same. No wait ends unless the clock is moved. */
export function startRepeatable(options: ServerOptions): Promise<Server> {
  return startAs(options, { isRepeatable: true })
}

async function startAs(options: ServerOptions, how: Opening = {}): Promise<Server> {
  const config = await readConfig(flagsOf(options), {})
  const { workers, management, kubeconfigFile } = config
  const alone = {
    workers: workers > 1,
    'healthz-port': management.some(({ probesOnly }) => probesOnly),
    'management-address': management.some(({ probesOnly }) => !probesOnly),
    'kubeconfig-out': kubeconfigFile !== undefined,
  }
  const stray = Object.entries(alone).find(([, isGiven]) => isGiven)
  if (stray !== undefined) throw usageError(`--${stray[0]} is for quarterdeck serve alone`)
  return openServer(config, options, how)
}

interface Opening {
  /** The store and the time of another server. */
  readonly shared?: { readonly memory: NonNullable<RunningServer['memory']>; readonly time: ServerTime }
  readonly isRepeatable?: boolean
}

/** Opens a server in this process by its configuration. */
async function openServer(
  config: Config,
  options: Omit<ServerOptions, 'port' | 'flags' | 'dataDir' | 'nodes'>,
  { shared, isRepeatable }: Opening = {},
): Promise<Server> {
  const { log = SILENT_LOG, signal = new AbortController().signal, snapshot, containers } = options
  const taken = snapshot === undefined ? undefined : TakenSnapshot.contentsOf(snapshot)
  const users = new Users(taken?.users ?? [], options.users ?? [])
  const from = taken === undefined ? {} : { from: taken.state }
  const records = new RequestRecords()
  const ofClock = config.virtualClock ? { clock: 'virtual' as const, ...options } : options
  const time = shared?.time ?? openTime(ofClock, taken?.time, isRepeatable)
  const faults = new FaultInjector(log)
  const running = await composeServer({
    config,
    log,
    signal,
    tokens: users.method,
    recordRequests: records.filter,
    sharesProcess: true,
    faults,
    containers,
    ...time.order,
    ...from,
    ...(shared === undefined ? {} : { memory: shared.memory }),
  })
  try {
    await time.begin()
  } catch (error) {
    await running.stop()
    throw error
  }
  return new LibraryServer(running, users, { config, log, records, time, faults, containers })
}

/** Starts another server on the store and the clock of a server in memory, for tests with several servers. Stop the new server first. */
export function replicaOf(server: Server, seed: string): Promise<Server> {
  return libraryServer(server).replica(seed)
}

/** A transport to the server that uses no socket. */
export function transportTo(server: Server): Transport {
  return libraryServer(server).transport()
}

function libraryServer(server: Server): LibraryServer {
  if (server instanceof LibraryServer) return server
  throw new TypeError('this is not a server of startServer()')
}

function flagsOf({ dataDir, port, nodes, flags = {} }: ServerOptions): string[] {
  const given = isList(flags) ? flags : Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const names = (flag: string): boolean => given.some((one) => one === `--${flag}` || one.startsWith(`--${flag}=`))
  if (dataDir !== undefined && names('data-dir')) throw new TypeError('startServer: dataDir is also among the flags')
  if (port !== undefined && names('secure-port')) throw new TypeError('startServer: port is also among the flags')
  if (nodes !== undefined && names('nodes')) throw new TypeError('startServer: nodes is also among the flags')
  const own = names('etcd-servers') || names('data-dir') ? [] : ['--in-memory']
  return [
    ...(dataDir === undefined ? own : [`--data-dir=${dataDir}`]),
    `--secure-port=${port ?? 0}`,
    ...(nodes === undefined ? [] : [`--nodes=${nodes}`]),
    ...given,
  ]
}

function isList(flags: NonNullable<ServerOptions['flags']>): flags is readonly string[] {
  return Array.isArray(flags)
}

interface Started {
  readonly config: Config
  readonly log: Log
  readonly records: RequestRecords
  readonly time: ServerTime
  readonly faults: Faults
  readonly containers: SimulatedContainers | undefined
}

class LibraryServer implements Server {
  readonly #running: RunningServer
  readonly #users: Users
  /** By token: a user may have the name of the administrator. */
  readonly #files = new Map<string, KubeconfigFile>()
  readonly #openClients = new Set<Client>()
  readonly #started: Started
  readonly clock: Clock

  constructor(running: RunningServer, users: Users, started: Started) {
    this.#running = running
    this.#users = users
    this.#started = started
    const { clock } = started.time
    this.clock = {
      ...(clock.chance === undefined ? {} : { chance: clock.chance }),
      now: () => clock.now(),
      timeOfDay: () => clock.timeOfDay(),
      callAfter: (delayMs, callback) => clock.callAfter(delayMs, callback),
      // The effects of the advance come from controllers, which must run.
      advance: async (duration) => {
        await running.awake()
        await clock.advance(duration)
      },
    }
  }

  get url(): string {
    return this.#running.url
  }

  get faults(): Faults {
    return this.#started.faults
  }

  get failed(): Promise<never> {
    return this.#running.failed
  }

  credentials(...user: OfUser): ServerCredentials {
    const { url, authority: ca, adminToken } = this.#running
    return { url, ca, token: user.length === 0 ? adminToken : this.#users.tokenOf(user[0]) }
  }

  client(...user: OfUser): Client {
    const { url, token } = this.credentials(...user)
    const { clock } = this.#started.time
    const transport = new InProcessTransport(this.#running, () => this.#openClients.delete(client))
    const client = new Client({ url, token, clock, transport })
    this.#openClients.add(client)
    return client
  }

  transport(): Transport {
    return new InProcessTransport(this.#running, () => {})
  }

  async replica(seed: string): Promise<Server> {
    const { config, log, time } = this.#started
    const { memory } = this.#running
    if (memory === undefined) throw new Error('only a server in memory has replicas in this process')
    const shared = { ...time, order: { ...time.order, seed }, begin: () => Promise.resolve() }
    // Only one replica may run the controllers: the first one does.
    const controllersOff = new Set(CONTROLLER_NAMES)
    return openServer({ ...config, securePort: 0, controllersOff }, { log }, { shared: { memory, time: shared } })
  }

  kubeconfig(...user: OfUser): Kubeconfig {
    const { url, ca: authority, token } = this.credentials(...user)
    return kubeconfigOf({ url, authority, user: { name: nameOf(...user), credential: { token } } })
  }

  kubeconfigFile(...user: OfUser): string {
    const { token } = this.credentials(...user)
    const known = this.#files.get(token)
    if (known !== undefined) return known.file
    const made = kubeconfigPlace(undefined, undefined)
    this.#files.set(token, made)
    writeKubeconfig(made.file, this.kubeconfig(...user))
    return made.file
  }

  recordRequests(options?: RecordOptions): RequestRecord {
    return this.#started.records.start(options)
  }

  async fork(given: ForkOptions = {}): Promise<Server> {
    checkOptions('fork', given, FORK)
    const { config, log, containers = {} } = this.#started
    const { port = 0, ...options } = given
    return openServer({ ...config, securePort: port }, { log, containers, ...options, snapshot: this.snapshot() })
  }

  snapshot(): Snapshot {
    const state = pastIn(this.#running.past).state()
    return new TakenSnapshot({ state, users: this.#users.all(), time: this.#started.time.taken() })
  }

  async restore(snapshot: Snapshot): Promise<void> {
    await pastIn(this.#running.past).restore(TakenSnapshot.contentsOf(snapshot).state)
  }

  get admit(): Extensible['admit'] {
    return this.#running.extensible.admit
  }

  get convert(): Extensible['convert'] {
    return this.#running.extensible.convert
  }

  get authorize(): Extensible['authorize'] {
    return this.#running.extensible.authorize
  }

  async stop(): Promise<void> {
    for (const client of this.#openClients) client.close()
    await this.#running.stop()
    for (const file of this.#files.values()) file[Symbol.dispose]()
    this.#files.clear()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

function nameOf(user?: string | ServerUser): string {
  return user === undefined ? ADMIN.name : typeof user === 'string' ? user : user.name
}
