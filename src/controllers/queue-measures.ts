// How busy the loops are that keep the server's own state true, under the reference's names.
import {
  type Count,
  counterFamily,
  type Distribution,
  type Family,
  gaugeFamily,
  histogramFamily,
} from '../lib/measure.ts'

const BOUNDS: readonly number[] = Array.from({ length: 10 }, (_, i) => 10 ** (i - 8))
const OF_QUEUE: readonly string[] = ['name']

/** What one queue counts. */
export interface QueueTally {
  readonly depth: Count
  readonly adds: Count
  readonly retries: Count
  readonly waitSeconds: Distribution
  readonly workSeconds: Distribution
}

export class QueueMeasures {
  readonly #depth = gaugeFamily({ name: 'workqueue_depth', help: 'Keys that wait to be worked on.', labels: OF_QUEUE })
  readonly #adds = counterFamily({ name: 'workqueue_adds_total', help: 'Keys that were added.', labels: OF_QUEUE })
  readonly #retries = counterFamily({
    name: 'workqueue_retries_total',
    help: 'Keys that are to be looked at again.',
    labels: OF_QUEUE,
  })
  readonly #waits = histogramFamily({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long keys waited.',
    labels: OF_QUEUE,
    bounds: BOUNDS,
  })
  readonly #works = histogramFamily({
    name: 'workqueue_work_duration_seconds',
    help: 'How long a key was worked on.',
    labels: OF_QUEUE,
    bounds: BOUNDS,
  })

  all(): readonly Family[] {
    return [this.#depth, this.#adds, this.#retries, this.#waits, this.#works]
  }

  of(name: string): QueueTally {
    return {
      depth: this.#depth.of(name),
      adds: this.#adds.of(name),
      retries: this.#retries.of(name),
      waitSeconds: this.#waits.of(name),
      workSeconds: this.#works.of(name),
    }
  }
}
