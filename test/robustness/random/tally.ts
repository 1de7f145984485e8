// What a run has seen, counted, and the table that it ends with.
import type { History } from './history.ts'

export class Tally {
  readonly #recoveries = new Map<string, number[]>()
  readonly #counts = new Map<string, number>()

  fault(sort: string, recoveryMs: number): void {
    this.#recoveries.set(sort, [...(this.#recoveries.get(sort) ?? []), recoveryMs])
  }

  window({ writes, gets, lists, watches, follows }: History): void {
    this.#count('windows checked', 1)
    for (const { outcome } of writes) this.#count(`writes ${outcome.kind}`, 1)
    this.#count('gets', gets.length)
    this.#count('lists', lists.length + 2 * follows.length)
    const all = [...watches, ...follows.map(({ watch }) => watch)].filter(({ told }) => told.length > 0)
    this.#count('watches', all.length)
    for (const { told } of all) {
      const bookmarks = told.filter(({ type }) => type === 'BOOKMARK').length
      this.#count('events', told.length - bookmarks)
      this.#count('bookmarks', bookmarks)
    }
  }

  /** Of one counter. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  get faults(): number {
    return this.#allRecoveries().length
  }

  get sorts(): number {
    return this.#recoveries.size
  }

  /** Of the times from the heal to a write and a read at both replicas, in milliseconds. */
  recovery(): { readonly p50: number; readonly p95: number; readonly max: number } {
    return quantiles(this.#allRecoveries())
  }

  table(): string {
    const row = (name: string, times: readonly number[]): string => {
      const { p50, p95, max } = quantiles(times)
      return `| ${name} | ${times.length} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${max.toFixed(0)} |`
    }
    const sorts = [...this.#recoveries].toSorted(([one], [other]) => one.localeCompare(other))
    return [
      [...this.#counts].map(([name, count]) => `${name} ${count}`).join(', '),
      '',
      '| fault | count | recovery p50 ms | p95 | max |',
      '|---|--:|--:|--:|--:|',
      ...sorts.map(([sort, times]) => row(sort, times)),
      row('all', this.#allRecoveries()),
      '',
    ].join('\n')
  }

  #allRecoveries(): readonly number[] {
    return [...this.#recoveries.values()].flat()
  }

  #count(name: string, more: number): void {
    this.#counts.set(name, this.count(name) + more)
  }
}

function quantiles(times: readonly number[]): { readonly p50: number; readonly p95: number; readonly max: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 }
}
