// A request as handlers see it, without a socket.
import { ANONYMOUS } from '../../../src/auth/user.ts'
import { deadlineOf } from '../../../src/http/deadline.ts'
import type { HttpRequest, HttpResponse } from '../../../src/http/http.ts'
import { parseQuery } from '../../../src/http/query.ts'
import { requestInfoOf } from '../../../src/http/request-info.ts'

/** What a test finds out about a request that it sent through filters. */
export interface FakeRequest extends HttpRequest {
  readonly warnings: readonly string[]
  readonly notes: ReadonlyMap<string, string>
  readonly isSentAway: boolean
  readonly added: Readonly<Record<string, string | readonly string[]>>
}

/** `line` is like `GET /livez?verbose`. */
export function fakeRequest(line: string, changes: Partial<HttpRequest> = {}): FakeRequest {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', search = ''] = target.split('?')
  const query = parseQuery(search)
  const info = requestInfoOf(method, path, query)
  const warnings: string[] = []
  const added: Record<string, string | readonly string[]> = {}
  let isSentAway = false
  const notes = new Map<string, string>()
  return {
    auditId: 'an-audit-id',
    method,
    target,
    path,
    query,
    info,
    headers: {},
    user: ANONYMOUS,
    authorization: undefined,
    remote: { address: '127.0.0.1', isLoopback: true, protocol: 'http/1.1', certificate: undefined },
    transport: 'plain',
    signal: new AbortController().signal,
    deadline: deadlineOf(info, query, 60_000),
    receivedAt: 0,
    filterSince: 0,
    isLetIn: true,
    body: { read: async () => Buffer.alloc(0), length: 0, whenRead: () => {} },
    responder: {
      warn: (text) => void warnings.push(text),
      addHeaders: (headers) => void Object.assign(added, headers),
      sendAway: () => {
        isSentAway = true
      },
      whenOver: () => {},
    },
    warnings,
    added,
    get isSentAway() {
      return isSentAway
    },
    notes,
    annotate: (key, value) => void notes.set(key, value),
    keepAnnotations: () => {},
    nameObject: () => {},
    whenNamed: () => {},
    impersonator: undefined,
    impersonationConstraint: undefined,
    actFor(user, impersonationConstraint) {
      Object.assign(this, { impersonator: this.user, user, impersonationConstraint })
    },
    takeHeader(name) {
      const value = this.headers[name]
      Object.assign(this, { headers: { ...this.headers, [name]: undefined } })
      return value === undefined ? [] : [value].flat()
    },
    identify(user) {
      Object.assign(this, { user, authorization: undefined })
    },
    ...changes,
  }
}

export function bodyText({ body }: HttpResponse): string {
  return body.kind === 'bytes' ? body.bytes.toString() : ''
}
