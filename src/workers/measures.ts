// The metrics of a supervisor about its workers.
import { counter, Measures } from '../lib/measure.ts'

/** `stall`: the worker did not answer, or did not become ready, for too long. `crash`: it ended for any other reason. */
export type RestartCause = 'crash' | 'out_of_memory' | 'stall' | 'reload'

const CAUSES: readonly RestartCause[] = ['crash', 'out_of_memory', 'stall', 'reload']

export class WorkerMeasures extends Measures {
  readonly restarts = counter(
    'quarterdeck_worker_restarts_total',
    'Worker processes that were replaced, by cause: crash, out_of_memory, stall or reload.',
    ['cause'],
  )
  readonly incomplete = counter(
    'quarterdeck_workers_incomplete_seconds_total',
    'Seconds in which a worker process was missing: it had ended, or did not answer, and its replacement was not ready.',
    [],
    { refresh: () => this.#count() },
  )
  readonly #now: () => number
  /** The time with missing workers is counted up to here. Undefined: no worker is missing. */
  #missingSince: number | undefined

  constructor(now: () => number = () => performance.now()) {
    super()
    this.#now = now
    // The series exist from the start, so that a rate sees the first restart.
    for (const cause of CAUSES) this.restarts.of(cause)
  }

  /** Call this when a worker is missing. `forMs`: the time for which it has been missing already. */
  miss(forMs: number): void {
    this.#missingSince ??= this.#now() - forMs
  }

  complete(): void {
    this.#count()
    this.#missingSince = undefined
  }

  #count(): void {
    if (this.#missingSince === undefined) return
    const now = this.#now()
    this.incomplete.of().value += (now - this.#missingSince) / 1000
    this.#missingSince = now
  }
}
