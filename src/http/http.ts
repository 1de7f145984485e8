// The front door of the room: the input and the result of a handler. Both are plain records, so that handlers do not depend on sockets and tests
// need none. `listener.ts` and `stages.ts` lead from the socket to here.
import type { Duplex } from 'node:stream'
import type { CertificateCredential } from '../auth/authenticator.ts'
import type { CallerReach } from '../api/reach.ts'
import type { User } from '../api/user.ts'
import type { Distribution } from '../lib/measure.ts'
import type { Deadline } from './deadline.ts'
import type { RequestInfo } from './request-info.ts'
import type { Query } from './query.ts'

/** Names in lower case; a header that came several times is joined with `, `, as Node does. */
export interface RequestHeaders {
  readonly [name: string]: string | readonly string[] | undefined
}

/** The milliseconds of the event loop that a request had; `turn-ledger.ts` counts them. */
export interface RequestTurns {
  busyMs: number
  /** The most without a break. */
  longestMs: number
}

export interface HttpRequest {
  /** The request's own `Audit-ID`, or a new one; on every answer. */
  readonly auditId: string
  readonly method: string
  /** The path and query as sent. */
  readonly target: string
  /** Percent-decoded, without the query. */
  readonly path: string
  readonly query: Query
  readonly info: RequestInfo
  readonly headers: RequestHeaders
  readonly remote: RemoteEnd
  /** The server that the client means, `host:port`. Empty if the request does not name it. */
  readonly host: string
  /** A page of the console sent the request, below a prefix that is not in its path. Its credential is a session. */
  readonly isOfConsole: boolean
  /** `websocket`: the client requested an upgrade; a `stream` answer is then sent as one message for each piece. */
  readonly transport: 'plain' | 'websocket'
  /**
   * Fires when the answer can no longer arrive: the client is gone, the deadline has passed, the server stops. Never
   * because the body was read.
   */
  readonly signal: AbortSignal
  /** The time by which the answer must be complete. The signal fires then. */
  readonly deadline: Deadline
  /** When the first byte was seen, in milliseconds of `performance.now()`. */
  readonly receivedAt: number
  /** When the last filter that is timed passed it on, in milliseconds of `performance.now()`. */
  filterSince: number
  readonly turns: RequestTurns
  /** The request has the event loop again, after a wait. */
  resume(now?: number): void
  /** Whether a filter has asked the audit policy about it. */
  isAudited: boolean
  readonly body: RequestBody
  readonly responder: Responder
  /** Breaks the answer off, begun or not: the client sees its connection (HTTP/1.1) or its stream (HTTP/2) reset. */
  breakOff(): void
  /** The `Authorization` header, once, for the authentication filter alone; it is not among the headers. */
  takeCredential(): string | undefined
  /**
   * The credential of the session replaces everything that the client sent; undefined: its certificate is the credential. The parameter `accept`
   * replaces the header.
   */
  useSession(authorization: string | undefined): void
  /** Whether a header of the request has this prefix, in lower case. */
  hasHeaderLike(prefix: string): boolean
  /** The values of a header, line by line. The header is removed, so that no later filter or handler trusts it. */
  takeHeader(name: string): readonly string[]
}

/** The user of the request, as the filters have found it. Handed on beside the request. */
export interface Caller {
  readonly user: User
  /** The authenticator's annotations of the audit event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly audit: AuditNotes
  /** The objects that the caller may read; the request is limited to them. Absent: the caller may read all. */
  readonly reach?: CallerReach | undefined
}

/** Additions of handlers to the audit event; dropped if the request is not audited. */
export interface AuditNotes {
  /** Only the first value of a key counts. */
  annotate(key: string, value: string): void
  /** The object that the body names. */
  nameObject(named: NamedObject): void
  /** Audits a part of the request as a request of its own. Absent: no part is audited. */
  part?(request: HttpRequest, body: Buffer): AuditPart | undefined
  /** From here on it is the request of this user. `constraint`: the narrow right that this rests on, `impersonate:user-info`. */
  actFor(user: User, constraint: string | undefined): void
}

export interface AuditPart {
  readonly notes: AuditNotes
  /** With the error that the whole request ends with; undefined: it was carried out. */
  end(error: unknown): Promise<void>
}

export const NOT_AUDITED: AuditNotes = Object.freeze({ annotate: () => {}, nameObject: () => {}, actFor: () => {} })

export interface RequestBody {
  /** The whole body. Throws `ApiError` 413 beyond the limit, `CancelledError` if the client goes. Read it once. */
  read(): Promise<Buffer>
  /** For a filter that has read the body before the handler, which then reads this. */
  putBack(bytes: Buffer): void
  /** The length of the body; 0 while it has not been read. */
  readonly length: number
  /** Called when it has been read; for the audit log. */
  onRead: ((bytes: Buffer) => void) | undefined
}

/** Settings of the answer that filters and handlers make before there is one. */
export interface Responder {
  /** Adds a `Warning` header to the answer, once a text; only before the answer has begun. */
  readonly warn: (text: string) => void
  /** Headers for every answer. The headers of a handler win over these. */
  addHeaders(headers: ResponseHeaders): void
  /** Every answer tells the client to reconnect. */
  sendAway(): void
  /** Called once, when nothing more is sent: the answer is out or was broken off. */
  whenOver(listener: () => void): void
  /** The user: `system:anonymous` until the filters have authenticated the request. */
  readonly user: User
  /** Notes the user of the request and whether it was authorized, for the log and for metrics. */
  account(user: User, isAuthorized: boolean): void
}

export interface NamedObject {
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface RemoteEnd {
  readonly address: string
  readonly isLoopback: boolean
  readonly protocol: 'http/1.1' | 'h2'
  readonly certificate: CertificateCredential | undefined
  /** Breaks off the connection with all its requests. */
  hangUp(): void
}

export interface ResponseHeaders {
  readonly [name: string]: string | readonly string[]
}

/** The answer of a handler. Headers that every answer has (`Audit-Id`, `Cache-Control`, …) are added elsewhere. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ResponseHeaders
  readonly body: ResponseBody
}

export type ResponseBody =
  | { readonly kind: 'empty' }
  /** All at once. `compress`: gzip if the client takes it and the body is over 128 KiB. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly compress?: boolean }
  /**
   * Pulled piece by piece at the client's pace; small pieces are joined. An error after the first byte destroys the stream, so that a client never
   * reads half a list as a whole one.
   */
  | {
      readonly kind: 'pieces'
      readonly pieces: Pieces
      readonly compress?: boolean
    }
  /** Sends the head at once, then each piece that `run` writes. The answer ends when `run` resolves. */
  | {
      readonly kind: 'stream'
      readonly run: (sink: ByteSink) => Promise<void>
      /** The seconds from an event until its piece was sent. Of several pieces sent at once, the first counts. */
      readonly latency?: Distribution
      /** People look at it: pieces that come one soon after another are sent together, twenty times a second. */
      readonly isPaced?: boolean
      readonly compress?: boolean
    }
  /** From here on the connection belongs to another server. Only an answer to a request for an upgrade. */
  | { readonly kind: 'tunnel'; readonly peer: Duplex; readonly head: Buffer }

/** An array: consecutive parts. Bytes of up to 64 KiB are only valid until the next piece is pulled. */
export type Piece = Buffer | readonly Buffer[]

export type Pieces = Iterable<Piece> | AsyncIterable<Piece>

/** The destination of a stream. Writing never waits: see the result of `write`. */
export interface ByteSink {
  /**
   * False: do not write again before `drained`. Parts are sent without being joined if possible. The bytes must not change. `since`: the time of
   * the event in the piece, in milliseconds of `performance.now()`.
   */
  write(piece: Piece, since?: number): boolean
  /** Resolves when there is room, or at once. Rejects with `CancelledError` when the client is gone. */
  drained(): Promise<void>
  /** Written so far. */
  readonly bytes: number
  /** The bytes of these that the client has not accepted. */
  readonly waitingBytes: number
}

/** Errors are thrown: an `ApiError` becomes its Status, anything else a 500 that is logged. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** A step that every request passes. It may answer the request itself, or change the request or the answer. */
export type Filter = (next: Handler) => Handler

/** A request that came with the credential of its user in its body or in a cookie. */
export interface Entered {
  readonly user: User
  readonly answer: () => Promise<HttpResponse>
}

/** Audits a request that does not pass authentication: `enter` finds its user, or throws. */
export type AuditEntrance = (request: HttpRequest, enter: () => Promise<Entered>) => Promise<HttpResponse>

/** The same after authentication. */
export type CallerHandler = (request: HttpRequest, caller: Caller) => HttpResponse | Promise<HttpResponse>
export type CallerFilter = (next: CallerHandler) => CallerHandler
