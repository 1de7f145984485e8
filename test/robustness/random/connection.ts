// How a client of a run speaks to a replica: over kept connections of HTTP/1.1 or one of HTTP/2, made again when they break. It never
// asks twice by itself; whoever asked is told whether the request can have arrived.
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { Readable } from 'node:stream'

export type Way = 'http1' | 'http2'

export interface Target {
  /** `https://127.0.0.1:port`; `http:` is for a gateway. */
  readonly url: string
  readonly token: string
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly contentType?: string
}

export interface Answered {
  readonly status: number
  readonly body: string
}

/** There was no whole answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** False: nobody can have received the request. */
  readonly wasSent: boolean

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.wasSent = (cause as { code?: string }).code !== 'ECONNREFUSED'
  }
}

interface Begun {
  readonly status: number
  readonly stream: Readable
}

/** What a client needs of it. */
export type Speaker = Pick<Connection, 'ask' | 'stream' | 'close'>

export class Connection {
  readonly #target: Target
  readonly #way: Way
  readonly #agent: http.Agent
  #session: http2.ClientHttp2Session | undefined

  constructor(target: Target, way: Way) {
    this.#target = target
    this.#way = way
    this.#agent = target.url.startsWith('http:')
      ? new http.Agent({ keepAlive: true })
      : new https.Agent({ keepAlive: true, rejectUnauthorized: false })
  }

  /** Rejects with `NoAnswer`, also where it takes longer than that. */
  async ask(asked: Asked, limitMs: number): Promise<Answered> {
    const signal = AbortSignal.timeout(limitMs)
    try {
      const { status, stream } = await this.#begin(asked, signal)
      let body = ''
      for await (const chunk of stream.setEncoding('utf8')) body += String(chunk)
      // Node ends a stream of HTTP/2 without an error where its connection is lost.
      if (stream.readableAborted) throw new Error('the answer broke off')
      return { status, body }
    } catch (error) {
      if (signal.aborted) this.#session?.destroy()
      throw new NoAnswer(error)
    }
  }

  /** Resolves with the status when the stream has ended, however it did; lines that are whole are told. */
  async stream(path: string, signal: AbortSignal, onLine: (line: string) => void): Promise<number> {
    let status = 0
    try {
      const begun = await this.#begin({ method: 'GET', path }, signal)
      status = begun.status
      let rest = ''
      for await (const chunk of begun.stream.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onLine(line)
      }
    } catch {
      // A watch that breaks off has told what it has told.
    }
    return status
  }

  close(): void {
    this.#agent.destroy()
    this.#session?.destroy()
  }

  #begin(asked: Asked, signal: AbortSignal): Promise<Begun> {
    return this.#way === 'http2' ? this.#beginHttp2(asked, signal) : this.#beginHttp1(asked, signal)
  }

  #beginHttp1({ method, path, body, contentType }: Asked, signal: AbortSignal): Promise<Begun> {
    const { url, token } = this.#target
    const sent = body === undefined ? undefined : JSON.stringify(body)
    // Of a DELETE Node does not say by itself that a body comes.
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': contentType ?? 'application/json',
      ...(sent === undefined ? {} : { 'content-length': Buffer.byteLength(sent) }),
    }
    const { request: send } = url.startsWith('http:') ? http : https
    return new Promise((resolve, reject) => {
      const request = send(`${url}${path}`, { method, headers, agent: this.#agent, signal }, (response) =>
        resolve({ status: response.statusCode ?? 0, stream: response }),
      )
      request.on('error', reject)
      request.end(sent)
    })
  }

  #beginHttp2({ method, path, body, contentType }: Asked, signal: AbortSignal): Promise<Begun> {
    const headers = {
      ':method': method,
      ':path': path,
      authorization: `Bearer ${this.#target.token}`,
      'content-type': contentType ?? 'application/json',
    }
    return new Promise((resolve, reject) => {
      const stream = this.#sessionNow().request(headers, { endStream: false, signal })
      stream.once('response', (head) => resolve({ status: Number(head[':status']), stream }))
      stream.on('error', reject)
      stream.once('close', () => reject(new Error('the stream was closed')))
      stream.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  #sessionNow(): http2.ClientHttp2Session {
    const current = this.#session
    if (current !== undefined && !current.closed && !current.destroyed) return current
    const session = http2.connect(this.#target.url, { rejectUnauthorized: false })
    session.on('error', () => {})
    this.#session = session
    return session
  }
}
