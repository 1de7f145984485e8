// When the small pieces of streams are written. A write to a stream costs far more than the bytes in it: so pieces wait for
// a round, in which each stream gets all that came for it in one write, connection by connection, each sent before the next
// is begun. A server that keeps up begins a round at once; where more comes while one goes on, the next waits, so
// that telling a thousand watchers of every change leaves room for everything else.

/** A stream with something to send. */
export interface Outgoing {
  /** Streams of one connection go together. */
  readonly connection: object
  /** Writes all that waits. */
  flush(): void
}

/** After so many streams what was written is sent, and others have a turn. */
const STREAMS_A_TURN = 64
/** Where more came while a round went on, the next waits so many times as long as it took; at most so long. */
const REST_FACTOR = 3
const LONGEST_REST_MS = 40
/** What is not worth a timer. */
const SHORTEST_REST_MS = 1

export class Delivery {
  #waiting = new Map<object, Outgoing[]>()
  #round: MapIterator<Outgoing[]> | undefined
  #isPlanned = false
  #beganAt = 0
  #joinedOf: readonly Buffer[] = []
  #joined: Buffer | undefined

  /** It is flushed in the next round. */
  enlist(outgoing: Outgoing): void {
    const lane = this.#waiting.get(outgoing.connection)
    if (lane === undefined) this.#waiting.set(outgoing.connection, [outgoing])
    else lane.push(outgoing)
    if (!this.#isPlanned) this.#plan(0)
  }

  /** The pieces as one; watchers of one thing get the same pieces, which are joined once. */
  join(pieces: readonly Buffer[]): Buffer {
    if (pieces.length === 1) return pieces[0]!
    const last = this.#joinedOf
    const isSame = last.length === pieces.length && pieces.every((piece, at) => piece === last[at])
    if (isSame && this.#joined !== undefined) return this.#joined
    this.#joinedOf = [...pieces]
    this.#joined = Buffer.concat(pieces)
    return this.#joined
  }

  #plan(restMs: number): void {
    this.#isPlanned = true
    if (restMs < SHORTEST_REST_MS) setImmediate(this.#begin)
    else setTimeout(this.#begin, Math.min(LONGEST_REST_MS, restMs))
  }

  readonly #begin = (): void => {
    this.#beganAt = performance.now()
    this.#round = this.#waiting.values()
    this.#waiting = new Map()
    this.#turn()
  }

  readonly #turn = (): void => {
    let served = 0
    while (served < STREAMS_A_TURN) {
      const next = this.#round?.next()
      if (next?.value === undefined) {
        this.#round = undefined
        break
      }
      for (const outgoing of next.value) outgoing.flush()
      served += next.value.length
    }
    // Node sends what was written before it calls this.
    setImmediate(this.#round === undefined ? this.#end : this.#turn)
  }

  readonly #end = (): void => {
    this.#joinedOf = []
    this.#joined = undefined
    this.#isPlanned = false
    if (this.#waiting.size > 0) this.#plan((performance.now() - this.#beganAt) * REST_FACTOR)
  }
}
