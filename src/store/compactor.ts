// Compacts the storage. In every interval, one of the servers compacts the history that is older than an interval. The servers take
// turns by compare-and-swap of a key of the reference, so kube-apiserver takes part. Our replicas watch only their prefix. They learn of a
// compaction by another key under the prefix.
import { ABSENT, type Kv, KvError, type WriteResult, putKey } from '../kv/kv.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import { normalizePrefix } from './keys.ts'

/** The name of the key in the whole storage, and of the key below the server's prefix. The value is the compacted revision. */
export const COMPACTION_KEY = 'compact_rev_key'

export interface CompactorOptions {
  readonly kv: Kv
  readonly prefix: string
  readonly clock: Clock
  readonly intervalMs: number
  /** Called if a round fails. The next round is tried nevertheless. */
  readonly onError: (error: unknown) => void
}

export interface CompactionStatus {
  readonly intervalMs: number
  /** The history before this revision is compacted. Undefined: nothing is compacted. */
  readonly revision: number | undefined
  /**
   * The time of this server's last round, even if another server had the turn, in milliseconds since 1970. Undefined: there was no round
   * yet.
   */
  readonly lastRoundAt: number | undefined
  /** The failure of the last round. */
  readonly problem: string | undefined
}

export class Compactor {
  readonly #options: CompactorOptions
  readonly #toldKey: string
  #turnKey: string = COMPACTION_KEY
  /** The revision of the turn key that this server knows. A server that knows the current revision gets the turn. */
  #known = ABSENT
  /** The newest revision an interval ago. Undefined: this server has not run for that long. */
  #past: number | undefined
  #lastRound: { readonly at: number; readonly problem: string | undefined } | undefined

  constructor(options: CompactorOptions) {
    this.#options = options
    this.#toldKey = `${normalizePrefix(options.prefix)}/${COMPACTION_KEY}`
  }

  /** Resolves when the signal has fired and all work is done. */
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

  /** Call this once in each interval. Resolves to the compacted revision if it was this server's turn. */
  async tick(signal: AbortSignal): Promise<number | undefined> {
    const past = this.#past
    const result = await this.#takeTurn(past ?? 0, signal)
    if (result === 'full') return this.#compactWithoutTurn(past, signal)
    this.#past = result.revision
    if (!result.ok) {
      this.#known = result.current?.revision ?? ABSENT
      // kube-apiserver may have the turn every time, and does not report to our replicas.
      await this.#tell(Number(result.current?.value.toString('latin1')), signal)
      return undefined
    }
    this.#known = result.revision
    if (past === undefined) return undefined
    await this.#options.kv.compact(past, signal)
    await this.#tell(past, signal)
    return past
  }

  /** Without space, no server can write the key to take a turn. But compaction makes space. So several servers may compact at once. */
  async #compactWithoutTurn(past: number | undefined, signal: AbortSignal): Promise<number | undefined> {
    this.#past = await this.#options.kv.newestRevision(signal)
    if (past !== undefined) await this.#options.kv.compact(past, signal)
    return past
  }

  async #takeTurn(past: number, signal: AbortSignal): Promise<WriteResult | 'full'> {
    const value = Buffer.from(String(past))
    try {
      return await putKey(this.#options.kv, { key: this.#turnKey, value, expected: this.#known }, signal)
    } catch (error) {
      if (!(error instanceof KvError)) throw error
      if (error.code === 'full') return 'full'
      if (error.code !== 'denied' || this.#turnKey === this.#toldKey) throw error
      // A server that may write only under its prefix takes turns with the servers that share the prefix.
      this.#turnKey = this.#toldKey
      return this.#takeTurn(past, signal)
    }
  }

  /** Tells the replicas of the compaction, unless they know it. */
  async #tell(past: number, signal: AbortSignal): Promise<void> {
    if (this.#turnKey === this.#toldKey) return
    const { kv } = this.#options
    const { item } = await kv.get(this.#toldKey, {}, signal)
    const told = item === undefined ? 0 : Number(item.value.toString('latin1'))
    if (!(past > told)) return
    const expected = item?.revision ?? ABSENT
    await putKey(kv, { key: this.#toldKey, value: Buffer.from(String(past)), expected }, signal)
  }
}
