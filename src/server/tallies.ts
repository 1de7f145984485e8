// Counts and distributions of requests, kept as plain numbers: prom-client would sort and join the labels of every request
// anew, five times for each, which is more than the rest of a GET from the cache. It only writes them out.
import type { Registry as MetricsRegistry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** A family of metrics whose members are found by the caller and then only added to. */
export class Family<Member extends Countable> {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'histogram'
  readonly aggregator = 'sum'
  readonly #make: () => Member
  readonly #members = new Map<Labels, Member>()

  private constructor(about: About, type: 'counter' | 'histogram', make: () => Member) {
    this.name = about.name
    this.help = about.help
    this.type = type
    this.#make = make
    // The registry asks for no more than this, whatever its declared type says.
    about.registry.registerMetric(this as never)
  }

  static counter(about: About): Family<Count> {
    return new Family(about, 'counter', () => new Count())
  }

  static histogram(about: About, bounds: readonly number[]): Family<Distribution> {
    return new Family(about, 'histogram', () => new Distribution(bounds))
  }

  /** A member of its own for these labels: ask once and keep it. */
  member(labels: Labels): Member {
    const made = this.#make()
    this.#members.set(labels, made)
    return made
  }

  get(): Promise<object> {
    const { name, help, type, aggregator } = this
    const values = [...this.#members].flatMap(([labels, member]) => member.samples(name, labels))
    return Promise.resolve({ name, help, type, aggregator, values })
  }

  reset(): void {
    for (const member of this.#members.values()) member.reset()
  }
}

export interface About {
  readonly registry: MetricsRegistry
  readonly name: string
  readonly help: string
}

interface Countable {
  /** None where nothing was counted, or not since the last reset. */
  samples(name: string, labels: Labels): Sample[]
  reset(): void
}

export class Count implements Countable {
  value = 0

  samples(_name: string, labels: Labels): Sample[] {
    return this.value === 0 ? [] : [{ labels, value: this.value }]
  }

  reset(): void {
    this.value = 0
  }
}

export class Distribution implements Countable {
  readonly #bounds: readonly number[]
  /** How many were within each bound and above the one before; the last: above all. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++
    this.#counts[at]!++
    this.#sum += value
  }

  samples(name: string, labels: Labels): Sample[] {
    let count = 0
    if (this.#counts.every((within) => within === 0)) return []
    const buckets = [...this.#bounds, '+Inf'].map((le, at) => {
      count += this.#counts[at]!
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }

  reset(): void {
    this.#counts.fill(0)
    this.#sum = 0
  }
}
