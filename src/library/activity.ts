// Tells whether a server is busy, by the calls to its store. A virtual clock and a seeded order of requests wait until the effects of a step
// are complete.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Handler, HttpRequest, HttpResponse } from '../http/http.ts'
import type { Batch, Kv, KvWatch } from '../kv/kv.ts'

/** Work asks the store for something within a few turns of the event loop after what set it off. */
const FIRST_TURNS = 4
/** Work that has begun calls the store again within so many turns. Clients in this process need some more turns after an answer. */
const QUIET_TURNS = 24
/** A store that does not answer, or a client that never stops asking, must not hold up everything for good. */
const PATIENCE_MS = 5_000

export class Activity {
  readonly #patienceMs: number
  /** Calls and changes of the store, and requests that arrive, begin or are answered. */
  #seen = 0
  /** How many there had been when it was last quiet. */
  #seenQuiet = -1
  #underWay = 0
  #lastInLine: Promise<void> = Promise.resolve()

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs
  }

  /** The same store; every call of it is observed. */
  around(kv: Kv): Kv {
    return {
      get: (...call) => this.#see(kv.get(...call)),
      list: (...call) => this.#see(kv.list(...call)),
      commit: (...call) => this.#see(kv.commit(...call)),
      compact: (...call) => this.#see(kv.compact(...call)),
      newestRevision: (...call) => this.#see(kv.newestRevision(...call)),
      watch: (...call) => this.#seeChanges(kv.watch(...call)),
      checkHealth: (...call) => kv.checkHealth(...call),
      size: (...call) => kv.size(...call),
      close: () => kv.close(),
    }
  }

  /** Resolves when no call to the store is open, or after a time limit. It does not wait for timers or for other processes. */
  async settled(): Promise<void> {
    const until = performance.now() + this.#patienceMs
    let seen = this.#seen
    for (let quietTurns = 0; quietTurns < (seen === this.#seenQuiet ? FIRST_TURNS : QUIET_TURNS); ) {
      await nextTurn()
      quietTurns = this.#underWay === 0 && this.#seen === seen ? quietTurns + 1 : 0
      seen = this.#seen
      if (performance.now() > until) return
    }
    this.#seenQuiet = seen
  }

  /** Each request begins when what those before it have started is done. */
  inOrder(handler: Handler): Handler {
    return (request) => {
      this.#seen++
      this.#lastInLine = this.#lastInLine.then(() => this.settled())
      return this.#lastInLine.then(() => this.#answer(handler, request))
    }
  }

  /** Not every request calls the store. Its client needs some turns after the answer all the same. */
  async #answer(handler: Handler, request: HttpRequest): Promise<HttpResponse> {
    this.#seen++
    try {
      return await handler(request)
    } finally {
      this.#seen++
    }
  }

  #seeChanges(watch: KvWatch): KvWatch {
    return {
      requestProgress: () => watch.requestProgress(),
      [Symbol.asyncIterator]: () => this.#seeBatches(watch),
    }
  }

  async *#seeBatches(watch: KvWatch): AsyncGenerator<Batch> {
    for await (const batch of watch) {
      this.#seen++
      yield batch
    }
  }

  async #see<T>(call: Promise<T>): Promise<T> {
    this.#seen++
    this.#underWay++
    try {
      return await call
    } finally {
      this.#underWay--
    }
  }
}
