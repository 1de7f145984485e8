// A stream of HTTP/2 for its user. Bytes to send wait for the window. The window for received bytes is opened again as they are
// read. Only the connection uses the members that say so.

/** Gets the received data of a stream. */
export interface StreamListener {
  onHeaders(fields: ReadonlyMap<string, string>, isLast: boolean): void
  /** The bytes are valid until it returns. */
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
  /** Lets the peer send this much more on this stream. */
  openWindow(stream: Stream, bytes: number): void
  /** The stream has no listener any more. */
  reset(stream: Stream): void
}

/** A list of 500 objects is a few megabytes: with the default of 64 KB it would wait for the network 100 times. */
export const WINDOW_BYTES = 8 << 20

/** A window is opened again in large steps: each is a frame. */
export const STEP_BYTES = 2 << 20

export class Stream {
  readonly headers: Buffer
  readonly listener: StreamListener
  readonly #carrier: StreamCarrier
  /** For the connection: 0 until it has begun. */
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

  /** The peer may have heard of it. */
  get hasBegun(): boolean {
    return this.id !== 0
  }

  send(bytes: Buffer, isLast: boolean): void {
    this.unsent.push(bytes)
    this.isWhole = isLast
    this.#carrier.pump(this)
  }

  /** The number of received bytes that wait for the reader. Many slow the peer down. */
  set unread(bytes: number) {
    this.#unread = bytes
    this.#openWindow()
  }

  /** Nothing more comes. */
  reset(): void {
    this.#carrier.reset(this)
  }

  /** For the connection. */
  take(bytes: Buffer, frameBytes: number, isLast: boolean): void {
    this.#owed += frameBytes
    this.listener.onData(bytes, isLast)
    if (!isLast) this.#openWindow()
  }

  /** For the connection. */
  break(cause: Broken): void {
    this.listener.onBroken(cause)
  }

  #openWindow(): void {
    if (this.#owed < STEP_BYTES || this.#unread >= WINDOW_BYTES / 2) return
    this.#carrier.openWindow(this, this.#owed)
    this.#owed = 0
  }
}
