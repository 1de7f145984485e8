// Sends streams as WebSocket messages, one message for each piece, for clients in browsers. An upgrade passes the same filters and
// handlers as any request. Only a streamed answer becomes a WebSocket. Other answers are sent as they are.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { cancellableWait } from '../lib/cancellable.ts'
import { throwIfCancelled } from '../lib/errors.ts'
import { ServerResponse } from '../lib/node-http.ts'
import { ServerClosingError } from './abort-reasons.ts'
import type { Delivery } from './delivery.ts'
import type { Exchange } from './exchange.ts'
import type { ByteSink, HttpResponse, Piece } from './http.ts'
import { Http1Response } from './http1-messages.ts'
import type { AnswerProgress } from '../wire/request-response.ts'
import { respond } from './respond.ts'
import { joinEnds } from './tunnel.ts'
import type { HttpDate } from '../wire/http-date.ts'
import type { Holding } from '../wire/unfinished-memory.ts'

export interface Upgrade {
  readonly message: IncomingMessage
  readonly socket: Duplex
  /** Bytes that the client has sent after the request. */
  readonly head: Buffer
  readonly holding: Holding
  readonly date: HttpDate
  readonly delivery: Delivery
}

export interface UpgradeOutcome {
  readonly status: number
  readonly sentBytes: number
}

/** The writer waits while more than this is unsent. */
const HIGH_WATER_BYTES = 64 * 1024

/** The largest message of a client. Clients have nothing to send: their messages are read and dropped. */
const MAX_CLIENT_MESSAGE_BYTES = 64 * 1024

/** A subprotocol with this prefix carries a bearer token (P-034). */
export const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.'

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export async function answerUpgrade(
  upgrade: Upgrade,
  response: HttpResponse,
  request: Exchange,
): Promise<UpgradeOutcome> {
  if (response.body.kind === 'tunnel') {
    const { socket: client, head } = upgrade
    const sentBytes = await joinEnds({ response, body: response.body, client, head }, request)
    return { status: response.status, sentBytes }
  }
  if (response.body.kind !== 'stream' || request.transport !== 'websocket') {
    return sendPlain(upgrade, response, request)
  }
  const refusal = refusalOf(upgrade.message)
  if (refusal !== undefined) return refuse(upgrade, refusal)
  const socket = await handshake(upgrade)
  if (socket === undefined) return refuse(upgrade, [400, '', 'mismatch challenge/response'])
  const isText = String(response.headers['content-type']).startsWith('application/json')
  const sink = new MessageSink(socket, { signal: request.signal, isText, holding: upgrade.holding })
  request.progress = sink
  try {
    await response.body.run(sink)
  } catch (error) {
    if (!(request.signal.reason instanceof ServerClosingError)) {
      socket.terminate()
      throw error
    }
  }
  socket.close(1000)
  return { status: 101, sentBytes: sink.bytes }
}

/** Sends an ordinary answer to a request for an upgrade, and then closes the connection. */
async function sendPlain(upgrade: Upgrade, response: HttpResponse, request: Exchange): Promise<UpgradeOutcome> {
  const { delivery } = upgrade
  const raw = new ServerResponse(upgrade.message)
  raw.assignSocket(upgrade.socket as Socket)
  raw.once('finish', () => hangUp(upgrade.socket))
  const answer = new Http1Response(raw, { holding: upgrade.holding, isDraining: true }, upgrade.date)
  const sentBytes = await respond(answer, response, { exchange: request, delivery })
  return { status: response.status, sentBytes }
}

/** The time that the client has to read the end of an answer. */
const LINGER_MS = 1000

/**
 * Closes the connection. Further bytes of the client are read and dropped: unread bytes would keep the connection open, and a reset would
 * lose the answer.
 */
function hangUp(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.on('error', () => {})
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
  socket.end()
}

/** `header`: a whole line, or empty. */
type Refusal = readonly [status: 400 | 403, header: string, text: string]

const PHRASES = { 400: 'Bad Request', 403: 'Forbidden' } as const

/** The answer to a failed handshake has none of the headers of the API's answers. */
function refuse({ socket }: Upgrade, [status, header, text]: Refusal): UpgradeOutcome {
  socket.write(`HTTP/1.1 ${status} ${PHRASES[status]}\r\n${header}\r\n${text}`)
  hangUp(socket)
  return { status, sentBytes: Buffer.byteLength(text) }
}

function refusalOf({ headers }: IncomingMessage): Refusal | undefined {
  const { origin } = headers
  if (headers['sec-websocket-version'] !== '13') {
    return [400, 'Sec-WebSocket-Version: 13\r\n', 'missing or bad WebSocket Version']
  }
  if (origin === undefined || origin === 'null' || !URL.canParse(origin)) return [403, '', '']
  return offeredProtocols(headers['sec-websocket-protocol']).length > 1 ? [400, '', ''] : undefined
}

/** The offered protocols, without the protocol that carries a token. */
export function offeredProtocols(header: string | undefined): readonly string[] {
  const all = (header ?? '').split(',').map((protocol) => protocol.trim())
  return all.filter((protocol) => protocol !== '' && !protocol.startsWith(TOKEN_PROTOCOL))
}

/** Completes the WebSocket handshake. Undefined: the client's part of it is invalid. */
async function handshake(upgrade: Upgrade): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import('ws')
  const server: WebSocketServer = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_CLIENT_MESSAGE_BYTES,
    handleProtocols: () => offeredProtocols(upgrade.message.headers['sec-websocket-protocol'])[0] ?? false,
  })
  return new Promise((resolve) => {
    server.once('wsClientError', () => resolve(undefined))
    server.handleUpgrade(upgrade.message, upgrade.socket, upgrade.head, (socket) => {
      socket.on('message', () => {})
      socket.on('error', () => {})
      // A client that pings and does not read would fill the memory with answers.
      socket.on('ping', (data) => {
        if (socket.bufferedAmount < HIGH_WATER_BYTES) socket.pong(data)
      })
      resolve(socket)
    })
  })
}

interface SinkOptions {
  readonly signal: AbortSignal
  readonly isText: boolean
  readonly holding: Holding
}

class MessageSink implements ByteSink, AnswerProgress {
  bytes = 0
  readonly #socket: WebSocket
  readonly #signal: AbortSignal
  readonly #isText: boolean
  readonly #holding: Holding
  #onRoom: (() => void) | undefined

  constructor(socket: WebSocket, { signal, isText, holding }: SinkOptions) {
    this.#socket = socket
    this.#signal = signal
    this.#isText = isText
    this.#holding = holding
  }

  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  get waitingBytes(): number {
    return this.unsentBytes
  }

  get sentBytes(): number {
    return this.bytes - this.unsentBytes
  }

  write(piece: Piece): boolean {
    if (this.#signal.aborted) return false
    const message = Buffer.isBuffer(piece) ? piece : Buffer.concat(piece)
    this.bytes += message.length
    this.#holding.change(message.length)
    this.#socket.send(message, { binary: !this.#isText }, () => {
      this.#holding.change(-message.length)
      if (this.#hasRoom) this.#onRoom?.()
    })
    return this.#hasRoom
  }

  async drained(): Promise<void> {
    throwIfCancelled(this.#signal)
    if (this.#hasRoom) return
    await cancellableWait(this.#signal, (done) => {
      this.#onRoom = done
      return () => (this.#onRoom = undefined)
    })
  }

  get #hasRoom(): boolean {
    return this.#socket.bufferedAmount < HIGH_WATER_BYTES
  }
}
