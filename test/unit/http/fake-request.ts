// A request as handlers see it, without a socket.
import { ANONYMOUS } from '../../../src/auth/user.ts'
import { deadlineOf } from '../../../src/http/deadline.ts'
import { type Caller, type HttpRequest, type HttpResponse, NOT_AUDITED } from '../../../src/http/http.ts'
import { parseQuery } from '../../../src/http/query.ts'
import { requestInfoOf } from '../../../src/http/request-info.ts'

/** What a test finds out about a request that it sent through filters. */
export interface FakeRequest extends HttpRequest {
  readonly warnings: readonly string[]
  readonly isSentAway: boolean
  readonly added: Readonly<Record<string, string | readonly string[]>>
}

export type FakeChanges = Partial<HttpRequest> & { readonly authorization?: string }

export const ANYBODY: Caller = { user: ANONYMOUS, audit: NOT_AUDITED }

/** `line` is like `GET /livez?verbose`. */
export function fakeRequest(line: string, { authorization, ...changes }: FakeChanges = {}): FakeRequest {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', search = ''] = target.split('?')
  const query = parseQuery(search)
  const info = requestInfoOf(method, path, query)
  const warnings: string[] = []
  const added: Record<string, string | readonly string[]> = {}
  let isSentAway = false
  let credential = authorization
  return {
    auditId: 'an-audit-id',
    method,
    target,
    path,
    query,
    info,
    headers: {},
    remote: { address: '127.0.0.1', isLoopback: true, protocol: 'http/1.1', certificate: undefined, hangUp: () => {} },
    host: '127.0.0.1:6443',
    isOfConsole: false,
    useSession: (authorization) => {
      credential = authorization
    },
    transport: 'plain',
    signal: new AbortController().signal,
    deadline: deadlineOf(info, query, 60_000),
    receivedAt: 0,
    filterSince: 0,
    turns: { busyMs: 0, longestMs: 0 },
    resume: () => {},
    isAudited: false,
    body: { read: async () => Buffer.alloc(0), putBack: () => {}, length: 0, onRead: undefined },
    breakOff: () => {},
    responder: {
      warn: (text) => void warnings.push(text),
      addHeaders: (headers) => void Object.assign(added, headers),
      sendAway: () => {
        isSentAway = true
      },
      whenOver: () => {},
      user: ANONYMOUS,
      account: () => {},
    },
    warnings,
    added,
    get isSentAway() {
      return isSentAway
    },
    takeCredential: () => {
      const taken = credential
      credential = undefined
      return taken
    },
    hasHeaderLike(prefix) {
      return Object.keys(this.headers).some((name) => name.startsWith(prefix))
    },
    takeHeader(name) {
      const value = this.headers[name]
      Object.assign(this, { headers: { ...this.headers, [name]: undefined } })
      return value === undefined ? [] : [value].flat()
    },
    ...changes,
  }
}

export function bodyText({ body }: HttpResponse): string {
  return body.kind === 'bytes' ? body.bytes.toString() : ''
}
