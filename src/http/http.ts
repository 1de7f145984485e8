// The front door of this folder: the input and the result of a handler. They are plain records, so that handlers do not depend on sockets
// and tests need none. `listener.ts` and `stages.ts` lead from the socket to here.
import type { Duplex } from 'node:stream'
import type { CertificateCredential } from '../auth/authenticator.ts'
import type { CallerReach } from '../api/reach.ts'
import type { User } from '../api/user.ts'
import type { Distribution } from '../lib/measure.ts'
import type { Deadline } from './deadline.ts'
import type { RequestInfo } from './request-info.ts'
import type { Query } from './query.ts'

/** Names are in lower case. The values of a repeated header are joined with `, `, as in Node. */
export interface RequestHeaders {
  readonly [name: string]: string | readonly string[] | undefined
}

/** The time of the event loop that a request has used. `turn-ledger.ts` counts it. */
export interface RequestTurns {
  busyMs: number
  /** The longest time without a break. */
  longestMs: number
}

export interface HttpRequest {
  /** The request's own `Audit-ID`, or a new ID. Every answer has it. */
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
  /** The server that the client means, `host:port`. Empty if the request names no server. */
  readonly host: string
  /** A page of the console sent the request. The prefix of the console is not in `path`, and the credential is a session. */
  readonly isOfConsole: boolean
  /** `websocket`: the client requested an upgrade. Each piece of a `stream` answer is then sent as one message. */
  readonly transport: 'plain' | 'websocket'
  /**
   * Fires when the answer can no longer arrive: the client is gone, the deadline has passed, or the server stops. The end of the body does
   * not fire the signal.
   */
  readonly signal: AbortSignal
  /** The time by which the answer must be complete. The signal fires then. */
  readonly deadline: Deadline
  /** The time when the request arrived, in milliseconds of `performance.now()`. */
  readonly receivedAt: number
  /** The time when the last measured filter passed the request on, in milliseconds of `performance.now()`. */
  filterSince: number
  readonly turns: RequestTurns
  /** Call this when the request runs on the event loop again, after a wait. */
  resume(now?: number): void
  /** Whether a filter has asked the audit policy about the request. */
  isAudited: boolean
  readonly body: RequestBody
  readonly responder: Responder
  /** Breaks off the answer, even if it has not begun: the client sees its connection (HTTP/1.1) or its stream (HTTP/2) reset. */
  breakOff(): void
  /** Returns the `Authorization` header to its first caller, which is the authentication filter. The header is not in `headers`. */
  takeCredential(): string | undefined
  /**
   * Uses the credential of a session instead of the client's header and certificate. Undefined: the client's certificate is the credential.
   * The parameter `accept` replaces the header of that name.
   */
  useSession(authorization: string | undefined): void
  /** Whether the name of a header begins with `prefix`, which is in lower case. */
  hasHeaderLike(prefix: string): boolean
  /** The values of a header, line by line. The header is removed, so that no later filter or handler trusts it. */
  takeHeader(name: string): readonly string[]
}

/** The user of the request, as the filters have found it. Filters pass it on together with the request. */
export interface Caller {
  readonly user: User
  /** The authenticator's annotations for the audit event. */
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly audit: AuditNotes
  /** The objects that the caller may read. The request is limited to them. Absent: the caller may read all objects. */
  readonly reach?: CallerReach | undefined
}

/** Additions of handlers to the audit event. They are dropped if the request is not audited. */
export interface AuditNotes {
  /** Only the first value of a key counts. */
  annotate(key: string, value: string): void
  /** Notes the object that the body names. Undefined: the body has no metadata. */
  nameObject(named: NamedObject | undefined): void
  /** Audits a part of the request as a request of its own. Absent: no part is audited. */
  part?(request: HttpRequest, body: Buffer): AuditPart | undefined
  /**
   * From here on, the request belongs to this user. `constraint`: the right that allows the impersonation, such as `impersonate:user-info`.
   */
  actFor(user: User, constraint: string | undefined): void
}

export interface AuditPart {
  readonly notes: AuditNotes
  /** Ends the audit of the part. `error`: the error of the whole request. Undefined: the request was carried out. */
  end(error: unknown): Promise<void>
}

export const NOT_AUDITED: AuditNotes = Object.freeze({ annotate: () => {}, nameObject: () => {}, actFor: () => {} })

export interface RequestBody {
  /** Reads the whole body, once. Throws `ApiError` 413 if it is too large, and `CancelledError` if the request ends before. */
  read(): Promise<Buffer>
  /** Makes the next `read` return these bytes. For a filter that has read the body before the handler. */
  putBack(bytes: Buffer): void
  /** The length of the body; 0 while it has not been read. */
  readonly length: number
  /** Called when the body has been read, for the audit log. */
  onRead: ((bytes: Buffer) => void) | undefined
}

/** Settings of an answer that filters and handlers make before it exists. */
export interface Responder {
  /** Adds a `Warning` header to the answer, once for each text. This works only before the answer has begun. */
  readonly warn: (text: string) => void
  /** Adds headers to the answer. A header of the handler replaces an added header of the same name. */
  addHeaders(headers: ResponseHeaders): void
  /** Makes the answer tell the client to reconnect. */
  sendAway(): void
  /** Calls the listener once, when the answer has been sent or was broken off. */
  whenOver(listener: () => void): void
  /** The user: `system:anonymous` until the filters have authenticated the request. */
  readonly user: User
  /** Notes the user of the request and whether the request was authorized, for the log and for metrics. */
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
  /** All bytes at once. `compress`: gzip if the client accepts it and the body is over 128 KiB. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly compress?: boolean }
  /**
   * The pieces are pulled at the client's pace, and small pieces are joined. An error after the first byte destroys the stream, so that a
   * client never takes half a list for the whole list.
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
      /** The seconds from an event until its piece was sent. If several pieces are sent at once, the first counts. */
      readonly latency?: Distribution
      /** People look at the stream: pieces that come soon after each other are sent together, at most twenty times a second. */
      readonly isPaced?: boolean
      readonly compress?: boolean
    }
  /** Hands the connection over to another server. Only a request for an upgrade may have this answer. */
  | { readonly kind: 'tunnel'; readonly peer: Duplex; readonly head: Buffer }

/** An array has consecutive parts. A buffer of up to 64 KiB is valid only until the next piece is pulled. */
export type Piece = Buffer | readonly Buffer[]

export type Pieces = Iterable<Piece> | AsyncIterable<Piece>

/** The destination of a stream. Writing never waits: see the result of `write`. */
export interface ByteSink {
  /**
   * False: do not write again before `drained` resolves. If possible, the parts of a piece are sent without being joined. The bytes must
   * not change. `since`: the time of the event in the piece, in milliseconds of `performance.now()`.
   */
  write(piece: Piece, since?: number): boolean
  /** Resolves when there is room again, or at once if there is room. Rejects with `CancelledError` when the client is gone. */
  drained(): Promise<void>
  /** The number of bytes written so far. */
  readonly bytes: number
  /** The number of written bytes that the client has not accepted. */
  readonly waitingBytes: number
}

/** A handler throws its errors. An `ApiError` becomes its Status. Every other error becomes a 500 and is logged. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

/** A step that every request passes. It may answer the request itself, or change the request or the answer. */
export type Filter = (next: Handler) => Handler

/** The user of a request whose credential is in its body or in a cookie, and the answer. */
export interface Entered {
  readonly user: User
  readonly answer: () => Promise<HttpResponse>
}

/** Audits a request that does not pass the authentication filter. `enter` finds the user of the request, or throws. */
export type AuditEntrance = (request: HttpRequest, enter: () => Promise<Entered>) => Promise<HttpResponse>

/** A handler that runs after the authentication filter. */
export type CallerHandler = (request: HttpRequest, caller: Caller) => HttpResponse | Promise<HttpResponse>
export type CallerFilter = (next: CallerHandler) => CallerHandler
