// Tells whether a server is busy, by the calls to its store. A virtual clock and a seeded order of requests wait until the effects of a step
// are complete.
import type { Handler, HttpRequest, HttpResponse } from '../http/http.ts'
import type { Batch, Kv, KvWatch } from '../kv/kv.ts'

/**
 * With open sockets, requests and answers may be on their way through the system, and Node does not report them. So this number is a guess:
 * clients in this process need some turns after an answer.
 */
const QUIET_TURNS = 24
/** Other parts of the process may never rest. Then this many turns without activity of this server are enough. */
const BUSY_TURNS = 1_000
/** The longest wait, because a store may never answer, and a client may never stop sending requests. */
const PATIENCE_MS = 5_000

export class Activity {
  readonly #patienceMs: number
  /** The number of calls and changes of the store, and of requests that arrived, began or were answered. */
  #seen = 0
  #underWay = 0
  /** The number of pending promises of `#nextTurn`. */
  #awaitedTurns = 0
  #lastInLine: Promise<void> = Promise.resolve()

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs
  }

  /** Returns the same store, and observes its reads, writes and changes. */
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

  /**
   * Resolves when no call to the store is open and nothing is left to run in this process, or after a time limit. It does not wait for timers or
   * for other processes.
   */
  async settled(): Promise<void> {
    const until = performance.now() + this.#patienceMs
    let seen = this.#seen
    for (let quietTurns = 0; quietTurns < this.#turnsToWait(); ) {
      await this.#nextTurn()
      quietTurns = this.#underWay === 0 && this.#seen === seen ? quietTurns + 1 : 0
      seen = this.#seen
      if (performance.now() > until) return
    }
  }

  /** Resolves in the next turn of the event loop. By then, all code that waited only for promises has run. */
  #nextTurn(): Promise<void> {
    this.#awaitedTurns++
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#awaitedTurns--
        resolve()
      })
    })
  }

  /** The number of turns without activity after which the server counts as idle. */
  #turnsToWait(): number {
    let leftToRun = -this.#awaitedTurns
    let hasSockets = false
    for (const resource of process.getActiveResourcesInfo()) {
      if (resource === 'TCPSocketWrap') hasSockets = true
      else if (resource === 'Immediate') leftToRun++
    }
    return leftToRun > 0 ? BUSY_TURNS : hasSockets ? QUIET_TURNS : 1
  }

  /** Each request begins when the work of the earlier ones is done. */
  inOrder(handler: Handler): Handler {
    return (request) => {
      this.#seen++
      this.#lastInLine = this.#lastInLine.then(() => this.settled())
      return this.#lastInLine.then(() => this.#answer(handler, request))
    }
  }

  /** A request that does not call the store is activity too: its client needs some turns after the answer. */
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
