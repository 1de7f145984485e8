// A client for large answers: counts what it gets and keeps nothing of it. Reads happen on connections of their own.
import { once } from 'node:events'
import http2 from 'node:http2'
import type { ServerProcess } from '../rigs/server-process.ts'

/** Go's clients, which most of them are, let so much come on a stream before they say that they have read it. */
const WINDOW_BYTES = 4 * 1024 * 1024

export class CountingClient implements Disposable {
  readonly #session: http2.ClientHttp2Session
  readonly #token: string

  constructor(server: ServerProcess) {
    const known = server.kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? ''
    const ca = Buffer.from(known, 'base64').toString()
    this.#token = server.adminToken
    this.#session = http2.connect(server.url, { ca, settings: { initialWindowSize: WINDOW_BYTES } })
    this.#session.on('connect', () => this.#session.setLocalWindowSize(16 * WINDOW_BYTES))
    // Whoever waits for an answer is told by its stream.
    this.#session.on('error', () => {})
  }

  /** How many bytes an answer has. Throws where it is no success. */
  async read(path: string): Promise<number> {
    const stream = this.#open(path)
    let bytes = 0
    stream.on('data', (chunk: Buffer) => (bytes += chunk.length))
    const [[headers]] = (await Promise.all([once(stream, 'response'), once(stream, 'end')])) as [
      [http2.IncomingHttpHeaders],
      unknown,
    ]
    if (Number(headers[':status']) !== 200) throw new Error(`${path}: ${String(headers[':status'])}`)
    return bytes
  }

  /** A watch: `onBytes` is told of what comes. Resolves when it has begun; the function that it gives ends it. */
  async watch(path: string, onBytes: (chunk: Buffer) => void): Promise<() => void> {
    const stream = this.#open(path)
    stream.on('data', onBytes)
    await once(stream, 'response')
    return () => stream.close(http2.constants.NGHTTP2_CANCEL)
  }

  /** Streams the state, as an informer does at its start; resolves with its bytes when all of it is there. */
  readState(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
      const stream = this.#open(`${path}?${query}`)
      let bytes = 0
      let tail = ''
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 400))).slice(-400)
        if (!tail.includes('initial-events-end')) return
        stream.close(http2.constants.NGHTTP2_CANCEL)
        resolve(bytes)
      })
      stream.on('error', reject)
    })
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }

  #open(path: string): http2.ClientHttp2Stream {
    const stream = this.#session.request({ ':path': path, authorization: `Bearer ${this.#token}` })
    stream.on('error', () => {})
    return stream
  }
}
