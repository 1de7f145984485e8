// A client that keeps its connection: HTTP/2, many requests at a time, JSON in and out. For tests and benches with many requests.
import http2 from 'node:http2'
import type { ServerProcess } from './server-process.ts'

export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

export interface ApiClientOptions {
  readonly url: string
  readonly token: string
  /** PEM. */
  readonly ca: string
}

export interface Sending {
  readonly body?: object | string
  readonly contentType?: string
}

export class ApiClient implements Disposable {
  readonly #session: http2.ClientHttp2Session
  readonly #token: string

  constructor({ url, token, ca }: ApiClientOptions) {
    this.#token = token
    this.#session = http2.connect(url, { ca })
    // Whoever sends on a broken connection is told by the request.
    this.#session.on('error', () => {})
  }

  /** Rejects where the connection broke before the answer was complete. */
  send(method: string, path: string, { body, contentType = 'application/json' }: Sending = {}): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const headers = {
        ':method': method,
        ':path': path,
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': contentType }),
      }
      // Node takes a DELETE to have no body unless it is told.
      const stream = this.#session.request(headers, { endStream: body === undefined })
      let status = 0
      const chunks: Buffer[] = []
      stream.on('response', (answered) => (status = Number(answered[':status'])))
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }))
      stream.on('error', reject)
      if (body !== undefined) stream.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }

  async json(method: string, path: string, sending: Sending = {}): Promise<{ status: number; body: unknown }> {
    const { status, text } = await this.send(method, path, sending)
    return { status, body: JSON.parse(text) as unknown }
  }

  /** A stream that goes on until it is closed: a watch. */
  open(path: string): OpenStream {
    const stream = this.#session.request({ ':path': path, authorization: `Bearer ${this.#token}` })
    let lines = 0
    stream.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) lines++
    })
    // One that is closed before its answer came ends with an error.
    stream.on('error', () => {})
    const closed = new Promise<void>((resolve) => void stream.once('close', resolve))
    return {
      lines: () => lines,
      close() {
        stream.close(http2.constants.NGHTTP2_CANCEL)
        return closed
      },
    }
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }
}

export interface OpenStream {
  /** How many have come. */
  lines(): number
  close(): Promise<void>
}

export function clientOf(server: ServerProcess): ApiClient {
  const { kubeconfig, url, adminToken: token } = server
  const ca = Buffer.from(kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? '', 'base64').toString()
  return new ApiClient({ url, token, ca })
}
