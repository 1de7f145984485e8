// The metrics of work queues, under the reference's names.
import { type Count, counter, type Family, gauge, histogram } from '../lib/measure.ts'

const BOUNDS: readonly number[] = Array.from({ length: 10 }, (_, i) => 10 ** (i - 8))
const OF_QUEUE: readonly string[] = ['name']

/** The series of one queue. */
export type QueueTally = ReturnType<QueueMeasures['of']>

export class QueueMeasures {
  readonly #depth = gauge('workqueue_depth', 'Current depth of the workqueue.', OF_QUEUE)
  readonly #adds = counter('workqueue_adds_total', 'Adds handled by the workqueue.', OF_QUEUE)
  readonly #retries = counter('workqueue_retries_total', 'Retries handled by the workqueue.', OF_QUEUE)
  readonly #waits = histogram(
    'workqueue_queue_duration_seconds',
    'Seconds an item stays in the workqueue before it is processed.',
    { labels: OF_QUEUE, bounds: BOUNDS },
  )
  readonly #works = histogram(
    'workqueue_work_duration_seconds',
    'Seconds it takes to process an item of the workqueue.',
    { labels: OF_QUEUE, bounds: BOUNDS },
  )

  /** The keys in progress of each queue, by the name of the queue. A new queue replaces an earlier one of the same name. */
  readonly #busy = new Map<string, Map<string, number>>()
  readonly #unfinished = this.#ofBusy(
    'workqueue_unfinished_work_seconds',
    'Seconds of work in progress, summed over all items being processed.',
    (seconds) => seconds.reduce((sum, each) => sum + each, 0),
  )
  readonly #longest = this.#ofBusy(
    'workqueue_longest_running_processor_seconds',
    'Seconds the longest running item has been processed for.',
    (seconds) => seconds.reduce((longest, each) => Math.max(longest, each), 0),
  )

  all(): readonly Family[] {
    return [this.#depth, this.#adds, this.#retries, this.#waits, this.#works, this.#unfinished, this.#longest]
  }

  #ofBusy(name: string, help: string, read: (seconds: readonly number[]) => number): Family<Count> {
    const refresh = (family: Family<Count>): void => {
      const now = performance.now()
      for (const [queue, keys] of this.#busy) {
        family.of(queue).value = read([...keys.values()].map((began) => (now - began) / 1000))
      }
    }
    return gauge(name, help, OF_QUEUE, { refresh })
  }

  of(name: string) {
    /** The keys in progress. Each has the time of its start, by `performance.now()`. */
    const busy = new Map<string, number>()
    this.#busy.set(name, busy)
    return {
      busy,
      depth: this.#depth.of(name),
      adds: this.#adds.of(name),
      retries: this.#retries.of(name),
      waitSeconds: this.#waits.of(name),
      workSeconds: this.#works.of(name),
    }
  }
}
