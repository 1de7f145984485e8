// What the workers of a server ask each other, through their supervisor, so that each of them can answer for all.
import { failingChecks, type HealthCheck, type HealthEndpoint } from '../handlers/health.ts'
import type { WatcherStatus } from '../handlers/watchers.ts'
import { type Log, type LogComponent, type LogLevel, setLogLevel } from '../lib/log.ts'
import type { Metrics, MetricsOfWorkers } from '../telemetry/metrics.ts'
import type { FamilySnapshot } from '../telemetry/worker-metrics.ts'

/** By its kind, what is asked and what is answered. */
export interface PeerTopics {
  readonly metrics: { readonly ask: { readonly kind: 'metrics' }; readonly answer: readonly FamilySnapshot[] }
  readonly resetMetrics: { readonly ask: { readonly kind: 'resetMetrics' }; readonly answer: null }
  /** The names of the checks that fail. */
  readonly health: {
    readonly ask: { readonly kind: 'health'; readonly endpoint: HealthEndpoint }
    readonly answer: readonly string[]
  }
  readonly logLevel: {
    readonly ask: { readonly kind: 'logLevel'; readonly level: LogLevel; readonly component: LogComponent | undefined }
    readonly answer: null
  }
  readonly watchers: { readonly ask: { readonly kind: 'watchers' }; readonly answer: readonly WatcherStatus[] }
}

export type PeerTopic = keyof PeerTopics
export type PeerQuestion = PeerTopics[PeerTopic]['ask']

export interface PeerAnswer<T extends PeerTopic> {
  /** The name of a worker; undefined: those that are gone. */
  readonly worker: string | undefined
  readonly answer: PeerTopics[T]['answer']
}

export interface Peers {
  /** What those have answered that did so in time: all workers of `metrics`, the others of the rest. */
  ask<T extends PeerTopic>(question: PeerTopics[T]['ask'] & { readonly kind: T }): Promise<readonly PeerAnswer<T>[]>
}

/** How long a worker is waited for; one that has stalled is not to hold up the others. */
export const PEER_WITHIN_MS = 500

type HealthChecks = Readonly<Record<HealthEndpoint, readonly HealthCheck[]>>

interface Answering {
  readonly metrics: Pick<Metrics, 'snapshot' | 'resetOwn'>
  readonly checks: HealthChecks
  readonly watchers: () => readonly WatcherStatus[]
  readonly log: Log
}

export async function answerPeer(
  question: PeerQuestion,
  { metrics, checks, watchers, log }: Answering,
): Promise<PeerTopics[PeerTopic]['answer']> {
  switch (question.kind) {
    case 'metrics':
      return metrics.snapshot()
    case 'resetMetrics':
      metrics.resetOwn()
      return null
    case 'health':
      return failingChecks(checks[question.endpoint], AbortSignal.timeout(PEER_WITHIN_MS))
    case 'logLevel':
      setLogLevel(log, question.level, question.component)
      return null
    case 'watchers':
      return watchers()
  }
}

export function metricsOfWorkers(peers: Peers): MetricsOfWorkers {
  return {
    snapshots: async () =>
      (await peers.ask({ kind: 'metrics' })).map(({ worker, answer: families }) => ({ worker, families })),
    reset: () => void peers.ask({ kind: 'resetMetrics' }),
  }
}

export async function watchersElsewhere(peers: Peers): Promise<readonly WatcherStatus[]> {
  return (await peers.ask({ kind: 'watchers' })).flatMap(({ answer }) => answer)
}

/** With one that fails where some check of another worker does. */
export function checksOfWorkers(checks: HealthChecks, peers: Peers): HealthChecks {
  const ofOthers = (endpoint: HealthEndpoint): HealthCheck => ({
    name: 'workers',
    check: async () => {
      const answers = await peers.ask({ kind: 'health', endpoint })
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
