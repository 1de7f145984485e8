// What a run has seen, counted, and the table that it ends with.
import type { History } from './history.ts'
import type { LeaseVersion } from './leader-checks.ts'
import { LEADER_LOG } from './roles.ts'
import type { Recovery } from './world.ts'

export class Tally {
  readonly #recoveries = new Map<string, Recovery[]>()
  readonly #counts = new Map<string, number>()

  fault(sort: string, recovery: Recovery): void {
    this.#recoveries.set(sort, [...(this.#recoveries.get(sort) ?? []), recovery])
  }

  window({ writes, gets, lists, watches, follows }: History, leases: readonly LeaseVersion[]): void {
    this.#count('windows checked', 1)
    for (const { outcome } of writes) this.#count(`writes ${outcome.kind}`, 1)
    this.#count('written by elected leaders', writes.filter(({ key }) => key === LEADER_LOG).length)
    const holders = leases.filter(({ holder }, i) => i > 0 && holder !== leases[i - 1]!.holder)
    this.#count('renewals of the lease', Math.max(0, leases.length - 1))
    this.#count('changes of its holder', holders.length)
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

  table(): string {
    const row = (name: string, all: readonly Recovery[]): string => {
      const replicas = quantiles(all.map(({ replicasMs }) => replicasMs))
      const store = quantiles(all.map(({ storeMs }) => storeMs))
      return `| ${name} | ${all.length} | ${replicas.p50} | ${replicas.p95} | ${replicas.max} | ${store.p50} | ${store.max} |`
    }
    const sorts = [...this.#recoveries].toSorted(([one], [other]) => one.localeCompare(other))
    return [
      [...this.#counts].map(([name, count]) => `${name} ${count}`).join(', '),
      '',
      '| fault | count | recovery p50 ms | p95 | max | of etcd itself p50 | max |',
      '|---|--:|--:|--:|--:|--:|--:|',
      ...sorts.map(([sort, recoveries]) => row(sort, recoveries)),
      row('all', this.#allRecoveries()),
      '',
    ].join('\n')
  }

  #allRecoveries(): readonly Recovery[] {
    return [...this.#recoveries.values()].flat()
  }

  #count(name: string, more: number): void {
    this.#counts.set(name, this.count(name) + more)
  }
}

/** In whole milliseconds. */
function quantiles(times: readonly number[]): { readonly p50: string; readonly p95: string; readonly max: string } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}
