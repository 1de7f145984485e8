import { describe, expect, it } from 'vitest'
import type { User } from '../../../src/api/user.ts'
import { aggregatedProxy } from '../../../src/handlers/aggregated-proxy.ts'
import { type HttpRequest, type HttpResponse, NOT_AUDITED } from '../../../src/http/http.ts'
import type { OpenAnswer, OutgoingCaller, OutgoingRequest } from '../../../src/outgoing/call.ts'
import { fakeRequest } from '../http/fake-request.ts'

const JANE: User = { name: 'jane', uid: undefined, groups: [], extra: {} }

interface Passed extends Partial<HttpRequest> {
  readonly user?: User
}

async function passOn({ user = JANE, ...changes }: Passed, line = 'GET /apis/g/v1/things'): Promise<HttpResponse> {
  const answer: OpenAnswer = { status: 200, headers: {}, pieces: (async function* () {})(), discard: () => {} }
  const caller = {
    open: (_target: unknown, request: OutgoingRequest) => {
      sent.push(request)
      return Promise.resolve(answer)
    },
  } as unknown as OutgoingCaller
  const pass = aggregatedProxy(caller, () => ({ url: 'https://backend.default.svc:443/' }))
  return pass({}, fakeRequest(line, changes), { user, audit: NOT_AUDITED })
}

const sent: OutgoingRequest[] = []

describe('what is passed on to a server behind this one', () => {
  it.each<[string, Passed]>([
    ['X-Remote-User', { user: { ...JANE, name: 'ja\u0000ne' } }],
    ['X-Remote-User', { user: { ...JANE, name: 'ja\nne' } }],
    ['X-Remote-User', { user: { ...JANE, name: 'jane\u007f' } }],
    // Nobody would see the space at the other end.
    ['X-Remote-User', { user: { ...JANE, name: ' jane' } }],
    ['X-Remote-User', { user: { ...JANE, name: 'jane\t' } }],
    // Every such name would arrive as the same.
    ['X-Remote-User', { user: { ...JANE, name: 'jane\ud800' } }],
    ['X-Remote-Uid', { user: { ...JANE, uid: '1\r\n2' } }],
    ['X-Remote-Group', { user: { ...JANE, groups: ['a', 'system:masters '] } }],
    ['x-remote-extra-a', { user: { ...JANE, extra: { a: ['\u0001'] } } }],
    ['x-odd', { headers: { 'x-odd': 'a\u0001' } }],
    ['audit-id', { auditId: 'a\u001b' }],
  ])('%s that cannot arrive as it is is refused (%#)', async (header, changes) => {
    const before = sent.length
    await expect(passOn(changes)).rejects.toMatchObject({
      code: 400,
      message: `invalid header field value for "${header}"`,
    })
    expect(sent.length).toBe(before)
  })

  it('a control character in the path is refused', async () => {
    await expect(passOn({ target: '/apis/g/v1/things\u0001' })).rejects.toMatchObject({ code: 400 })
  })

  it('names of extra fields are encoded as the reference does (P-384)', async () => {
    await passOn({ user: { ...JANE, extra: { "a/b(c)%\u00e9~!#'": ['\u00e9'] } } })
    expect(sent.at(-1)!.headers).toMatchObject({ "x-remote-extra-a%2Fb%28c%29%25%C3%A9~!#'": ['\u00c3\u00a9'] })
  })

  it('what is for our connection alone stays here', async () => {
    await passOn({ headers: { connection: 'close, X-Hop', 'x-hop': 'a', 'x-kept': 'b' } })
    expect(sent.at(-1)!.headers).toMatchObject({ 'x-kept': 'b' })
    expect(sent.at(-1)!.headers).not.toHaveProperty('x-hop')
  })
})
