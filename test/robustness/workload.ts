// Writers that fight over a few keys and watchers that follow, until told to stop. Everything is written down.
import { setTimeout as sleep } from 'node:timers/promises'
import { type GetResult, KvError, type Kv, type KvEvent, type WriteResult, putKey, removeKey } from '../../src/kv/kv.ts'
import type { Outcome, WriteRecord } from './write-history.ts'

export const PREFIX = '/registry/'
const KEYS = 10

/** Each writer and each watcher has the engine of its turn. */
export interface WorkloadOptions {
  /** The revision that the watchers begin behind. */
  readonly after: number
  readonly engines: readonly Kv[]
  readonly writers: number
  readonly watchers: number
}

export class Workload {
  readonly records: WriteRecord[] = []
  /** What each watcher saw, and by that how far it has come. */
  readonly seen: { readonly events: KvEvent[]; reached: number; ended: unknown }[] = []
  readonly #options: WorkloadOptions
  readonly #stopWriting = new AbortController()
  readonly #stopWatching = new AbortController()
  readonly #running: Promise<void>[] = []
  readonly #watching: Promise<void>[] = []
  readonly #waiting = new Set<() => void>()

  constructor(options: WorkloadOptions) {
    this.#options = options
  }

  /** Nothing in the prefix was written after `after` yet. */
  start(): void {
    for (let i = 0; i < this.#options.watchers; i++) this.addWatcher()
    for (let i = 0; i < this.#options.writers; i++) this.#running.push(this.#write(this.#engineOf(i), i))
  }

  /** One more, which has everything from the beginning to catch up with; every other one is slow. */
  addWatcher(): void {
    const turn = this.#watching.length
    this.#watching.push(this.#watch(this.#engineOf(turn), turn % 2 === 0 ? 0 : 10))
  }

  #engineOf(turn: number): Kv {
    return this.#options.engines[turn % this.#options.engines.length]!
  }

  get won(): number {
    return this.records.filter(({ outcome }) => outcome.kind === 'won').length
  }

  /** Resolves when so many more writes were won: there is life. */
  async untilWon(more: number): Promise<void> {
    const goal = this.won + more
    while (this.won < goal) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Ends the writers and gives them time to find out about their last writes. */
  async stopWriting(): Promise<void> {
    this.#stopWriting.abort()
    await Promise.all(this.#running)
  }

  /** Resolves when every watcher has come to this revision or ended. */
  async untilSeen(revision: number): Promise<void> {
    while (this.seen.some(({ reached, ended }) => reached < revision && ended === undefined)) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  async stopWatching(): Promise<void> {
    this.#stopWatching.abort()
    await Promise.all(this.#watching)
  }

  #something(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }

  async #watch(kv: Kv, msABatch: number): Promise<void> {
    const { after } = this.#options
    const own = { events: [] as KvEvent[], reached: after, ended: undefined as unknown }
    this.seen.push(own)
    try {
      for await (const batch of kv.watch({ prefix: PREFIX, after }, this.#stopWatching.signal)) {
        own.events.push(...batch.events)
        own.reached = batch.revision
        this.#something()
        if (msABatch > 0) await sleep(msABatch)
      }
    } catch (error) {
      own.ended = error
      this.#something()
    }
  }

  async #write(kv: Kv, writer: number): Promise<void> {
    const never = new AbortController().signal
    for (let turn = 0; !this.#stopWriting.signal.aborted; turn++) {
      const key = `${PREFIX}key-${(writer * 7 + turn * 3) % KEYS}`
      const read = await kv.get(key, {}, never).catch((error: unknown) => error)
      if (read instanceof Error) {
        if (read instanceof KvError && read.code === 'closed') return
        // A refusal at once must not become a loop that lets nothing else run.
        await sleep(1)
        continue
      }
      const expected = (read as GetResult).item?.revision ?? 0
      const wanted = { key, expected, ...(expected !== 0 && turn % 3 === 0 ? {} : { value: `${writer}/${turn}` }) }
      const outcome = await outcomeOf(
        wanted.value === undefined
          ? removeKey(kv, { key, expected }, never)
          : putKey(kv, { key, expected, value: Buffer.from(wanted.value) }, never),
      )
      this.records.push({ ...wanted, outcome })
      this.#something()
    }
  }
}

async function outcomeOf(writing: Promise<WriteResult>): Promise<Outcome> {
  try {
    const result = await writing
    return result.ok ? { kind: 'won', revision: result.revision } : { kind: 'lost' }
  } catch (error) {
    if (!(error instanceof KvError)) throw error
    return error.code === 'unknown' ? { kind: 'unknown' } : { kind: 'failed', code: error.code }
  }
}
