import { describe, expect, it } from 'vitest'
import type { Handler, HttpRequest, HttpResponse } from '../../../src/http/http.ts'
import { RequestRecords } from '../../../src/library/request-record.ts'
import { fakeRequest } from '../http/fake-request.ts'

const OK: HttpResponse = { status: 200, headers: {}, body: { kind: 'empty' } }

/** A request whose end is for the test to say. */
function request(line: string): { readonly request: HttpRequest; readonly end: () => void } {
  const over: (() => void)[] = []
  const plain = fakeRequest(line)
  const responder = { ...plain.responder, whenOver: (listener: () => void) => void over.push(listener) }
  return { request: fakeRequest(line, { responder }), end: () => over.forEach((listener) => listener()) }
}

describe('a record of requests', () => {
  it('has them in the order in which they came, each as far as it is known', async () => {
    const records = new RequestRecords()
    const waiting = Promise.withResolvers<HttpResponse>()
    const handler = records.filter(({ path }) => (path === '/readyz' ? OK : waiting.promise))
    const record = records.start()
    const [slow, quick] = [request('PATCH /api/v1/namespaces/a/pods/b?force=true'), request('GET /readyz')]
    const answered = handler(slow.request)
    await handler(quick.request)
    const first = { verb: 'patch', path: '/api/v1/namespaces/a/pods/b', query: 'force=true' }
    const second = { verb: 'get', path: '/readyz', query: '', user: 'system:anonymous', status: 200 }
    expect(record.requests).toEqual([
      { ...first, user: undefined, status: undefined, durationMs: undefined },
      { ...second, durationMs: undefined },
    ])
    waiting.resolve({ ...OK, status: 409 })
    await answered
    quick.end()
    expect(record.requests).toMatchObject([
      { ...first, status: 409, durationMs: undefined },
      { ...second, durationMs: expect.any(Number) as number },
    ])
  })

  it('does not take an answer that came too late for one that was sent', async () => {
    const records = new RequestRecords()
    const waiting = Promise.withResolvers<HttpResponse>()
    const record = records.start()
    const late = request('GET /api/v1/pods')
    const answered = records.filter(() => waiting.promise)(late.request)
    late.end()
    waiting.resolve(OK)
    await answered
    expect(record.requests).toMatchObject([
      { verb: 'list', status: undefined, durationMs: expect.any(Number) as number },
    ])
  })

  it('keeps the latest, up to its limit, and forgets when it is told to', async () => {
    const records = new RequestRecords()
    const handler = records.filter(() => OK)
    const record = records.start({ limit: 3 })
    const paths = (): readonly string[] => record.requests.map(({ path }) => path)
    for (let i = 0; i < 20; i++) {
      await handler(fakeRequest(`GET /${i}`))
      expect(paths()).toEqual([i - 2, i - 1, i].filter((one) => one >= 0).map((one) => `/${one}`))
    }
    expect(record.lines()).toHaveLength(3)
    expect(record.lines().at(-1)).toBe('200       open  system:anonymous  get /19')
    record.clear()
    expect(record.requests).toEqual([])
    expect(() => records.start({ limit: 0 })).toThrow('at least 1')
  })

  it('ends by itself, and leaves requests alone where nobody records', async () => {
    const records = new RequestRecords()
    const handler: Handler = () => OK
    const [one, other] = [records.start(), records.start()]
    await records.filter(handler)(fakeRequest('GET /a'))
    one.stop()
    await records.filter(handler)(fakeRequest('GET /b'))
    other[Symbol.dispose]()
    expect(records.filter(handler)(fakeRequest('GET /c'))).toBe(OK)
    expect([one, other].map(({ requests }) => requests.length)).toEqual([1, 2])
  })

  it('has what was never answered', async () => {
    const records = new RequestRecords()
    const record = records.start()
    const failing = records.filter(() => Promise.reject(new Error('broken off')))
    await expect(failing(fakeRequest('DELETE /api/v1/namespaces/a'))).rejects.toThrow('broken off')
    expect(record.lines()).toEqual(['  -       open  -  delete /api/v1/namespaces/a'])
  })
})
