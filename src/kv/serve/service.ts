// The methods of etcd's API by their paths, and the code that answers a call.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PREFIX_BYTES } from '../../wire/grpc-messages.ts'
import { GRPC_OK, type GrpcServerCall } from '../../wire/grpc-server-call.ts'
import type { Header } from '../gen/rpc.ts'
import { decode, encode, type Given, type Rpc } from '../rpc.ts'
import type { AnswerPlace } from './answer-places.ts'
import { headerOf, type Identity } from './identity.ts'
import { failure, INTERNAL_FAILURE, type RpcFailure, toFailure, unimplemented } from './rpc-failure.ts'

export type Method =
  /** One request, one answer. The answer has free bytes for the prefix of gRPC. An error becomes the status. */
  | { readonly kind: 'unary'; readonly answer: (message: Buffer, signal: AbortSignal) => Promise<Buffer> }
  /** One request, one large answer. The answer is written as the client reads it. */
  | {
      readonly kind: 'large'
      readonly answer: (message: Buffer, call: GrpcServerCall) => Promise<LargeAnswer | Buffer>
    }
  /** One request, several answers. Each answer is made when the client has read the earlier answers. */
  | { readonly kind: 'answers'; readonly answers: (message: Buffer, signal: AbortSignal) => AsyncIterable<Buffer> }
  /** `run` handles the whole call. An error becomes the status. */
  | { readonly kind: 'stream'; readonly run: (call: GrpcServerCall) => Promise<void> }

export interface LargeAnswer {
  /** The size of all pieces together. */
  readonly bytes: number
  readonly pieces: Iterable<Buffer>
  readonly place: AnswerPlace
}

export type Methods = Readonly<Record<string, Method>>

/** An answer. Its header has only the revision. */
export type Answer<Response> = Given<Response> & { readonly header: Pick<Given<Header>, 'revision'> }

/** A call with one request and one answer. `bytes`: the size of the request. */
export function unary<Request, Response>(
  { path, request, response }: Rpc<Request, Response>,
  identity: Identity,
  answer: (request: Request, signal: AbortSignal, bytes: number) => Promise<Answer<Response>>,
): Methods {
  return {
    [path]: {
      kind: 'unary',
      answer: async (message, signal) =>
        encodeAnswer(response, identity, await answer(decode(request, message), signal, message.length)),
    },
  }
}

/** Encodes an answer, with free bytes for the prefix of gRPC. */
export function encodeAnswer<Response>(
  response: Rpc<unknown, Response>['response'],
  identity: Identity,
  answer: Answer<Response>,
): Buffer {
  const header = headerOf(identity, answer.header.revision)
  return encode(response, { ...(answer as object), header } as Given<Response>, PREFIX_BYTES)
}

/** `onFault` is called for a fault of this server. */
export async function answerCall(
  call: GrpcServerCall,
  method: Method | undefined,
  { path, onFault }: { readonly path: string; readonly onFault: (error: unknown) => void },
): Promise<void> {
  try {
    if (method === undefined) throw unknownMethod(path)
    if (method.kind === 'stream') await method.run(call)
    else if (method.kind === 'unary') call.send(await method.answer(await onlyMessage(call), call.signal))
    else if (method.kind === 'large') await sendLarge(call, await method.answer(await onlyMessage(call), call))
    else await sendAll(call, method.answers(await onlyMessage(call), call.signal))
    call.end(GRPC_OK)
  } catch (error) {
    const failed = toFailure(error)
    if (failed === undefined) onFault(error)
    const { status, message } = failed ?? INTERNAL_FAILURE
    call.end(status, message)
  }
}

async function sendLarge(call: GrpcServerCall, answer: LargeAnswer | Buffer): Promise<void> {
  if (Buffer.isBuffer(answer)) return call.send(answer)
  using place = answer.place
  let left = answer.bytes
  call.sendPrefix(left)
  for (const piece of answer.pieces) {
    call.sendPart(piece)
    left -= piece.length
    // Other calls have a turn between two pieces, even if the client reads at once.
    await nextTurn()
    await place.during(call.writable(), left)
    if (call.signal.aborted) return
  }
}

async function sendAll(call: GrpcServerCall, answers: AsyncIterable<Buffer>): Promise<void> {
  for await (const answer of answers) {
    if (call.signal.aborted) return
    call.send(answer)
    await call.writable()
  }
}

function unknownMethod(path: string): RpcFailure {
  const [, service = '', name = ''] = path.split('/')
  return unimplemented(`unknown method ${name} for service ${service}`)
}

function onlyMessage(call: GrpcServerCall): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined
    call.signal.addEventListener('abort', () => reject(call.signal.reason as Error), { once: true })
    call.listen({
      onMessage: (message) => {
        only ??= message
      },
      onClientEnd: () => resolve(only ?? Buffer.alloc(0)),
    })
  })
}

/** The largest number of bytes of waiting messages. A real client does not send more without reading. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024

/**
 * Handles the messages of a stream one after another. Each message waits until the client has read the earlier answers. Resolves when the
 * client is gone. With `ends`, it also resolves when the client has sent its last message and all are handled.
 */
export function eachMessage(
  call: GrpcServerCall,
  take: (message: Buffer) => Promise<void>,
  atClientEnd: 'ends' | 'stays',
): Promise<void> {
  return new Promise((resolve, reject) => {
    let last = Promise.resolve()
    let waitingBytes = 0
    call.signal.addEventListener('abort', () => resolve(), { once: true })
    call.listen({
      onMessage: (message) => {
        waitingBytes += message.length
        if (waitingBytes > MOST_WAITING_BYTES) return reject(failure('tooManyRequests'))
        last = last.then(async () => {
          await call.writable()
          await take(message)
          waitingBytes -= message.length
        })
        last.catch(reject)
      },
      onClientEnd: () => {
        if (atClientEnd === 'ends') last.then(resolve, reject)
      },
    })
  })
}
