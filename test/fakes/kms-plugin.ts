// A plugin that keeps keys (KMS v2), over gRPC on a socket as real ones are. It can be unwell, change its key, and be stopped.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import path from 'node:path'
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js'
import { bytesOf, mapOf, readFields, textOf, writeMessage } from '../../src/store/encryption/kms-messages.ts'

export class FakeKmsPlugin implements AsyncDisposable {
  readonly endpoint: string
  keyId = 'key-1'
  healthz = 'ok'
  readonly calls = { Status: 0, Encrypt: 0, Decrypt: 0 }
  readonly #secret = randomBytes(32)
  #server: Server | undefined

  constructor(folder: string, name = 'kms.sock') {
    this.endpoint = `unix://${path.join(folder, name)}`
  }

  async start(): Promise<this> {
    const server = new Server()
    const method = (name: keyof FakeKmsPlugin['calls'], answer: (message: Buffer) => Buffer) => ({
      path: `/v2.KeyManagementService/${name}`,
      requestStream: false as const,
      responseStream: false as const,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
      handle: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
        this.calls[name]++
        try {
          done(null, answer(call.request))
        } catch (error) {
          done({ code: status.INVALID_ARGUMENT, details: (error as Error).message })
        }
      },
    })
    const methods = [
      method('Status', () => writeMessage('v2', this.healthz, this.keyId)),
      method('Encrypt', (message) => this.#wrap(message)),
      method('Decrypt', (message) => this.#unwrap(message)),
    ]
    for (const { path: at, handle, ...rest } of methods) {
      server.register(at, handle, rest.responseSerialize, rest.requestDeserialize, 'unary')
    }
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(this.endpoint, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      )
    })
    this.#server = server
    return this
  }

  stop(): void {
    this.#server?.forceShutdown()
    this.#server = undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    return Promise.resolve()
  }

  #wrap(message: Buffer): Buffer {
    const vector = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#secret, vector)
    cipher.setAAD(Buffer.from(this.keyId))
    const sealed = Buffer.concat([
      vector,
      cipher.update(bytesOf(readFields(message), 1)),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return writeMessage(sealed, this.keyId, new Map([['made.example.com', Buffer.from('by a test')]]))
  }

  #unwrap(message: Buffer): Buffer {
    const fields = readFields(message)
    const sealed = bytesOf(fields, 1)
    if (mapOf(fields, 4).get('made.example.com')?.toString() !== 'by a test') throw new Error('annotations are missing')
    const decipher = createDecipheriv('aes-256-gcm', this.#secret, sealed.subarray(0, 12))
    decipher.setAAD(Buffer.from(textOf(fields, 3)))
    decipher.setAuthTag(sealed.subarray(-16))
    return writeMessage(Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]))
  }
}

function asIs(bytes: Buffer): Buffer {
  return bytes
}
