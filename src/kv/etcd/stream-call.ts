// One call with a stream of answers. The caller pulls the answers. Flow control keeps unread answers in etcd.
import { CancelledError } from '../../lib/errors.ts'
import type { Connection } from '../../wire/http2-client-connection.ts'
import {
  type CallEnd,
  GrpcCall,
  STATUS_CANCELLED,
  STATUS_INTERNAL,
  STATUS_OK,
  STATUS_UNAVAILABLE,
} from '../../wire/grpc-call.ts'
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { decode, encode, type Given, type Rpc } from '../rpc.ts'
import type { RpcError } from './verdict.ts'

/** The start of a call: a connection, and the block of its headers. */
interface Line {
  readonly connection: Connection
  readonly headers: Buffer
}

export class StreamCall<Request, Response> {
  readonly #rpc: Rpc<Request, Response>
  readonly #call: GrpcCall
  #arrived: Buffer[] = []
  #next = 0
  #unreadBytes = 0
  #end: RpcError | undefined
  #wake: (() => void) | undefined

  constructor(rpc: Rpc<Request, Response>, { connection, headers }: Line, toError: (end: CallEnd) => RpcError) {
    this.#rpc = rpc
    this.#call = new GrpcCall(connection, headers, {
      onMessage: (message) => {
        this.#arrived.push(message)
        this.#unreadBytes += message.length
        this.#call.unread = this.#unreadBytes
        this.#wake?.()
      },
      onEnd: (end) => {
        const isOk = end.status === STATUS_OK
        this.#end = toError(isOk ? { ...end, status: STATUS_UNAVAILABLE, message: 'the stream ended' } : end)
        this.#wake?.()
      },
    })
  }

  send(message: Given<Request>, isLast = false): void {
    this.#call.send(encode(this.#rpc.request, message, PREFIX_BYTES), isLast)
  }

  /** Returns the next answer. Undefined: no answer has arrived, or the answer cannot be read and the call is cancelled. */
  read(): Response | undefined {
    const message = this.#arrived[this.#next]
    if (message === undefined) return undefined
    this.#next++
    if (this.#next === this.#arrived.length) this.#forgetArrived()
    this.#unreadBytes -= message.length
    this.#call.unread = this.#unreadBytes
    try {
      return decode(this.#rpc.response, message)
    } catch (error) {
      this.#forgetArrived()
      this.#call.cancel(STATUS_INTERNAL, `an answer cannot be read: ${(error as Error).message}`)
      return undefined
    }
  }

  /** Resolves when there may be something to read. Throws `RpcError` if the stream has ended and nothing is left. */
  readable(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        const hasArrived = this.#arrived.length > 0
        if (!signal.aborted && this.#end === undefined && !hasArrived) return
        this.#wake = undefined
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new CancelledError(signal.reason))
        else if (hasArrived) resolve()
        else reject(this.#end!)
      }
      this.#wake = settle
      signal.addEventListener('abort', settle)
      settle()
    })
  }

  cancel(): void {
    this.#call.cancel(STATUS_CANCELLED, 'given up')
  }

  #forgetArrived(): void {
    this.#arrived = []
    this.#next = 0
  }
}
