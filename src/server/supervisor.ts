// The supervisor of a server with several workers. It owns the address, the identity and the embedded store, and serves no request
// itself.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { OwnStorageConfig } from '../config/storage-config.ts'
import { closeDataDirectory, makePrivateDirectory } from '../config/files.ts'
import type { FlagName } from '../config/flags.ts'
import { changedFlags, tellTaken } from '../config/live-config.ts'
import { ReloadRequests } from '../config/reload-requests.ts'
import { cannotListen, reasonOf, StartError } from '../config/start-error.ts'
import type { TlsRenewal } from '../http/tls-server.ts'
import { listenAt, TCP_OPTIONS } from '../http/listening-socket.ts'
import { LINK_LEVEL } from '../kv/link/link.ts'
import { serveLink } from '../kv/link/link-server.ts'
import { systemClock } from '../lib/clock.ts'
import { levelsOf, type Log, logOf, setLogLevel } from '../lib/log.ts'
import { systemRandom } from '../lib/random.ts'
import { logStyle } from '../telemetry/logger.ts'
import type { PageRequest, PageSource } from '../telemetry/management/management.ts'
import { Workers } from '../workers/workers.ts'
import { accountKeys, ownAccountKey, warnOfOwnKey } from '../config/account-keys.ts'
import { adminToken, localUrl } from '../config/admin.ts'
import { runInBackground } from '../lib/background.ts'
import type { ServerAccess } from './foundation.ts'
import { servingFiles } from '../config/serving-files.ts'
import { keepSpace, openOwnStorage } from './storage.ts'
import type { LastCounts, PeerQuestion } from '../workers/peers.ts'
import { newTicketKeys, renewTls } from '../config/tls-renewal.ts'
import { WorkerAnswers } from '../workers/worker-answers.ts'
import type { WorkerNews, WorkerOrder } from './worker.ts'
import type { StoreLink } from './worker-parts.ts'

export interface SupervisorOrder {
  readonly config: Config
  readonly log: Log
  /** Ends the start. */
  readonly signal: AbortSignal
  /** The flags of `quarterdeck serve`. */
  readonly flags: readonly string[]
  /** The file that Node runs, and the arguments that make a worker of it. */
  readonly program: string
  readonly args: readonly string[]
  readonly onListening: (access: ServerAccess, pages: PageSource) => void
}

export interface Supervisor {
  readonly url: string
  /** Never resolves. Rejects if a necessary part of the supervisor has failed for good. */
  readonly failed: Promise<never>
  /** Reads the certificates again. With `next`, also replaces the workers one by one by workers with that configuration. Throws nothing. */
  reload(next?: Config): void
  /** Every worker finishes its requests. Resolves when everything is closed. */
  stop(): Promise<void>
}

/** The flags that the supervisor itself uses: a change of them needs a restart. */
const OWN_FLAGS: ReadonlySet<FlagName> = new Set([
  'bind-address',
  'cert-dir',
  'client-ca-file',
  'data-dir',
  'healthz-port',
  'history-retention',
  'in-memory',
  'management-address',
  'management-client-ca-file',
  'management-open-probes',
  'management-token-file',
  'kubeconfig-out',
  'permit-port-sharing',
  'requestheader-client-ca-file',
  'secure-port',
  'tls-cert-file',
  'tls-private-key-file',
  'tls-sni-cert-key',
  'worker-stall-timeout',
  'workers',
])

function ownFlags({ flags }: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => OWN_FLAGS.has(name as FlagName)))
}

/** The time that a worker may need to stop, besides the time for its requests. */
const STOP_WITHIN_MS = 10_000

/** Resolves when every worker is ready. Throws a `StartError` of one line if a worker cannot start. */
export async function startSupervisor(order: SupervisorOrder): Promise<Supervisor> {
  const opened = new AsyncDisposableStack()
  try {
    return await compose(order, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function compose(order: SupervisorOrder, opened: AsyncDisposableStack): Promise<Supervisor> {
  const { config, log, signal } = order
  const { dataDirectory, bindAddress: host, securePort: port, sharesPort } = config
  for (const notice of config.notices) log.warn({}, notice)
  if (dataDirectory !== undefined) {
    makePrivateDirectory(dataDirectory, 'the data directory')
    closeDataDirectory(dataDirectory, log)
  }
  const store = config.storage.kind === 'etcd' ? {} : { store: await serveStore(config.storage, order, opened) }
  const { tls, authority } = servingFiles(config)
  const accountKey = ownAccountKey(dataDirectory)
  // The supervisor reads the account keys too, so that their faults are reported once and not by every worker.
  accountKeys(config, accountKey)
  const identity = { serving: { tls, authority }, adminToken: adminToken(dataDirectory), accountKey }
  const listening = createServer({ ...TCP_OPTIONS, pauseOnConnect: true })
  const address = await listenAt(listening, { host, port, sharesPort }).catch((error: unknown) => {
    throw cannotListen({ host, port }, error)
  })
  listening.on('error', (error) => log.error({ err: error }, 'failed to accept a connection'))
  const url = localUrl(address.host, address.port)
  const run = `${hostname()}_${systemRandom.uuid()}`
  let started = 0
  let serving = identity.serving
  // The configuration for new workers.
  let known = config
  let ticketKeys = newTicketKeys()
  const workers = new Workers({
    count: config.workers,
    program: order.program,
    args: order.args,
    orderFor: (name): WorkerOrder => ({
      name,
      count: config.workers,
      flags: order.flags,
      logStyle: logStyle(config.logFormat),
      logLevels: levelsOf(log),
      ...store,
      address,
      ...identity,
      serving,
      ticketKeys,
      run,
      identity: `${run}_${++started}`,
    }),
    stallMs: config.workerStallMs,
    graceMs: () => known.shutdownDelayMs + known.watchTerminationMs + known.requestTimeoutMs + STOP_WITHIN_MS,
    onStderr: (text) => void process.stderr.write(text),
    onQuestion: (question, worker) => answers.answer(question as PeerQuestion | LastCounts, worker),
    onChange: () => {
      answers.onChange()
      const identities = Array.from(workers.alive, (worker) => (worker.order as WorkerOrder).identity)
      tellAll({ kind: 'alive', identities })
    },
    log: logOf(log, 'workers'),
  })
  const answers = new WorkerAnswers(() => workers.alive, workers.measures, log)
  const tellAll = (news: WorkerNews): void => workers.tellAll(news)
  opened.defer(() => workers.stop())
  process.once('exit', () => workers.kill())
  listening.on('connection', (socket) => workers.give(socket))
  opened.defer(() => void listening.close())
  const reloads = new ReloadRequests()
  const renewal = { config, log: logOf(log, 'certificates'), serving, reloads, clock: systemClock }
  const use = (renewed: TlsRenewal): void => {
    serving = { ...serving, tls: renewed.files ?? serving.tls }
    ticketKeys = renewed.ticketKeys
    tellAll({ kind: 'renewed', renewal: renewed })
  }
  const failed = runInBackground(opened, (stop) => renewTls(renewal, use, stop))
  const pages = { answer: (request: PageRequest) => answers.page(request), serving: () => serving.tls }
  order.onListening({ url, authority, adminToken: identity.adminToken }, pages)
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new StartError('stopped')), { once: true })
  })
  await Promise.race([givenUp, workers.start()]).catch((error: unknown) => {
    throw new StartError(reasonOf(error), { cause: error })
  })
  warnOfOwnKey(config, log)
  const stop = async (): Promise<void> => {
    const stopping = workers.stop()
    if (!config.sendRetryAfter) {
      await sleep(config.shutdownDelayMs)
      listening.close()
    }
    await stopping
    await opened.disposeAsync()
  }
  let stopped: Promise<void> | undefined
  return {
    url,
    failed,
    reload: (next) => {
      reloads.ask()
      if (next === undefined) return
      const changed = changedFlags(known, next)
      tellTaken(log, {
        applied: changed.filter((name) => !OWN_FLAGS.has(name)),
        needsRestart: changed.filter((name) => OWN_FLAGS.has(name)),
      })
      if (next.logLevel !== known.logLevel) setLogLevel(log, next.logLevel)
      known = { ...next, flags: { ...next.flags, ...ownFlags(config) } }
      void workers.replaceAll()
    },
    stop: () => (stopped ??= stop()),
  }
}

/** Opens the store, and serves it on a Unix socket that only this user can open. */
async function serveStore(
  storage: OwnStorageConfig,
  { log, signal }: SupervisorOrder,
  opened: AsyncDisposableStack,
): Promise<StoreLink> {
  const { kv } = await openOwnStorage(storage, systemClock, signal)
  opened.defer(() => kv.close())
  void runInBackground(opened, (stop) => keepSpace({ storage, kv, log: logOf(log, 'storage') }, stop))
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-store-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const socket = path.join(folder, 'store.sock')
  const served = await serveLink({
    kv,
    path: socket,
    onFault: (error) => log.error({ err: error }, 'a call to the store failed with an internal error'),
  })
  opened.defer(() => served.close())
  return { path: socket, level: LINK_LEVEL }
}
