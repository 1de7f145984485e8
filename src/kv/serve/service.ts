// The methods of etcd's API by their paths, and how one is answered.
import { GRPC_OK, type GrpcServerCall } from '../../wire/grpc-server-call.ts'
import { failure, INTERNAL_FAILURE, type RpcFailure, toFailure, unimplemented } from './rpc-failure.ts'

export type Method =
  /** One message in, one out. What it gives has gRPC's room before it; what it throws is the status. */
  | { readonly kind: 'unary'; readonly answer: (message: Buffer, signal: AbortSignal) => Promise<Buffer> }
  /** The same with any number of answers, each asked for when the client has taken those before it. */
  | { readonly kind: 'answers'; readonly answers: (message: Buffer, signal: AbortSignal) => AsyncIterable<Buffer> }
  /** Takes the call over until it resolves; what it throws is the status. */
  | { readonly kind: 'stream'; readonly run: (call: GrpcServerCall) => Promise<void> }

export type Methods = Readonly<Record<string, Method>>

/** `onFault`: something of ours broke. */
export async function answerCall(
  call: GrpcServerCall,
  method: Method | undefined,
  { path, onFault }: { readonly path: string; readonly onFault: (error: unknown) => void },
): Promise<void> {
  try {
    if (method === undefined) throw unknownMethod(path)
    if (method.kind === 'stream') await method.run(call)
    else if (method.kind === 'unary') call.send(await method.answer(await onlyMessage(call), call.signal))
    else await sendAll(call, method.answers(await onlyMessage(call), call.signal))
    call.end(GRPC_OK)
  } catch (error) {
    const failed = toFailure(error)
    if (failed === undefined) onFault(error)
    const { status, message } = failed ?? INTERNAL_FAILURE
    call.end(status, message)
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

/** Of messages that wait to be taken; who sends more than that without reading is not a client that means well. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024

/**
 * Takes the messages of a stream one after another, each when the client has taken what was sent before. Resolves when the client is
 * gone or, where nothing more is to be said then, has sent its last.
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
