// One request on a socket, from its first byte to the last of its answer: makes the plain record that the filters and
// handlers see, and owns the request's signal and deadline. The signal comes from the *response* closing early; the
// request's own `close` fires as soon as a body has been read.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { User } from '../api/user.ts'
import { ANONYMOUS } from '../auth/user.ts'
import { MAX_BODY_BYTES, readBody } from './body.ts'
import { ClientGoneError, DeadlineError } from './abort-reasons.ts'
import { deadlineOf } from './deadline.ts'
import type { HttpRequest, RemoteEnd } from './http.ts'
import { parseQuery } from './query.ts'
import { requestInfoOf, type RequestInfo } from './request-info.ts'

/** Node's request, of either protocol. */
export type RawRequest = IncomingMessage | Http2ServerRequest

export interface ExchangeOptions {
  /** The path and query as sent. */
  readonly target: string
  readonly remote: RemoteEnd
  readonly transport: HttpRequest['transport']
  readonly requestTimeoutMs: number
}

export class Exchange {
  readonly request: HttpRequest
  /** Who it turned out to be, once that is known. */
  user: User = ANONYMOUS
  readonly #abort = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  constructor(message: RawRequest, options: ExchangeOptions) {
    const receivedAt = performance.now()
    const method = message.method ?? 'GET'
    const { path, search } = splitTarget(options.target)
    const query = parseQuery(search)
    const decoded = decodePath(path)
    const info: RequestInfo =
      decoded === undefined
        ? { kind: 'broken', message: `invalid URL escape in path ${path}` }
        : requestInfoOf(method, decoded, query)
    const deadline = deadlineOf(info, query, options.requestTimeoutMs)
    const { signal } = this.#abort
    const auditId = message.headers['audit-id']
    this.request = {
      auditId: typeof auditId === 'string' && auditId !== '' ? auditId : randomUUID(),
      method,
      path: decoded ?? path,
      query,
      info,
      headers: message.headers,
      user: ANONYMOUS,
      remote: options.remote,
      transport: options.transport,
      signal,
      deadline,
      receivedAt,
      readBody: () => readBody(message, MAX_BODY_BYTES, signal),
      warn: () => {},
      identify: (user) => {
        this.user = user
      },
    }
    if (deadline.kind === 'after') {
      this.#timer = setTimeout(() => this.abort(new DeadlineError()), deadline.milliseconds)
    }
  }

  abort(reason: Error): void {
    clearTimeout(this.#timer)
    this.#abort.abort(reason)
  }

  /** The connection or stream has closed; `sent`: with all of the answer on its way. */
  closed(sent: boolean): void {
    clearTimeout(this.#timer)
    if (!sent && !this.#abort.signal.aborted) this.#abort.abort(new ClientGoneError())
  }
}

/** Also of the absolute form that proxies send, `http://host/path?query`. */
function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const question = local.indexOf('?')
  if (question === -1) return { path: local === '' ? '/' : local, search: '' }
  return { path: question === 0 ? '/' : local.slice(0, question), search: local.slice(question + 1) }
}

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
