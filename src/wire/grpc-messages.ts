// Takes gRPC's messages out of the bytes of a stream: each has its length before it. Invariant: no more memory is taken for a
// message than has come of it, but for a bounded part.

/** Whether a message is compressed, and its length. */
export const PREFIX_BYTES = 5
const EMPTY = Buffer.alloc(0)

/** So much memory is taken for a message on the word of its prefix alone; for one of a client, who may have many calls, much less. */
const AHEAD_BYTES = 16 << 20
const AHEAD_OF_CLIENT_BYTES = 64 << 10

export interface MessagesListener {
  onMessage(message: Buffer): void
  /** The message came compressed, which was not asked for. Nothing more is taken. */
  onCompressed(): void
  /** It is longer than is taken. Nothing more is taken. */
  onTooLong(bytes: number): void
}

export class GrpcMessages {
  readonly #listener: MessagesListener
  readonly #maxBytes: number
  readonly #aheadBytes: number
  /** What came of a prefix that is not whole. */
  #prefix: Buffer = EMPTY
  /** What came of the message behind it, and how long that is to be. */
  #body: Buffer | undefined
  #filled = 0
  #wanted = 0
  #isOver = false

  /** `maxBytes`: longer ones are not taken; absent: of any length, as from a server that was asked. */
  constructor(listener: MessagesListener, maxBytes?: number) {
    this.#listener = listener
    this.#maxBytes = maxBytes ?? Number.POSITIVE_INFINITY
    this.#aheadBytes = maxBytes === undefined ? AHEAD_BYTES : AHEAD_OF_CLIENT_BYTES
  }

  /** Whether it has begun a message that is not whole. */
  get isCutOff(): boolean {
    return this.#prefix.length > 0 || this.#body !== undefined
  }

  push(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && !this.#isOver) {
      rest = this.#body === undefined ? this.#takePrefix(rest) : this.#takeBody(rest, this.#body)
    }
  }

  /** Nothing more is taken. */
  end(): void {
    this.#isOver = true
    this.#body = undefined
  }

  /** Takes a prefix off, and gives back what is behind it. */
  #takePrefix(bytes: Buffer): Buffer {
    const known = this.#prefix.length === 0 ? bytes : Buffer.concat([this.#prefix, bytes])
    if (known.length < PREFIX_BYTES) {
      this.#prefix = Buffer.from(known)
      return EMPTY
    }
    this.#prefix = EMPTY
    this.#wanted = known.readUInt32BE(1)
    if (known[0] !== 0 || this.#wanted > this.#maxBytes) {
      this.end()
      if (known[0] !== 0) this.#listener.onCompressed()
      else this.#listener.onTooLong(this.#wanted)
    } else if (this.#wanted === 0) this.#takeMessage(EMPTY)
    else this.#body = Buffer.allocUnsafe(Math.min(this.#wanted, this.#aheadBytes))
    return known.subarray(PREFIX_BYTES)
  }

  /** Takes what belongs to the message under way, and gives back what is behind it. */
  #takeBody(bytes: Buffer, body: Buffer): Buffer {
    const part = bytes.subarray(0, this.#wanted - this.#filled)
    const filled = this.#filled + part.length
    const target = filled <= body.length ? body : grown(body, Math.min(this.#wanted, filled * 2))
    part.copy(target, this.#filled)
    this.#filled = filled
    this.#body = target
    if (filled === this.#wanted) this.#takeMessage(target)
    return bytes.subarray(part.length)
  }

  #takeMessage(message: Buffer): void {
    this.#body = undefined
    this.#filled = 0
    this.#listener.onMessage(message)
  }
}

function grown(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafe(size)
  bytes.copy(larger)
  return larger
}
