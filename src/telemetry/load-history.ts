// The load of the last hour, in steps of ten seconds: requests and their durations, memory, and delays of the event loop. Also the state of
// the storage. Longer histories are left to the program that scrapes the metrics.
import type { monitorEventLoopDelay } from 'node:perf_hooks'
import { isLongRunning } from '../http/deadline.ts'
import type { CallerHandler } from '../http/http.ts'
import type { FinishedRequest } from '../http/listener.ts'
import { bytesOf } from '../http/responses.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'

const STEP_MS = 10_000
const STEPS = 360

export interface LoadStep {
  /** The end of the step, in milliseconds since 1970. */
  readonly at: number
  /** The requests that ended, without watches and other streams. */
  readonly requests: number
  /** The ended requests with a status from 500 on. */
  readonly failures: number
  readonly totalMs: number
  readonly slowestMs: number
  readonly memoryBytes: number
  /** The longest delay of the event loop. */
  readonly lagMs: number
}

/** The delays of the event loop in nanoseconds. They are measured between `enable` and `disable`. */
export type LoopDelays = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'disable' | 'reset' | 'max'>

/** The resolution that `LoopDelays` must have. It is part of every measured delay. */
export const DELAY_RESOLUTION_MS = 20

export interface LoadOptions {
  readonly delays: LoopDelays
  /** The clock of real time. */
  readonly clock: Clock
  /** The bytes on disk, if the storage counts them. */
  readonly storageBytes: (signal: AbortSignal) => Promise<number | undefined>
  /** The newest revision that this process knows. */
  readonly revision: () => number
  /** The steps of the other workers of the server. */
  readonly others: () => Promise<readonly (readonly LoadStep[])[]>
  /** The last compaction of the history, and its time. Undefined: this server does not compact. */
  readonly compaction: (signal: AbortSignal) => Promise<object | undefined>
}

export class LoadHistory {
  readonly #options: LoadOptions
  readonly #steps: LoadStep[] = []
  #requests = 0
  #failures = 0
  #totalMs = 0
  #slowestMs = 0

  constructor(options: LoadOptions) {
    this.#options = options
  }

  observe({ request, status, milliseconds }: FinishedRequest): void {
    if (isLongRunning(request.info)) return
    this.#requests++
    this.#totalMs += milliseconds
    if (status >= 500) this.#failures++
    if (milliseconds > this.#slowestMs) this.#slowestMs = milliseconds
  }

  /** Measures until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, delays } = this.#options
    delays.enable()
    while (await pause(clock, STEP_MS, signal)) {
      this.#steps.push(this.#step())
      if (this.#steps.length > STEPS) this.#steps.shift()
      this.#requests = this.#failures = this.#totalMs = this.#slowestMs = 0
      delays.reset()
    }
    delays.disable()
  }

  /** The steps of this process. The last step is not complete. */
  steps(): readonly LoadStep[] {
    return [...this.#steps, this.#step()]
  }

  readonly handler: CallerHandler = async ({ signal }) => {
    const { storageBytes, revision, compaction, others } = this.#options
    const [bytes, compacted, more] = await Promise.all([storageBytes(signal), compaction(signal), others()])
    const storage = { storageBytes: bytes, revision: revision(), compaction: compacted }
    const body = { stepMs: STEP_MS, ...storage, steps: sumOf([this.steps(), ...more]) }
    return bytesOf('application/json', Buffer.from(`${JSON.stringify(body)}\n`))
  }

  #step(): LoadStep {
    return {
      at: this.#options.clock.timeOfDay(),
      requests: this.#requests,
      failures: this.#failures,
      totalMs: this.#totalMs,
      slowestMs: this.#slowestMs,
      memoryBytes: process.memoryUsage.rss(),
      lagMs: Math.max(0, Math.round(this.#options.delays.max / 1e6) - DELAY_RESOLUTION_MS),
    }
  }
}

/**
 * Adds up the steps of all workers. Steps that are added end within ten seconds of each other. A worker that was started later has fewer
 * steps.
 */
function sumOf(all: readonly (readonly LoadStep[])[]): readonly LoadStep[] {
  const count = Math.max(...all.map((steps) => steps.length))
  return Array.from({ length: count }, (_, i) => all.flatMap((steps) => steps.at(i - count) ?? []).reduce(added))
}

function added(one: LoadStep, other: LoadStep): LoadStep {
  return {
    at: Math.max(one.at, other.at),
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    totalMs: one.totalMs + other.totalMs,
    slowestMs: Math.max(one.slowestMs, other.slowestMs),
    memoryBytes: one.memoryBytes + other.memoryBytes,
    lagMs: Math.max(one.lagMs, other.lagMs),
  }
}
