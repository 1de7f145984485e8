// Decides when small pieces of streams are written. A write costs far more than the bytes in it, so pieces are collected for a round. In a
// round, each stream gets all of its pieces in one write, connection by connection. The pause after a round is in proportion to its cost: a
// few watchers get events at once, and thousands of watchers leave time for other work. The pause is short while events come one by one,
// because a longer pause would not bring them into one round. Streams that people look at are written at most 20 times a second.
import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync } from 'node:zlib'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { WireConnection } from '../wire/request-response.ts'

/** A stream with something to send. */
export interface Outgoing {
  readonly connection: WireConnection
  /** A piece that comes soon after another may wait, so that both are sent together. */
  readonly isPaced: boolean
  /** Returns the number of pieces that were written. `now` is in milliseconds of `performance.now()`. */
  flush(now: number): number
  /** Reports that a write to the stream failed. */
  fail(error: unknown): void
}

/** After this many streams, a round continues in the next turn of the event loop. */
const STREAMS_A_TURN = 64

interface Rest {
  /** The pause is this many times as long as the round, but at most `longestMs`. */
  readonly factor: number
  readonly longestMs: number
}

/** The pause while events come one by one. */
const SHORT_REST: Rest = { factor: 4, longestMs: 10 }
/** The pause after a round with several pieces for each stream. Pieces that come during the pause share the cost of the next round. */
const LONG_REST: Rest = { factor: 16, longestMs: 40 }
/** From this average number of pieces for each stream on, the pause is `LONG_REST`. */
const SEVERAL_PIECES = 1.5
const SHORTEST_REST_MS = 1
/** The time between rounds for paced streams. All paced streams share the rounds. */
const PACE_MS = 50

const deflateAsync = promisify(deflateRaw)

/**
 * The level of compression is that of lists. A compressed part refers to nothing before it and does not end the stream, so its bytes are
 * the same in every stream.
 */
const PART = Object.freeze({ level: 1, finishFlush: constants.Z_SYNC_FLUSH })

export class Delivery {
  readonly #clock: Clock
  #waiting = new Map<WireConnection, Outgoing[]>()
  #round: MapIterator<[WireConnection, Outgoing[]]> | undefined
  #isPlanned = false
  #writingMs = 0
  #streams = 0
  #pieces = 0
  #restsUntil = 0
  #joinedOf: readonly Buffer[] = []
  #joined: Buffer | undefined
  readonly #packed = new WeakMap<Buffer, Buffer>()
  readonly #packing = new WeakMap<Buffer, Promise<Buffer>>()
  /** Paced streams that have something to send, but may not send yet. */
  #held: Outgoing[] = []
  #pacedAgainAt = 0
  #servesPaced = false

  /** `clock` measures rounds and pauses. With a clock that stands still, rounds take no time, and there are no pauses. */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  get isBusy(): boolean {
    return this.#round !== undefined
  }

  /** Flushes the stream in the next round, or in a later round if the stream is paced. */
  enlist(outgoing: Outgoing): void {
    if (outgoing.isPaced) {
      const tooSoonMs = this.#pacedAgainAt - performance.now()
      if (tooSoonMs > 0) {
        if (this.#held.push(outgoing) === 1) setTimeout(this.#release, tooSoonMs)
        return
      }
      this.#servesPaced = true
    }
    this.#enter(outgoing)
  }

  readonly #release = (): void => {
    const held = this.#held
    this.#held = []
    this.#servesPaced = true
    for (const outgoing of held) this.#enter(outgoing)
  }

  #enter(outgoing: Outgoing): void {
    const lane = this.#waiting.get(outgoing.connection)
    if (lane === undefined) this.#waiting.set(outgoing.connection, [outgoing])
    else lane.push(outgoing)
    if (!this.#isPlanned) this.#plan()
  }

  /** Returns the pieces as one buffer. Watchers of the same objects get the same pieces, so these are joined only once. */
  join(pieces: readonly Buffer[]): Buffer {
    if (pieces.length === 1) return pieces[0]!
    const last = this.#joinedOf
    const isSame = last.length === pieces.length && pieces.every((piece, at) => piece === last[at])
    if (isSame && this.#joined !== undefined) return this.#joined
    this.#joinedOf = [...pieces]
    this.#joined = Buffer.concat(pieces)
    return this.#joined
  }

  /** Returns the compressed bytes. Bytes that many watchers get are compressed once. */
  pack(bytes: Buffer): Buffer {
    const known = this.#packed.get(bytes)
    if (known !== undefined) return known
    const packed = deflateRawSync(bytes, PART)
    this.#packed.set(bytes, packed)
    return packed
  }

  /** Compresses many bytes, in another thread. */
  packMuch(pieces: readonly Buffer[]): Promise<Buffer> {
    const [first] = pieces
    if (first === undefined || pieces.length > 1) return deflateAsync(Buffer.concat(pieces), PART)
    const known = this.#packing.get(first)
    if (known !== undefined) return known
    const packed = deflateAsync(first, PART)
    this.#packing.set(first, packed)
    return packed
  }

  #plan(): void {
    this.#isPlanned = true
    const restMs = this.#restsUntil - this.#clock.now()
    if (restMs < SHORTEST_REST_MS) setImmediate(this.#begin)
    else this.#clock.callAfter(restMs, this.#begin)
  }

  readonly #begin = (): void => {
    this.#writingMs = 0
    this.#streams = 0
    this.#pieces = 0
    this.#round = this.#waiting.entries()
    this.#waiting = new Map()
    this.#turn()
  }

  readonly #turn = (): void => {
    const beganAt = this.#clock.now()
    const now = performance.now()
    let served = 0
    while (served < STREAMS_A_TURN) {
      const next = this.#round?.next()
      if (next?.value === undefined) {
        this.#round = undefined
        break
      }
      const [connection, streams] = next.value
      for (const stream of streams) {
        // A fault ends only its own stream. The other streams must get their pieces, and the round must end.
        try {
          this.#pieces += stream.flush(now)
        } catch (error) {
          stream.fail(error)
        }
      }
      try {
        connection.flush()
      } catch (error) {
        for (const stream of streams) stream.fail(error)
      }
      served += streams.length
    }
    this.#streams += served
    this.#writingMs += this.#clock.now() - beganAt
    setImmediate(this.#round === undefined ? this.#end : this.#turn)
  }

  readonly #end = (): void => {
    this.#joinedOf = []
    this.#joined = undefined
    this.#isPlanned = false
    if (this.#servesPaced) this.#pacedAgainAt = performance.now() + PACE_MS
    this.#servesPaced = false
    const { factor, longestMs } = this.#pieces >= SEVERAL_PIECES * this.#streams ? LONG_REST : SHORT_REST
    this.#restsUntil = this.#clock.now() + Math.min(longestMs, this.#writingMs * factor)
    if (this.#waiting.size > 0) this.#plan()
  }
}
