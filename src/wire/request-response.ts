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
  /** The only listener gets all received data, and then the later data. */
  listen(listener: BodyListener): void
  /** Discards all later data. */
  mute(): void
}

export interface BodyListener {
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: () => void
  readonly onError: (cause: unknown) => void
}

export type HeaderRecord = Record<string, string | number | readonly string[]>

export interface WireConnection {
  /** Sends the written bytes of all answers now, and not at the end of this turn of the event loop. */
  flush(): void
}

export interface AnswerProgress {
  /** The bytes that the client has not read yet. */
  readonly unsentBytes: number
  readonly sentBytes: number
}

export interface WireResponse extends AnswerProgress {
  /** The connection, which several answers may share. */
  readonly connection: WireConnection
  readonly headersSent: boolean
  readonly needsDrain: boolean
  /** Whether the closed answer was sent completely. */
  readonly wasSent: boolean
  /** Sends the head and the whole body. `undefined`: there is no body. */
  whole(status: number, headers: HeaderRecord, body: Buffer | undefined): void
  /** Sends the head at once. The body follows with `write`. */
  begin(status: number, headers: HeaderRecord): void
  /** False: wait for `drain`. */
  write(piece: Buffer): boolean
  /** Like `write`, but small pieces are sent together, at the latest when `flush` or `end` is called. */
  gather(piece: Buffer): boolean
  /** After this call, the caller may change the memory of gathered pieces. False: only after `drain`. */
  settle(): boolean
  flush(): void
  end(): void
  /** Breaks off the answer. The client can distinguish this from a complete answer. */
  breakOff(): void
  /** Tells the client to use another connection from now on. */
  leave(): void
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}
