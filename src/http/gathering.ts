// Gathers small pieces before they are written, since each write costs a frame and a TLS record: in buffers that are used
// again once their bytes are on the way. New ones for each would cost more than all the rest of a long list.

const GATHER_BYTES = 128 * 1024
const TINY_BYTES = 8

/** Where gathered pieces go. */
export interface GatheredSink {
  /** `done`: the bytes are no longer needed. False: do not write again before `drained`. */
  write(piece: Buffer, done: () => void): boolean
  drained(): Promise<void>
}

export class Gathering {
  readonly #sink: GatheredSink
  readonly #free: Buffer[] = []
  #buffer: Buffer | undefined
  #used = 0

  constructor(sink: GatheredSink) {
    this.#sink = sink
  }

  /** A promise where the client has to catch up first. */
  add(piece: Buffer): Promise<void> | undefined {
    if (this.#used + piece.length <= GATHER_BYTES) {
      this.#keep(piece)
      return undefined
    }
    const waits = this.flush()
    if (piece.length <= GATHER_BYTES) {
      this.#keep(piece)
      return waits
    }
    return this.#sink.write(piece, NOTHING) ? waits : this.#sink.drained()
  }

  /** Writes what has been gathered so far. */
  flush(): Promise<void> | undefined {
    const [buffer, used] = [this.#buffer, this.#used]
    if (buffer === undefined || used === 0) return undefined
    this.#buffer = undefined
    this.#used = 0
    const goesOn = this.#sink.write(buffer.subarray(0, used), () => this.#free.push(buffer))
    return goesOn ? undefined : this.#sink.drained()
  }

  #keep(piece: Buffer): void {
    this.#buffer ??= this.#free.pop() ?? Buffer.allocUnsafeSlow(GATHER_BYTES)
    // A call costs more than a few bytes do.
    if (piece.length < TINY_BYTES) for (let i = 0; i < piece.length; i++) this.#buffer[this.#used + i] = piece[i]!
    else piece.copy(this.#buffer, this.#used)
    this.#used += piece.length
  }
}

const NOTHING = (): void => {}
