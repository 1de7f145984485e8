// Metrics that each folder of `src` keeps of its own work. They are cheap enough for the path of every request: a series is looked up once
// and then incremented. `telemetry/exposition.ts` shows the families to scrapers.

/** A number that goes up, or up and down. */
export class Count {
  value = 0
}

/** Counts values by the lowest bound that they do not exceed. Bounds ascend. */
export class Distribution {
  readonly bounds: readonly number[]
  /** One count for each bound, and one for values above all bounds. Not cumulated. */
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds } = this
    let at = 0
    while (at < bounds.length && value > bounds[at]!) at++
    this.counts[at]!++
    this.sum += value
  }
}

export type MeasureKind = 'counter' | 'gauge' | 'histogram'

export interface FamilyOptions<S extends Count | Distribution> {
  readonly name: string
  readonly help: string
  readonly kind: MeasureKind
  readonly labels: readonly string[]
  readonly make: () => S
  /** The limit of series, if clients choose label values: the least recently used one is dropped. Other code must not keep them. */
  readonly most?: number | undefined
  /** Computes the values that are not counted as they happen. Callers await `Family.refresh` before they read. */
  readonly refresh?: Refresh<S> | undefined
  /** A scrape shows the series with 0 before it has counted anything. Alerts need this: a series that begins with 1 has no increase. */
  readonly fromZero?: boolean | undefined
}

export type Refresh<S extends Count | Distribution> = (this: void, family: Family<S>) => void | Promise<void>

/** The series of one name, by the values of their labels. The values of a label must be bounded. */
export class Family<S extends Count | Distribution = Count | Distribution> {
  readonly name: string
  readonly help: string
  readonly kind: MeasureKind
  readonly labels: readonly string[]
  readonly fromZero: boolean
  readonly #make: () => S
  readonly #most: number
  readonly #refresh: () => void | Promise<void>
  readonly #series = new Map<string, { readonly values: readonly string[]; readonly series: S }>()

  constructor(options: FamilyOptions<S>) {
    this.name = options.name
    this.help = options.help
    this.kind = options.kind
    this.labels = options.labels
    this.fromZero = options.fromZero ?? false
    this.#make = options.make
    this.#most = options.most ?? Infinity
    this.#refresh = () => options.refresh?.(this)
    // A family without labels has one series from the start.
    if (options.labels.length === 0) this.of()
  }

  /** Callers that count often should keep the returned series. The values are in the order of the labels. */
  of(...values: readonly string[]): S {
    const key = values.length === 1 ? values[0]! : values.join('\0')
    const known = this.#series.get(key)
    if (known !== undefined) {
      if (this.#most !== Infinity) {
        // Moves the series to the end: the first entry of a map is the oldest one.
        this.#series.delete(key)
        this.#series.set(key, known)
      }
      return known.series
    }
    const series = this.#make()
    this.#series.set(key, { values, series })
    if (this.#series.size > this.#most) {
      const [oldest] = this.#series.keys()
      this.#series.delete(oldest ?? key)
    }
    return series
  }

  /** A family of the same name and kind, without series and without a callback for `refresh`. */
  emptyCopy(labels: readonly string[] = this.labels): Family<S> {
    const { name, help, kind, fromZero } = this
    return new Family({ name, help, kind, labels, fromZero, make: this.#make })
  }

  get size(): number {
    return this.#series.size
  }

  /** Removes series by the values of their labels. Callers that keep a series must look it up again. */
  forget(isGone: (values: readonly string[]) => boolean): void {
    for (const [key, { values }] of this.#series) if (isGone(values)) this.#series.delete(key)
  }

  clear(): void {
    this.#series.clear()
  }

  /** Await this before a scrape. */
  async refresh(): Promise<void> {
    await this.#refresh()
  }

  all(): Iterable<{ readonly values: readonly string[]; readonly series: S }> {
    return this.#series.values()
  }

  /** Sets counters and histograms to zero. Series that callers keep stay valid. */
  reset(): void {
    if (this.kind === 'gauge') return
    for (const { series } of this.#series.values()) {
      if (series instanceof Count) series.value = 0
      else {
        series.counts.fill(0)
        series.sum = 0
      }
    }
  }
}

type MoreOptions<S extends Count | Distribution = Count> = Pick<FamilyOptions<S>, 'most' | 'refresh' | 'fromZero'>

const numberOf =
  (kind: 'counter' | 'gauge') =>
  (name: string, help: string, labels: readonly string[] = [], more: MoreOptions = {}): Family<Count> =>
    new Family({ name, help, labels, ...more, kind, make: () => new Count() })

export const counter = numberOf('counter')
export const gauge = numberOf('gauge')

export function histogram(
  name: string,
  help: string,
  { bounds, labels = [], ...more }: HistogramOptions,
): Family<Distribution> {
  return new Family({ name, help, labels, ...more, kind: 'histogram', make: () => new Distribution(bounds) })
}

interface HistogramOptions extends MoreOptions<Distribution> {
  readonly bounds: readonly number[]
  readonly labels?: readonly string[]
}

/** The metrics of a folder of `src`: each member is a family. */
export abstract class Measures {
  all(): readonly Family[] {
    return Object.values(this).filter((member) => member instanceof Family)
  }
}
