// Questions between the workers of a server, by way of their supervisor, so that each worker can answer for all.
import { failingChecks, type HealthCheck, type HealthEndpoint } from '../handlers/health.ts'
import type { DumpName, Row } from '../flow/dump.ts'
import type { RunningLogLevels } from '../handlers/log-levels.ts'
import type { PprofParts, ProfileName } from '../handlers/pprof.ts'
import type { WorkerRequests } from '../handlers/requests-page.ts'
import type { WatcherStatus } from '../handlers/watchers.ts'
import type { RequestsReport, TurnLedger } from '../http/turn-ledger.ts'
import { levelsOf, type Log, type LogComponent, type LogLevel, setLogLevel } from '../lib/log.ts'
import type { LoadHistory, LoadStep } from '../telemetry/load-history.ts'
import type { AnswerPage, PageAnswer, PageRequest } from '../telemetry/management/management.ts'
import type { Metrics, MetricsOfWorkers } from '../telemetry/metrics.ts'
import type { FamilySnapshot } from '../telemetry/worker-metrics.ts'

/** The question and the answer of each kind. */
export interface PeerTopics {
  readonly metrics: { readonly ask: { readonly kind: 'metrics' }; readonly answer: readonly FamilySnapshot[] }
  readonly resetMetrics: {
    readonly ask: { readonly kind: 'resetMetrics'; readonly names: readonly string[] }
    readonly answer: null
  }
  /** Sent to the supervisor only. */
  readonly forgetSeries: {
    readonly ask: { readonly kind: 'forgetSeries'; readonly gone: readonly FamilySnapshot[] }
    readonly answer: null
  }
  /** The names of the failing checks, without the excluded ones. */
  readonly health: {
    readonly ask: { readonly kind: 'health'; readonly endpoint: HealthEndpoint; readonly excluded: readonly string[] }
    readonly answer: readonly string[]
  }
  readonly logLevel: {
    readonly ask: { readonly kind: 'logLevel'; readonly level: LogLevel; readonly component: LogComponent | undefined }
    readonly answer: null
  }
  readonly watchers: { readonly ask: { readonly kind: 'watchers' }; readonly answer: readonly WatcherStatus[] }
  readonly load: { readonly ask: { readonly kind: 'load' }; readonly answer: readonly LoadStep[] }
  readonly requests: { readonly ask: { readonly kind: 'requests' }; readonly answer: RequestsReport }
  /** The rows of a page about flow control. */
  readonly flow: { readonly ask: { readonly kind: 'flow'; readonly page: DumpName }; readonly answer: readonly Row[] }
  /** A page of the management address, made by any worker. Its body is in base64. */
  readonly page: {
    readonly ask: { readonly kind: 'page'; readonly request: PageRequest }
    readonly answer: Omit<PageAnswer, 'body'> & { readonly body: string }
  }
  /** The profile of the named worker, in base64. Null: the worker is taking another profile. */
  readonly profile: {
    readonly ask: {
      readonly kind: 'profile'
      readonly worker: string
      readonly name: ProfileName
      readonly seconds: number
    }
    readonly answer: string | null
  }
}

/** The last message of a worker to the supervisor. */
export interface LastCounts {
  readonly kind: 'lastCounts'
  readonly families: readonly FamilySnapshot[]
}

export type PeerTopic = keyof PeerTopics
export type PeerQuestion = PeerTopics[PeerTopic]['ask']

export interface PeerAnswer<T extends PeerTopic> {
  /** The name of a worker. Undefined: the workers that are gone, together. */
  readonly worker: string | undefined
  readonly answer: PeerTopics[T]['answer']
}

/** A worker, and its way to ask the others. */
export interface WorkerPeers {
  readonly name: string
  readonly peers: Peers
}

export interface Peers {
  /**
   * The answers that came in time: of all workers and the supervisor for `metrics`, of the named worker for `profile`, and of the other
   * workers for all else.
   */
  ask<T extends PeerTopic>(question: PeerTopics[T]['ask'] & { readonly kind: T }): Promise<readonly PeerAnswer<T>[]>
}

/** A stalled worker must not delay the others. */
const PEER_WITHIN_MS = 500
/** A worker that makes a page may ask the others for it. */
const PAGE_WITHIN_MS = 3_000
/** The time to pack and to send a profile. */
const PROFILE_MORE_MS = 30_000

/** The time to wait for a worker's answer. */
export function peerWithinMs(question: PeerQuestion): number {
  if (question.kind === 'profile') return question.seconds * 1000 + PROFILE_MORE_MS
  if (question.kind !== 'page') return PEER_WITHIN_MS
  const { target } = question.request
  const seconds = Number(/[?&]seconds=(\d{1,4})/.exec(target)?.[1] ?? 30)
  return target.startsWith('/debug/pprof/') ? seconds * 1000 + 2 * PROFILE_MORE_MS : PAGE_WITHIN_MS
}

type HealthChecks = Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>

interface Answering {
  readonly metrics: Pick<Metrics, 'snapshot' | 'resetOwn'>
  readonly checks: HealthChecks
  readonly watchers: () => readonly WatcherStatus[]
  readonly load: Pick<LoadHistory, 'steps'>
  readonly turns: Pick<TurnLedger, 'report'>
  readonly log: Log
  readonly flowRows: (page: DumpName) => readonly Row[]
  readonly pprof: Pick<PprofParts, 'profiler'>
  readonly page: AnswerPage
}

export async function answerPeer(
  question: PeerQuestion,
  { metrics, checks, watchers, load, turns, log, flowRows, pprof, page }: Answering,
): Promise<PeerTopics[PeerTopic]['answer']> {
  switch (question.kind) {
    case 'metrics':
      return metrics.snapshot()
    case 'resetMetrics':
      metrics.resetOwn(question.names)
      return null
    case 'forgetSeries':
      return null
    case 'health': {
      const { endpoint, excluded } = question
      return failingChecks(checks[endpoint], AbortSignal.timeout(PEER_WITHIN_MS), new Set(excluded))
    }
    case 'logLevel':
      setLogLevel(log, question.level, question.component)
      return null
    case 'watchers':
      return watchers()
    case 'load':
      return load.steps()
    case 'requests':
      return turns.report()
    case 'flow':
      return flowRows(question.page)
    case 'page': {
      const { body, ...answer } = await page(question.request, AbortSignal.timeout(peerWithinMs(question)))
      return { ...answer, body: body.toString('base64') }
    }
    case 'profile': {
      const signal = AbortSignal.timeout(peerWithinMs(question))
      const { name, seconds } = question
      const packed = await pprof.profiler.take({ name, seconds }, signal)
      return typeof packed === 'string' ? null : packed.toString('base64')
    }
  }
}

export function metricsOfWorkers(peers: Peers): MetricsOfWorkers {
  return {
    snapshots: async () =>
      (await peers.ask({ kind: 'metrics' })).map(({ worker, answer: families }) => ({ worker, families })),
    // Best effort: a supervisor that does not answer in time is not a fault of the request.
    reset: (names) => void peers.ask({ kind: 'resetMetrics', names }).catch(() => {}),
    forget: (gone) => void peers.ask({ kind: 'forgetSeries', gone }).catch(() => {}),
  }
}

/** The rows of all workers, in the order of the workers' names. */
export async function flowRowsOfWorkers(
  { peers, name }: WorkerPeers,
  page: DumpName,
  own: readonly Row[],
): Promise<readonly Row[]> {
  const others = await peers.ask({ kind: 'flow', page })
  const all = [{ worker: name, answer: own }, ...others]
  return all
    .sort((a, b) => Number(a.worker) - Number(b.worker))
    .flatMap(({ worker, answer }) => answer.map((row) => [...row, worker ?? '']))
}

/** Takes profiles of any worker. */
export function pprofOfWorkers(own: PprofParts, { peers, name }: WorkerPeers): PprofParts {
  return {
    profiler: {
      hasWorkers: true,
      take: async ({ worker = name, ...order }, signal) => {
        if (worker === name) return own.profiler.take(order, signal)
        const [found] = await peers.ask({ kind: 'profile', worker, ...order })
        if (found === undefined) return 'unknown worker'
        return found.answer === null ? 'busy' : Buffer.from(found.answer, 'base64')
      },
    },
    setVerbosity: own.setVerbosity,
  }
}

export async function requestsOfWorkers(
  own: WorkerPeers | undefined,
  report: RequestsReport,
): Promise<readonly WorkerRequests[]> {
  const others = (await own?.peers.ask({ kind: 'requests' })) ?? []
  return [{ worker: own?.name, report }, ...others.map(({ worker, answer }) => ({ worker, report: answer }))]
}

export async function watchersElsewhere(peers: Peers): Promise<readonly WatcherStatus[]> {
  return (await peers.ask({ kind: 'watchers' })).flatMap(({ answer }) => answer)
}

/** The checks, and one more that fails if a check of another worker fails. */
export function checksOfWorkers(checks: HealthChecks, peers: Peers): HealthChecks {
  const ofOthers = (endpoint: HealthEndpoint): HealthCheck => ({
    name: 'workers',
    check: async (_, excluded) => {
      const answers = await peers.ask({ kind: 'health', endpoint, excluded: [...excluded] })
      const failing = answers.flatMap(({ worker, answer }) => answer.map((name) => `${name} of worker ${worker}`))
      if (failing.length > 0) throw new Error(`failed: ${failing.join(', ')}`)
    },
  })
  return {
    healthz: [...checks.healthz, ofOthers('healthz')],
    livez: [...checks.livez, ofOthers('livez')],
    readyz: [...checks.readyz, ofOthers('readyz')],
  }
}

/** The log levels of a running server. A change applies to all of its workers. `peers` is undefined if there is only one worker. */
export function runningLogLevels(log: Log, peers: Peers | undefined): RunningLogLevels {
  return {
    all: () => levelsOf(log),
    async set(level, component) {
      setLogLevel(log, level, component)
      await peers?.ask({ kind: 'logLevel', level, component })
    },
  }
}
