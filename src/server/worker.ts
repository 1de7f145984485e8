// A worker: the complete server, on the store, the address and the identity of its supervisor.
import type { Socket } from 'node:net'
import { type Config, type Environment, readConfig } from '../config/config.ts'
import type { AuditBackendConfig } from '../config/audit-config.ts'
import { StartError } from '../config/start-error.ts'
import type { TlsRenewal } from '../http/tls-server.ts'
import { systemClock } from '../lib/clock.ts'
import { HeldValues } from '../lib/held-values.ts'
import { type Log, LOG_COMPONENTS, type LogComponent, setLogLevel } from '../lib/log.ts'
import { heldCompilers } from '../lib/runtime/compilers.ts'
import type { SupervisorLink } from '../workers/supervisor-link.ts'
import { accountKeys } from '../config/account-keys.ts'
import type { FaultPoints } from './foundation.ts'
import type { TextStyle } from '../telemetry/log-text.ts'
import { openLog } from '../telemetry/logger.ts'
import { type RunningServer, startServer } from './server.ts'
import { type LastCounts, type PeerAnswer, type PeerQuestion, peerWithinMs } from '../workers/peers.ts'
import type { FamilySnapshot } from '../telemetry/worker-metrics.ts'
import type { ServingFiles } from '../config/serving-files.ts'
import type { StoreLink } from './worker-parts.ts'

/**
 * The order for a worker at its start. The worker reads the configuration itself, so that a worker that starts later has the current one.
 */
export interface WorkerOrder {
  readonly name: string
  /** The number of workers. Each gets an equal share of all limits. */
  readonly count: number
  readonly flags: readonly string[]
  /** The supervisor chooses the style, because it knows whether there is a terminal. */
  readonly logStyle: TextStyle | undefined
  /** The levels in effect now, which may differ from the flags. */
  readonly logLevels: Readonly<Partial<Record<LogComponent, string>>>
  /** The address of the supervisor's store. Absent: each worker uses the configured store. */
  readonly store?: StoreLink
  readonly address: { readonly host: string; readonly port: number }
  readonly serving: ServingFiles
  readonly ticketKeys: string
  readonly adminToken: string
  /** In PEM. */
  readonly accountKey: string
  /** The identity of the candidate in leader elections. The identities of all workers have the same beginning. */
  readonly identity: string
  readonly run: string
}

export type WorkerNews =
  | { readonly kind: 'renewed'; readonly renewal: TlsRenewal }
  /** The identities of workers that have not ended. */
  | { readonly kind: 'alive'; readonly identities: readonly string[] }

/** The time for the supervisor's own part of an answer, besides the time for the other workers. */
const ANSWER_WITHIN_MS = 5_000
/** The time for open requests when the supervisor is gone. */
const LOST_WITHIN_MS = 10_000

/** Runs until the supervisor stops the worker or the server fails. Resolves with the exit code. */
export async function runWorker(
  link: SupervisorLink,
  environment: Environment,
  openFaults: (config: Config, log: Log) => Promise<FaultPoints | undefined>,
): Promise<number> {
  const order = (await link.order) as WorkerOrder
  // For people who list the processes of the system.
  process.title = `quarterdeck worker ${order.name}`
  let alive: readonly string[] | undefined
  const stop = new AbortController()
  let isReplaced = false
  const renewals = new HeldValues<TlsRenewal>()
  const running = Promise.withResolvers<RunningServer>()
  const onSocket = Promise.withResolvers<(socket: Socket) => void>()
  link.listen({
    onSocket: (socket) => void onSocket.promise.then((take) => take(socket)),
    onNews: (told) => {
      const news = told as WorkerNews
      if (news.kind === 'renewed') renewals.give(news.renewal)
      else alive = news.identities
    },
    onQuestion: async (question) => (await running.promise).answerPeer(question as PeerQuestion),
    onStop: (isLast) => {
      isReplaced = !isLast
      stop.abort()
    },
    onLost: () => {
      // Without the supervisor's store, the worker cannot finish requests.
      if (order.store !== undefined) process.exit(1)
      stop.abort()
      // No new clients can reach this worker, so it does not wait for the whole shutdown delay.
      systemClock.callAfter(LOST_WITHIN_MS, () => process.exit(1))
    },
  })
  try {
    const config = shareOf(await readConfig(order.flags, environment), order)
    if (config.plainRuntime) heldCompilers.release()
    const log = openLog(config.logLevel, order.logStyle, { worker: order.name })
    for (const component of LOG_COMPONENTS) setLogLevel(log, order.logLevels[component] ?? config.logLevel, component)
    const { serving, adminToken, accountKey, address, identity, run } = order
    const keys = accountKeys(config, accountKey)
    const server = await startServer({
      config,
      log,
      faults: await openFaults(config, log),
      signal: stop.signal,
      onListening: () => link.isListening(),
      worker: {
        name: order.name,
        count: order.count,
        isFirst: order.name === '1',
        store: order.store,
        authority: { serving, adminToken, keys },
        sockets: { ...address, take: onSocket.resolve },
        ticketKeys: order.ticketKeys,
        onRenewed: renewals.onEach,
        peers: {
          ask: async (question) => {
            const withinMs = peerWithinMs(question) + ANSWER_WITHIN_MS
            return (await link.ask(question, withinMs)) as readonly PeerAnswer<never>[]
          },
        },
        candidate: { identity, isGone: (holder) => holder.startsWith(run) && alive?.includes(holder) === false },
      },
    })
    running.resolve(server)
    link.isReady()
    const failure = await Promise.race([aborted(stop.signal), server.failed.catch((error: unknown) => ({ error }))])
    if (failure !== undefined) log.error({ err: failure.error }, 'server failed')
    await server.stop({ isReplaced })
    if (isReplaced) await tellLastCounts(server, link)
    return failure === undefined ? 0 : 1
  } catch (error) {
    if (stop.signal.aborted) return 0
    if (!(error instanceof StartError)) throw error
    link.hasFailed(error.message)
    return error.exitCode
  } finally {
    link.close()
  }
}

/** Hands the counts of this worker to the supervisor, so that they are not lost. */
async function tellLastCounts(server: RunningServer, link: SupervisorLink): Promise<void> {
  try {
    const families = (await server.answerPeer({ kind: 'metrics' })) as readonly FamilySnapshot[]
    await link.ask({ kind: 'lastCounts', families } satisfies LastCounts, ANSWER_WITHIN_MS)
  } catch {
    // The supervisor keeps the counts of the worker's last report.
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** The configuration with this worker's share of the common limits, and without the notices that the supervisor has already logged. */
export function shareOf(config: Config, { count }: Pick<WorkerOrder, 'count'>): Config {
  const share = (total: number): number => Math.ceil(total / count)
  const throttled = <T extends AuditBackendConfig>(backend: T | undefined): T | undefined => {
    const throttle = backend?.throttle
    if (backend === undefined || throttle === undefined) return backend
    return { ...backend, throttle: { perSecond: throttle.perSecond / count, burst: share(throttle.burst) } }
  }
  const { unfinished } = config
  return {
    ...config,
    maxConnections: share(config.maxConnections),
    unfinished: { ...unfinished, totalBytes: share(unfinished.totalBytes) },
    maxReads: share(config.maxReads),
    maxWrites: share(config.maxWrites),
    audit: { ...config.audit, log: throttled(config.audit.log), webhook: throttled(config.audit.webhook) },
    notices: [],
  }
}
