// A stream of HTTP/2, as its user has it: bytes to send that wait for the window to open, and bytes that came, for which the
// window is opened again as long as they are read. What is said to be for the connection is not for its user.

/** What comes in on a stream. */
export interface StreamListener {
  onHeaders(fields: ReadonlyMap<string, string>, isLast: boolean): void
  /** The bytes are gone when it returns. */
  onData(bytes: Buffer, isLast: boolean): void
  onBroken(cause: Broken): void
}

export interface Broken {
  /** What the peer gave as its reason to end this stream; absent: the connection is gone. */
  readonly code?: number
  readonly message: string
  readonly untouched: boolean
}

/** What carries a stream. */
export interface StreamCarrier {
  /** Sends as much as the windows allow, and the rest when they open. */
  pump(stream: Stream): void
  /** The peer may send so much more on this one. */
  openWindow(stream: Stream, bytes: number): void
  /** This one is of no more interest. */
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
  /** For the connection: how much the peer takes on this stream. */
  window = 0
  /** For the connection: what is still to be sent, and whether that is all. */
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

  /** So much of what came lies here unread: the peer is slowed down where it is much. */
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
