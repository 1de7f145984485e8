// Forgets the storage's history, so that it does not grow for ever: what is older than one interval, at every interval, by
// one of the replicas. They take turns by comparing and swapping one key, which also tells the others.
import { ABSENT } from '../kv/kv.ts'
import type { Kv } from '../kv/kv.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { normalizePrefix } from './keys.ts'

/** Under the server's prefix; its value is the revision before which history is forgotten. */
export const COMPACTION_KEY = 'compact_rev_key'

export interface CompactorOptions {
  readonly kv: Kv
  readonly prefix: string
  readonly clock: Clock
  readonly intervalMs: number
  /** A round that failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void
}

export class Compactor {
  readonly #options: CompactorOptions
  readonly #key: string
  /** The key's revision as we know it: who still has the right one has the turn. */
  #known = ABSENT
  /** The newest revision an interval ago; undefined: we have not been here for that long. */
  #past: number | undefined

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#key = `${normalizePrefix(options.prefix)}/${COMPACTION_KEY}`
  }

  /** Resolves when the signal fires and nothing is under way. */
  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.#options.clock, this.#options.intervalMs, signal)) {
      try {
        await this.tick(signal)
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error)
      }
    }
  }

  /** To be called once an interval. Resolves to the revision that it compacted to, where it was this replica's turn. */
  async tick(signal: AbortSignal): Promise<number | undefined> {
    const past = this.#past
    const value = Buffer.from(String(past ?? 0))
    const result = await this.#options.kv.put({ key: this.#key, value, expected: this.#known }, signal)
    this.#past = result.revision
    if (!result.ok) {
      this.#known = result.current?.revision ?? ABSENT
      return undefined
    }
    this.#known = result.revision
    if (past === undefined) return undefined
    await this.#options.kv.compact(past, signal)
    return past
  }
}
