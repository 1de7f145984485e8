// The client of a KMS v2 plugin: gRPC over a Unix socket. grpc-js is loaded only if a plugin is configured.
import type { Client, ServiceError } from '@grpc/grpc-js'
import { type BytesByText, bytesOf, mapOf, readFields, textOf, writeMessage } from './kms-messages.ts'

export interface KmsStatus {
  readonly version: string
  readonly healthz: string
  readonly keyId: string
}

export interface Wrapped {
  readonly ciphertext: Buffer
  readonly keyId: string
  readonly annotations: BytesByText
}

/** Calls throw `KmsError`. `uid` names the call in the plugin's log. */
export interface KmsPlugin {
  status(): Promise<KmsStatus>
  wrap(plaintext: Buffer, uid: string): Promise<Wrapped>
  unwrap(wrapped: Wrapped, uid: string): Promise<Buffer>
  close(): void
}

export class KmsError extends Error {
  override readonly name = 'KmsError'
  /** Whether a retry may succeed. */
  readonly isTransient: boolean
  /** The name of the gRPC status, such as `Unavailable`. */
  readonly code: string

  constructor(message: string, code: number, options?: ErrorOptions) {
    super(message, options)
    this.isTransient = TRANSIENT.has(code)
    this.code = CODES[code] ?? 'Unknown'
  }
}

const SERVICE = '/v2.KeyManagementService'
const CODES: readonly string[] = [
  'OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied',
  'ResourceExhausted FailedPrecondition Aborted OutOfRange Unimplemented Internal Unavailable DataLoss Unauthenticated',
].flatMap((names) => names.split(' '))
/** Cancelled, deadline exceeded, resource exhausted, unavailable. */
const TRANSIENT: ReadonlySet<number> = new Set([1, 4, 8, 14])

export async function openKmsPlugin(endpoint: string, timeoutMs: number): Promise<KmsPlugin> {
  const { Client, credentials } = await import('@grpc/grpc-js')
  const client = new Client(endpoint, credentials.createInsecure(), {
    'grpc.max_reconnect_backoff_ms': 5_000,
    'grpc.max_receive_message_length': 1024 * 1024,
  })
  const call = (method: string, message: Buffer): Promise<Buffer> =>
    unary(client, `${SERVICE}/${method}`, message, timeoutMs)
  return {
    async status() {
      const fields = readFields(await call('Status', Buffer.alloc(0)))
      return { version: textOf(fields, 1), healthz: textOf(fields, 2), keyId: textOf(fields, 3) }
    },
    async wrap(plaintext, uid) {
      const fields = readFields(await call('Encrypt', writeMessage(plaintext, uid)))
      return { ciphertext: bytesOf(fields, 1), keyId: textOf(fields, 2), annotations: mapOf(fields, 3) }
    },
    async unwrap({ ciphertext, keyId, annotations }, uid) {
      return bytesOf(readFields(await call('Decrypt', writeMessage(ciphertext, uid, keyId, annotations))), 1)
    },
    close: () => client.close(),
  }
}

function unary(client: Client, path: string, message: Buffer, timeoutMs: number): Promise<Buffer> {
  const asIs = (bytes: Buffer): Buffer => bytes
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null, answer?: Buffer): void => {
      if (error === null) resolve(answer ?? Buffer.alloc(0))
      else reject(new KmsError(error.message, error.code, { cause: error }))
    }
    client.makeUnaryRequest(path, asIs, asIs, message, { deadline: Date.now() + timeoutMs }, done)
  })
}
