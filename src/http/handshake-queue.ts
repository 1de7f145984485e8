// Connections whose TLS handshake has not begun. A thousand clients that reconnect at once cost a second of handshakes. At most one
// handshake begins in each turn of the event loop, so that connected clients are served in between. The number of running handshakes is not
// limited, so that a slow or silent client delays no other.
import type { Socket } from 'node:net'
import { TwoEndedQueue } from './two-ended-queue.ts'

export interface HandshakeQueueOptions {
  /** Begins TLS. The bytes that the client has sent so far are in the socket's buffer. */
  readonly begin: (socket: Socket) => void
  /** Called when a connection ends before its TLS handshake begins. */
  readonly onLost: () => void
  /** The longest time for which a client may be silent, and then wait for its turn. Clients give up after ten seconds. */
  readonly patienceMs: number
  /** Whether work is under way that takes several turns of the event loop and that clients wait for. */
  readonly isBusy: () => boolean
}

interface WaitingSocket {
  readonly socket: Socket
  readonly hello: Buffer
}

/**
 * New clients are refused while this many wait. A handshake takes a millisecond, so in a longer line the last client would give up before
 * its turn.
 */
export const LONGEST_LINE = 4096
/**
 * Only one handshake begins in this number of turns while connections arrive or a round of watch events is under way. Node accepts one
 * connection a turn, and a handshake in every turn would delay the connections and the events.
 */
export const TURNS_A_BEGIN = 16

/** The first bytes of a client that uses http instead of https. TLS would not tell the client the reason. */
const PLAIN_HTTP = /^[A-Z]{3,10} \//
const PLAIN_HTTP_ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'

export class HandshakeQueue {
  readonly #options: HandshakeQueueOptions
  readonly #line = new TwoEndedQueue<WaitingSocket>()
  /** Connections that have not sent anything yet, the oldest first. */
  readonly #silent = new Set<Socket>()
  #hasArrived = false
  #turns = 0
  #isPlanned = false

  constructor(options: HandshakeQueueOptions) {
    this.#options = options
  }

  /** Adds a new connection. It is queued when the client has sent its first bytes. */
  add(socket: Socket): void {
    this.#hasArrived = true
    this.#silent.add(socket)
    socket.on('error', NOTHING)
    socket.once('close', this.#options.onLost)
    socket.once('close', () => this.#silent.delete(socket))
    socket.setTimeout(this.#options.patienceMs, sendAway)
    socket.once('readable', () => this.#queue(socket))
  }

  /** Closes the connection that has been silent longest. False: there is none. */
  dropOldest(): boolean {
    const [oldest] = this.#silent
    oldest?.destroy()
    return oldest !== undefined && this.#silent.delete(oldest)
  }

  #queue(socket: Socket): void {
    // The received bytes are taken out of the buffer. Otherwise the socket would not notice that the client has left.
    const hello = socket.read() as Buffer | null
    if (hello === null) return
    this.#silent.delete(socket)
    if (PLAIN_HTTP.test(hello.toString('latin1', 0, 16))) {
      socket.end(PLAIN_HTTP_ANSWER, () => socket.destroy())
      return
    }
    if (this.#line.length >= LONGEST_LINE) {
      socket.destroy()
      return
    }
    this.#line.add({ socket, hello })
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isPlanned = false
    const waits = (this.#hasArrived || this.#options.isBusy()) && ++this.#turns < TURNS_A_BEGIN
    this.#hasArrived = false
    if (!waits) {
      this.#turns = 0
      this.#beginNext()
    }
    if (this.#line.length > 0) this.#plan()
  }

  #beginNext(): void {
    for (let next = this.#line.take(); next !== undefined; next = this.#line.take()) {
      const { socket, hello } = next
      if (socket.destroyed || socket.readableEnded) continue
      socket.off('close', this.#options.onLost)
      socket.off('timeout', sendAway)
      socket.setTimeout(0)
      socket.unshift(hello)
      this.#options.begin(socket)
      return
    }
  }
}

function sendAway(this: Socket): void {
  this.destroy()
}

const NOTHING = (): void => {}
