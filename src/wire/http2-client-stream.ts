// A stream of an HTTP/2 client. Bytes to send wait for the peer's window. Our window is opened again as received bytes are read. Only the
// connection uses the members whose comment begins with "For the connection".

/** Gets the received data of a stream. */
export interface StreamListener {
  onHeaders(fields: ReadonlyMap<string, string>, isLast: boolean): void
  /** The bytes are valid until the function returns. */
  onData(bytes: Buffer, isLast: boolean): void
  onBroken(cause: Broken): void
}

export interface Broken {
  /** The error code of the peer. Absent: the connection is gone. */
  readonly code?: number
  readonly message: string
  readonly untouched: boolean
}

/** The connection of a stream. */
export interface StreamCarrier {
  /** Sends as much as the windows allow, and the rest when they open. */
  pump(stream: Stream): void
  /** Lets the peer send this many more bytes on this stream. */
  openWindow(stream: Stream, bytes: number): void
  /** Resets a stream that has no listener any more. */
  reset(stream: Stream): void
}

/**
 * The window for received bytes. A list of 500 objects has a few megabytes: with the default window of 64 KB, it would wait for the network
 * 100 times.
 */
export const WINDOW_BYTES = 8 << 20

/** A window is opened again in large steps, because each step is a frame. */
export const STEP_BYTES = 2 << 20

export class Stream {
  readonly headers: Buffer
  readonly listener: StreamListener
  readonly #carrier: StreamCarrier
  /** For the connection: the number of the stream, or 0 until the stream has begun. */
  id = 0
  /** For the connection: the peer's window for this stream. */
  window = 0
  /** For the connection: the bytes to send, and whether the stream ends with them. */
  readonly unsent: Buffer[] = []
  isWhole = false
  #owed = 0
  #unread = 0

  constructor(headers: Buffer, listener: StreamListener, carrier: StreamCarrier) {
    this.headers = headers
    this.listener = listener
    this.#carrier = carrier
  }

  /** Whether the peer may know of the stream. */
  get hasBegun(): boolean {
    return this.id !== 0
  }

  send(bytes: Buffer, isLast: boolean): void {
    this.unsent.push(bytes)
    this.isWhole = isLast
    this.#carrier.pump(this)
  }

  /** The number of received bytes that wait for the reader. If there are many, the window stays closed for the peer. */
  set unread(bytes: number) {
    this.#unread = bytes
    this.#openWindow()
  }

  /** Ends the stream. Its listener gets nothing more. */
  reset(): void {
    this.#carrier.reset(this)
  }

  /** For the connection: takes data of the peer. */
  take(bytes: Buffer, frameBytes: number, isLast: boolean): void {
    this.#owed += frameBytes
    this.listener.onData(bytes, isLast)
    if (!isLast) this.#openWindow()
  }

  /** For the connection: ends a stream that is broken. */
  break(cause: Broken): void {
    this.listener.onBroken(cause)
  }

  #openWindow(): void {
    if (this.#owed < STEP_BYTES || this.#unread >= WINDOW_BYTES / 2) return
    this.#carrier.openWindow(this, this.#owed)
    this.#owed = 0
  }
}
