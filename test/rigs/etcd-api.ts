// etcd's API as somebody else's client speaks it: gRPC from @grpc/grpc-js, messages by the .proto files that etcd3 brings. What an
// answer says comes as plain JSON, without what tells one member from another.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Client, type ClientDuplexStream, credentials, type ServiceError } from '@grpc/grpc-js'
import protobuf from 'protobufjs'

type Json = Readonly<Record<string, unknown>>

const root = new protobuf.Root()
const folder = join(dirname(createRequire(import.meta.url).resolve('etcd3/package.json')), 'proto')
root.resolvePath = (_origin, target) => join(folder, target)
root.loadSync('rpc.proto', { keepCase: true })

/** Newer than those files. */
const STREAMED = 'message RangeStreamResponse { RangeResponse range_response = 1; }'
protobuf.parse(`syntax = "proto3"; package etcdserverpb; ${STREAMED}`, root, { keepCase: true })
root
  .lookupService('etcdserverpb.KV')
  .add(new protobuf.Method('RangeStream', 'rpc', 'RangeRequest', 'RangeStreamResponse', false, true))

/** Whatever differs between two servers that do the same. */
const OF_ONE_SERVER: ReadonlySet<string> = new Set(['cluster_id', 'member_id', 'raft_term'])

export interface ApiStream extends AsyncDisposable {
  send(message: Json): void
  /** The next answer, when it is there. */
  next(): Promise<Json>
}

export class EtcdApi implements Disposable {
  readonly #client: Client

  constructor(endpoint: string) {
    const address = endpoint.replace(/^https?:\/\//, '')
    this.#client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
    })
  }

  /** The answer; where it fails, the status and its words. */
  call(method: `${string}/${string}`, request: Json): Promise<Json> {
    const { path, requestType, responseType } = methodOf(method)
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        path,
        (message: Json) => encode(requestType, message),
        (bytes) => toJson(responseType, bytes),
        request,
        (error: ServiceError | null, answer?: Json) =>
          resolve(error === null ? answer! : { code: error.code, details: error.details }),
      )
    })
  }

  /** Those of a call that has many; who stops asking for them cancels it. */
  answers(method: `${string}/${string}`, request: Json): AsyncIterable<Json> {
    const { path, requestType, responseType } = methodOf(method)
    const encoded = (message: Json): Buffer => encode(requestType, message)
    return this.#client.makeServerStreamRequest(path, encoded, (bytes) => toJson(responseType, bytes), request)
  }

  stream(method: `${string}/${string}`): ApiStream {
    const { path, requestType, responseType } = methodOf(method)
    const stream: ClientDuplexStream<Json, Json> = this.#client.makeBidiStreamRequest(
      path,
      (message: Json) => encode(requestType, message),
      (bytes) => toJson(responseType, bytes),
    )
    stream.on('error', () => undefined)
    const answers = stream[Symbol.asyncIterator]() as AsyncIterator<Json>
    return {
      send: (message) => void stream.write(message),
      next: async () => {
        const { done, value } = await answers.next()
        if (done === true) throw new Error('the stream is over')
        return value
      },
      [Symbol.asyncDispose]: async () => stream.cancel(),
    }
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }
}

function methodOf(name: string): { path: string; requestType: protobuf.Type; responseType: protobuf.Type } {
  const [service = '', method = ''] = name.split('/')
  const { requestType, responseType } = root.lookupService(`etcdserverpb.${service}`).methods[method]!
  return {
    path: `/etcdserverpb.${service}/${method}`,
    requestType: root.lookupType(`etcdserverpb.${requestType}`),
    responseType: root.lookupType(`etcdserverpb.${responseType}`),
  }
}

/** What is misspelled would be left out. */
function checkNames(type: protobuf.Type, message: Json): void {
  for (const [name, value] of Object.entries(message)) {
    const field = type.fields[name]?.resolve()
    if (field === undefined) throw new Error(`${type.name} has no field ${name}`)
    const { resolvedType } = field
    for (const one of [value].flat()) {
      if (resolvedType instanceof protobuf.Type) checkNames(resolvedType, one as Json)
      if (resolvedType instanceof protobuf.Enum && typeof one === 'string' && !(one in resolvedType.values)) {
        throw new Error(`${type.name}.${name} is never ${one}`)
      }
    }
  }
}

function encode(type: protobuf.Type, message: Json): Buffer {
  checkNames(type, message)
  return Buffer.from(type.encode(type.fromObject(message)).finish())
}

function toJson(type: protobuf.Type, bytes: Buffer): Json {
  const plain = type.toObject(type.decode(bytes), { longs: String, bytes: String, enums: String })
  return JSON.parse(JSON.stringify(plain), (name, value: unknown) =>
    OF_ONE_SERVER.has(name) ? undefined : value,
  ) as Json
}
