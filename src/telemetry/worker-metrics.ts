// Merges the metrics of several workers into those of one server. Counters are added up, with those of workers that have ended, so that
// they never decrease. Gauges are added up too if each worker has a part of the number. Other gauges show their largest value. Metrics of a
// process have a label for the worker.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getOrInsert } from '../lib/map-entries.ts'
import type { Count } from '../lib/measure.ts'
import { Distribution, type Family } from '../lib/measure.ts'

/** A family as it is sent to another process. */
export interface FamilySnapshot {
  readonly name: string
  readonly kind: Family['kind']
  readonly series: readonly SeriesSnapshot[]
}

interface SeriesSnapshot {
  /** The values of the labels. */
  readonly values: readonly string[]
  /** The value of a count. For a distribution: its sum, and then the number of values in each interval between two bounds. */
  readonly numbers: readonly number[]
}

export interface WorkerSnapshot {
  /** The name of the worker. Undefined: the workers that have ended. */
  readonly worker: string | undefined
  readonly families: readonly FamilySnapshot[]
}

/** Gauges whose values add up: each worker has a part. */
const ADDED =
  /^(workqueue_|apiserver_flowcontrol_|apiserver_(longrunning|current_inflight)_requests$|quarterdeck_(?!storage_|longest_turn_))/
/** Metrics of a process. Also the last result of a health check: different workers may have run it at different times. */
const OF_PROCESS = /^(process_|nodejs_|go_|kubernetes_healthcheck$)/

/** This number of series takes less than a millisecond. */
const PIECE = 1000

export async function snapshotOf(families: readonly Family[]): Promise<readonly FamilySnapshot[]> {
  const taken: FamilySnapshot[] = []
  let count = 0
  for (const family of families) {
    await family.refresh()
    const series = Array.from(family.all(), ({ values, series: one }) => ({ values, numbers: numbersOf(one) }))
    taken.push({ name: family.name, kind: family.kind, series })
    count += series.length
    if (count > PIECE) {
      count = 0
      await nextTurn()
    }
  }
  return taken
}

/** The families with the counts of all workers. `known` describes them. */
export function familiesOf(known: readonly Family[], snapshots: readonly WorkerSnapshot[]): readonly Family[] {
  const all = new Map(known.map((family) => [family.name, family.emptyCopy(labelsOf(family))]))
  for (const { worker, families } of snapshots) {
    for (const { name, series } of families) {
      const family = all.get(name)
      if (family === undefined) continue
      const process = OF_PROCESS.test(name) ? [worker ?? ''] : []
      for (const { values, numbers } of series) {
        // A worker of another version may know other labels.
        if (values.length + process.length === family.labels.length) take(family, [...values, ...process], numbers)
      }
    }
  }
  return [...all.values()]
}

/** The counts of workers that have ended. */
export class PastCounts {
  readonly #series = new Map<string, Map<string, { readonly values: readonly string[]; readonly numbers: number[] }>>()
  readonly #kinds = new Map<string, Family['kind']>()

  add(families: readonly FamilySnapshot[]): void {
    for (const { name, kind, series } of countsOf(families)) {
      this.#kinds.set(name, kind)
      const known = getOrInsert(this.#series, name, () => new Map())
      for (const { values, numbers } of series) {
        const key = values.join('\0')
        const sum = known.get(key)?.numbers ?? []
        known.set(key, { values, numbers: numbers.map((number, i) => number + (sum[i] ?? 0)) })
      }
    }
  }

  forget(names: readonly string[]): void {
    for (const name of names) this.#series.delete(name)
  }

  forgetSeries(gone: readonly FamilySnapshot[]): void {
    for (const { name, series } of gone) {
      for (const { values } of series) this.#series.get(name)?.delete(values.join('\0'))
    }
  }

  snapshot(): WorkerSnapshot {
    const families = Array.from(this.#series, ([name, series]) => {
      return { name, kind: this.#kinds.get(name) ?? 'counter', series: [...series.values()] }
    })
    return { worker: undefined, families }
  }
}

/** The counts that stay true when a process ends. */
export function countsOf(families: readonly FamilySnapshot[]): readonly FamilySnapshot[] {
  return families.filter(({ name, kind }) => kind !== 'gauge' && !OF_PROCESS.test(name))
}

function labelsOf({ name, labels }: Family): readonly string[] {
  return OF_PROCESS.test(name) ? [...labels, 'worker'] : labels
}

function numbersOf(series: Count | Distribution): readonly number[] {
  return series instanceof Distribution ? [series.sum, ...series.counts] : [series.value]
}

function take(family: Family, values: readonly string[], numbers: readonly number[]): void {
  const series = family.of(...values)
  const [first = 0, ...counts] = numbers
  if (series instanceof Distribution) {
    if (counts.length !== series.counts.length) return
    series.sum += first
    for (const [i, count] of counts.entries()) series.counts[i]! += count
  } else if (family.kind === 'gauge' && !ADDED.test(family.name)) series.value = Math.max(series.value, first)
  else series.value += first
}
