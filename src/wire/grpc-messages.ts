// Cuts the bytes of a stream into gRPC messages, each with its length before it. Invariant: the memory for an incomplete message
// exceeds its received part by a bounded number of bytes.

/** The size of the prefix of a message: the flag for compression, and the length of the message. */
export const PREFIX_BYTES = 5
const EMPTY = Buffer.alloc(0)

/**
 * The limit of the memory that the length in a prefix reserves before any byte of the message has come. A server reserves less, because
 * clients may have many calls.
 */
const AHEAD_BYTES = 16 << 20
const AHEAD_OF_CLIENT_BYTES = 64 << 10

export interface MessagesListener {
  onMessage(message: Buffer): void
  /** The message is compressed, which is not supported. No more bytes are taken. */
  onCompressed(): void
  /** The message is too long. No more bytes are taken. */
  onTooLong(bytes: number): void
}

export class GrpcMessages {
  readonly #listener: MessagesListener
  readonly #maxBytes: number
  readonly #aheadBytes: number
  /** The received part of an incomplete prefix. */
  #prefix: Buffer = EMPTY
  /** The buffer of the current message, the number of its received bytes, and its full length. */
  #body: Buffer | undefined
  #filled = 0
  #wanted = 0
  #isOver = false

  /** `maxBytes`: longer messages are refused. Absent: messages may have any length, as those of a server. */
  constructor(listener: MessagesListener, maxBytes?: number) {
    this.#listener = listener
    this.#maxBytes = maxBytes ?? Number.POSITIVE_INFINITY
    this.#aheadBytes = maxBytes === undefined ? AHEAD_BYTES : AHEAD_OF_CLIENT_BYTES
  }

  /** Whether a message is incomplete. */
  get isCutOff(): boolean {
    return this.#prefix.length > 0 || this.#body !== undefined
  }

  push(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && !this.#isOver) {
      rest = this.#body === undefined ? this.#takePrefix(rest) : this.#takeBody(rest, this.#body)
    }
  }

  /** Takes no more bytes. */
  end(): void {
    this.#isOver = true
    this.#body = undefined
  }

  /** Reads a prefix. Returns the bytes after it. */
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

  /** Reads bytes of the current message. Returns the bytes after them. */
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
