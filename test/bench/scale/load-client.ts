// The client of the scale runs: one HTTP/2 connection with many requests at a time. It keeps no more of an answer than it is asked for: the
// processor time is wanted for the servers.
import { once } from 'node:events'
import http2 from 'node:http2'

/** Go's clients, which most of them are, let so much come on a stream before they say that they have read it. */
const WINDOW_BYTES = 4 * 1024 * 1024
const LINE_END = 0x0a

export interface Answered {
  readonly status: number
  readonly bytes: number
  /** All of it, where `keep` was asked for; otherwise its first bytes, where lists have their metadata. */
  readonly text: string
}

export interface Request {
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
  /** Absent: whatever the server likes. */
  readonly accept?: string
  readonly keep?: boolean
}

const HEAD_BYTES = 2_048

export class LoadClient implements Disposable {
  readonly #session: http2.ClientHttp2Session
  readonly #authorization: string

  constructor(url: string, token: string) {
    this.#authorization = `Bearer ${token}`
    this.#session = http2.connect(url, { rejectUnauthorized: false, settings: { initialWindowSize: WINDOW_BYTES } })
    this.#session.on('connect', () => this.#session.setLocalWindowSize(4 * WINDOW_BYTES))
    // Whoever waits for an answer is told by its stream.
    this.#session.on('error', () => {})
  }

  async connected(): Promise<void> {
    if (this.#session.connecting) await once(this.#session, 'connect')
  }

  /** Rejects where the connection broke before the answer was complete. */
  send(request: Request): Promise<Answered> {
    const { method = 'GET', path, body, contentType = 'application/json', accept, keep = false } = request
    return new Promise((resolve, reject) => {
      const typed = {
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(accept === undefined ? {} : { accept }),
      }
      const stream = this.#open({ ':method': method, ':path': path, ...typed }, body === undefined)
      let status = 0
      let bytes = 0
      const kept: Buffer[] = []
      stream.on('response', (headers) => (status = Number(headers[':status'])))
      stream.on('data', (chunk: Buffer) => {
        if (keep || bytes === 0) kept.push(keep ? chunk : chunk.subarray(0, HEAD_BYTES))
        bytes += chunk.length
      })
      stream.on('end', () => resolve({ status, bytes, text: Buffer.concat(kept).toString() }))
      stream.on('error', reject)
      if (body !== undefined) stream.end(body)
    })
  }

  /** Like `send`, where anything but a success is an error. */
  async do(request: Request): Promise<Answered> {
    const answered = await this.send(request)
    if (answered.status < 200 || answered.status > 299) {
      throw new Error(`${request.method ?? 'GET'} ${request.path}: ${answered.status} ${answered.text.slice(0, 500)}`)
    }
    return answered
  }

  /** A watch: `onEvents` is told how many events have come. Resolves when it has begun. */
  async watch(path: string, onEvents: (count: number) => void): Promise<void> {
    const stream = this.#open({ ':path': path }, true)
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      const lines = linesIn(chunk)
      if (lines > 0) onEvents(lines)
    })
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
    if (Number(headers[':status']) !== 200) throw new Error(`${path}: ${String(headers[':status'])}`)
  }

  [Symbol.dispose](): void {
    this.#session.destroy()
  }

  #open(headers: http2.OutgoingHttpHeaders, endStream: boolean): http2.ClientHttp2Stream {
    return this.#session.request({ ...headers, authorization: this.#authorization }, { endStream })
  }
}

/** An event is a line; a chunk may end anywhere in one. */
function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++
  return lines
}
