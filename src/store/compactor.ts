// Compacts the storage: at every interval what is older than one interval, by one of the servers on it. They take turns
// by compare-and-swap of one key, kube-apiserver among them: it is the reference's key. Our replicas only watch their prefix, and
// so learn of a compaction by another key there.
import { ABSENT, type Kv, KvError, type WriteResult } from '../kv/kv.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { normalizePrefix } from './keys.ts'

/** As the whole storage has it, and below the server's prefix. Its value is the revision before which history is forgotten. */
export const COMPACTION_KEY = 'compact_rev_key'

export interface CompactorOptions {
  readonly kv: Kv
  readonly prefix: string
  readonly clock: Clock
  readonly intervalMs: number
  /** Called where a round failed; the next one is tried all the same. */
  readonly onError: (error: unknown) => void
}

/** How it stands with forgetting history. */
export interface CompactionStatus {
  readonly intervalMs: number
  /** Before which history is forgotten; undefined: none was. */
  readonly revision: number | undefined
  /** Of this server's last round, also where another server took its turn, in milliseconds since 1970; undefined: there was none yet. */
  readonly lastRoundAt: number | undefined
  /** Why that failed. */
  readonly problem: string | undefined
}

export class Compactor {
  readonly #options: CompactorOptions
  readonly #toldKey: string
  #turnKey: string = COMPACTION_KEY
  /** The key's revision as we know it: who still has the right one has the turn. */
  #known = ABSENT
  /** The newest revision an interval ago; undefined: we have not been here for that long. */
  #past: number | undefined
  #lastRound: { readonly at: number; readonly problem: string | undefined } | undefined

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#toldKey = `${normalizePrefix(options.prefix)}/${COMPACTION_KEY}`
  }

  /** Resolves when the signal fires and nothing is under way. */
  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.#options.clock, this.#options.intervalMs, signal)) {
      try {
        await this.tick(signal)
        this.#noteRound(undefined)
      } catch (error) {
        if (signal.aborted) continue
        this.#noteRound(error instanceof Error ? error.message : String(error))
        this.#options.onError(error)
      }
    }
  }

  async status(signal: AbortSignal): Promise<CompactionStatus> {
    const { kv, intervalMs } = this.#options
    const { item } = await kv.get(this.#toldKey, {}, signal)
    const revision = Number(item?.value.toString('latin1') ?? 0)
    return {
      intervalMs,
      revision: revision > 0 ? revision : undefined,
      lastRoundAt: this.#lastRound?.at,
      problem: this.#lastRound?.problem,
    }
  }

  #noteRound(problem: string | undefined): void {
    this.#lastRound = { at: this.#options.clock.timeOfDay(), problem }
  }

  /** To be called once an interval. Resolves to the revision that it compacted to, where it was this server's turn. */
  async tick(signal: AbortSignal): Promise<number | undefined> {
    const past = this.#past
    const result = await this.#takeTurn(past ?? 0, signal)
    if (result === 'full') return this.#compactWithoutTurn(past, signal)
    this.#past = result.revision
    if (!result.ok) {
      this.#known = result.current?.revision ?? ABSENT
      // It may be kube-apiserver's turn every time, and that does not tell our replicas.
      await this.#tell(Number(result.current?.value.toString('latin1')), signal)
      return undefined
    }
    this.#known = result.revision
    if (past === undefined) return undefined
    await this.#options.kv.compact(past, signal)
    await this.#tell(past, signal)
    return past
  }

  /** Without space no server can take a turn, and compaction makes space. Several servers may compact at once. */
  async #compactWithoutTurn(past: number | undefined, signal: AbortSignal): Promise<number | undefined> {
    this.#past = await this.#options.kv.newestRevision(signal)
    if (past !== undefined) await this.#options.kv.compact(past, signal)
    return past
  }

  async #takeTurn(past: number, signal: AbortSignal): Promise<WriteResult | 'full'> {
    const value = Buffer.from(String(past))
    try {
      return await this.#options.kv.put({ key: this.#turnKey, value, expected: this.#known }, signal)
    } catch (error) {
      if (!(error instanceof KvError)) throw error
      if (error.code === 'full') return 'full'
      if (error.code !== 'denied' || this.#turnKey === this.#toldKey) throw error
      // A server that may write only under its prefix takes turns with the servers that share the prefix.
      this.#turnKey = this.#toldKey
      return this.#takeTurn(past, signal)
    }
  }

  /** Unless they know already. */
  async #tell(past: number, signal: AbortSignal): Promise<void> {
    if (this.#turnKey === this.#toldKey) return
    const { kv } = this.#options
    const { item } = await kv.get(this.#toldKey, {}, signal)
    const told = item === undefined ? 0 : Number(item.value.toString('latin1'))
    if (!(past > told)) return
    const expected = item?.revision ?? ABSENT
    await kv.put({ key: this.#toldKey, value: Buffer.from(String(past)), expected }, signal)
  }
}
