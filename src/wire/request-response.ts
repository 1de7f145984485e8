// The interface of a request and its answer, the same for both versions of HTTP.
import type { IncomingHttpHeaders } from 'node:http'

export interface WireRequest {
  readonly method: string
  /** The path and query as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: WireBody
}

export interface WireBody {
  /** The one listener gets all that came so far, and then what comes. */
  listen(listener: BodyListener): void
  /** What else comes is of no interest. */
  mute(): void
}

export interface BodyListener {
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: () => void
  readonly onError: (cause: unknown) => void
}

export type HeaderRecord = Record<string, string | number | readonly string[]>

export interface WireConnection {
  /** What was written to any of its answers is sent now, not only at the end of this turn of the event loop. */
  flush(): void
}

/** How far an answer has come. */
export interface AnswerProgress {
  /** Made, and not taken by the client. */
  readonly unsentBytes: number
  readonly sentBytes: number
}

export interface WireResponse extends AnswerProgress {
  /** What it shares with the other answers of its connection. */
  readonly connection: WireConnection
  readonly headersSent: boolean
  readonly needsDrain: boolean
  /** Of a closed answer: whether all of it went out. */
  readonly wasSent: boolean
  /** The head with all of the body that there is; `undefined`: none. */
  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void
  /** The head of what follows with `write`, sent at once. */
  begin(status: number, headers: HeaderRecord): void
  /** False: better wait for `drain`. */
  write(piece: Buffer): boolean
  /** Like `write`, but small pieces go together, at the latest when `flush` or `end` is called. */
  gather(piece: Buffer): boolean
  /** The bytes that were gathered may change from now on. False: only after `drain`. */
  settle(): boolean
  flush(): void
  end(): void
  /** Breaks the answer off, in a way that the client cannot take for its end. */
  breakOff(): void
  /** The client is to come back on another connection. */
  leave(): void
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}
