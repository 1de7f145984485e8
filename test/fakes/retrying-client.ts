// A client of several replicas, or of a balancer before them, that asks again only where it may: where a connection was refused, or was
// closed before an answer began; and, where it expects faults, where an answer breaks off or says that the server cannot answer now.
// Everything else that goes wrong is thrown.
import http2 from 'node:http2'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** How it is connected: one connection for all requests, one for each, or one of HTTP/2. */
export const WAYS = ['keep-alive', 'fresh', 'http2'] as const
export type Way = (typeof WAYS)[number]

export interface RetryingClientOptions {
  /** Tried in turn; it stays with one that answers. */
  readonly urls: readonly string[]
  readonly token: string
  readonly way: Way
  /** It also asks again where it is told to: 503 with `Retry-After`, from which nothing has come of the request. */
  readonly obeysRetryAfter?: boolean
  /** Servers are killed and frozen, and not only stopped. */
  readonly expectsFaults?: boolean
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: object
}

export interface Answer {
  readonly status: number
  readonly body: string
  /** It was sent more than once: what it asks for may have been done before. */
  readonly wasRepeated: boolean
}

interface Begun {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly stream: Readable
}

/** What a server says that has lost its store for a while. */
const UNAVAILABLE = new Set([429, 500, 503, 504])

/** Between two tries, and how long they go on. */
const PAUSE_MS = 20
const PATIENCE_MS = 60_000

export class RetryingClient {
  /** How often it had to ask again. */
  repeated = 0
  readonly #options: RetryingClientOptions
  readonly #agent: https.Agent
  #session: http2.ClientHttp2Session | undefined
  #at: number

  /** `first`: which of the URLs it begins with. */
  constructor(options: RetryingClientOptions, first: number) {
    this.#options = options
    this.#agent = new https.Agent({ keepAlive: options.way === 'keep-alive', maxSockets: 1 })
    this.#at = first
  }

  async send(request: Request): Promise<Answer> {
    const end = performance.now() + PATIENCE_MS
    for (let before = 0; ; ) {
      const { begun, tries } = await this.#begin(request)
      before += tries
      const { body, error } = await wholeBody(begun.stream)
      const isAnswer = error === undefined && !UNAVAILABLE.has(begun.status)
      if (isAnswer || this.#options.expectsFaults !== true || performance.now() > end) {
        if (error !== undefined) throw error
        return { status: begun.status, body, wasRepeated: before > 1 }
      }
      this.repeated++
      await delay(PAUSE_MS)
    }
  }

  /** Its lines, until the server ends it or the signal fires. Throws where the answer breaks off. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const { begun } = await this.#begin({ method: 'GET', path })
    const { status, stream } = begun
    const end = (): void => void stream.destroy()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    let rest = ''
    try {
      for await (const chunk of stream.setEncoding('utf8')) {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        if (status !== 200) throw new Error(`${path}: ${status} ${rest}`)
        yield* lines
      }
      if (rest !== '' && this.#options.expectsFaults !== true) throw new Error(`${path} broke off within a line`)
    } catch (error) {
      if (!signal.aborted && this.#options.expectsFaults !== true) throw error
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  close(): void {
    this.#agent.destroy()
    this.#session?.destroy()
  }

  async #begin(request: Request): Promise<{ readonly begun: Begun; readonly tries: number }> {
    const end = performance.now() + PATIENCE_MS
    const { urls, way } = this.#options
    for (let tries = 1; ; tries++) {
      if (way === 'fresh') this.#at++
      const url = urls[this.#at % urls.length]!
      const begun = way === 'http2' ? this.#beginHttp2(url, request) : this.#beginHttp1(url, request)
      const result = await begun.catch((error: unknown) => ({ error }))
      if (!('error' in result) && !this.#isPutOff(result)) return { begun: result, tries }
      const { method, path } = request
      if (performance.now() > end) throw new Error(`${method} ${path} was not answered`, { cause: result })
      if ('stream' in result) result.stream.resume()
      this.repeated++
      this.#at++
      await delay(PAUSE_MS)
    }
  }

  #isPutOff({ status, retryAfter }: Begun): boolean {
    return this.#options.obeysRetryAfter === true && status === 503 && retryAfter !== undefined
  }

  /** Rejects only where no answer has begun. */
  #beginHttp1(url: string, { method, path, body }: Request): Promise<Begun> {
    const { token } = this.#options
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.#agent, rejectUnauthorized: false }
      const request = https.request(`${url}${path}`, options, (response) =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          stream: response,
        }),
      )
      request.on('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  #beginHttp2(url: string, { method, path, body }: Request): Promise<Begun> {
    const session = this.#sessionTo(url)
    const headers = {
      ':method': method,
      ':path': path,
      authorization: `Bearer ${this.#options.token}`,
      'content-type': 'application/json',
    }
    return new Promise((resolve, reject) => {
      const stream = session.request(headers)
      stream.once('response', (head) =>
        resolve({ status: Number(head[':status']), retryAfter: head['retry-after'], stream }),
      )
      stream.on('error', reject)
      stream.once('close', () => reject(new Error('the stream was closed')))
      stream.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  #sessionTo(url: string): http2.ClientHttp2Session {
    const current = this.#session
    if (current !== undefined && !current.closed && !current.destroyed) return current
    const session = http2.connect(url, { rejectUnauthorized: false })
    session.on('error', () => {})
    this.#session = session
    return session
  }
}

/** As much of it as came, and why there is no more. */
async function wholeBody(stream: Readable): Promise<{ readonly body: string; readonly error?: unknown }> {
  let body = ''
  try {
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk)
    // Node ends a stream of HTTP/2 without an error where its connection is lost.
    return stream.readableAborted ? { body, error: new Error('the answer broke off') } : { body }
  } catch (error) {
    return { body, error }
  }
}
