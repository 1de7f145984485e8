// Requests against a small HTTP server: when they are sent again, and what comes of refusals.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ApiStatusError, Client, ConnectionError, k8s } from '../../../src/client/client.ts'

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

interface Scene {
  readonly client: Client
  readonly requests: http.IncomingMessage[]
}

/** Answers in turn; the last one again and again. */
async function scene(answers: readonly Answer[], retries = 5): Promise<Scene> {
  const requests: http.IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    requests.push(request)
    answers[Math.min(requests.length, answers.length) - 1]!(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new Client({ url: `http://127.0.0.1:${port}/base/`, token: 't', retries, userAgent: 'test' })
  onTestFinished(async () => {
    client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { client, requests }
}

const pod = { metadata: { name: 'p', namespace: 'n' } }

const ok: Answer = (_, response) => void response.end(JSON.stringify(pod))
const broken: Answer = (request) => request.destroy()
const brokenOff: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"metadata":', () => response.destroy())
}
const busy =
  (code: number, after?: string): Answer =>
  (_, response) => {
    response.writeHead(code, after === undefined ? {} : { 'retry-after': after })
    response.end('too busy')
  }

const get = ({ client }: Scene) => client.resource(k8s.Pod).inNamespace('n').get('p')
const create = ({ client }: Scene) => client.resource(k8s.Pod).create(pod)
const apply = ({ client }: Scene) => client.resource(k8s.Pod).apply(pod, { fieldManager: 'me' })
const patch = ({ client }: Scene) => client.resource(k8s.Pod).inNamespace('n').patch('p', {})

describe('a request', () => {
  it('has the path of the server before its own, the token, and a name', async () => {
    const some = await scene([ok])
    await get(some)
    const { url, headers } = some.requests[0]!
    expect(url).toBe('/base/api/v1/namespaces/n/pods/p')
    expect(headers).toMatchObject({ authorization: 'Bearer t', 'user-agent': 'test', accept: 'application/json' })
  })

  it.each(['/a/../b', '/a/./b', '/a/%2e%2e/b', '//127.0.0.2/b'])('goes to its server as it is: %s', async (path) => {
    const some = await scene([ok])
    await some.client.request({ method: 'GET', path })
    expect(some.requests[0]!.url).toBe(`/base${path}`)
    const { host, port } = new URL(`http://${some.requests[0]!.headers.host}`)
    expect(host).toBe(`127.0.0.1:${port}`)
    using root = new Client({ url: `http://${host}` })
    await root.request({ method: 'GET', path })
    expect(some.requests[1]!.url).toBe(path)
  })

  it('asks for a kind for several calls, and the signal of one of them ends no other', async () => {
    const held = Promise.withResolvers<void>()
    const some = await scene([(_, response) => void held.promise.then(() => response.writeHead(404).end('not found'))])
    const widgets = some.client.resource({ group: 'example.com', version: 'v1', kind: 'Widget' }).inNamespace('n')
    const ending = new AbortController()
    const ended = widgets.get('a', { signal: ending.signal })
    await vi.waitFor(() => expect(some.requests.length).toBe(1))
    const other = widgets.get('a')
    ending.abort(new Error('enough'))
    await expect(ended).rejects.toThrow('enough')
    held.resolve()
    await expect(other).rejects.toThrow('the server has no kind Widget in example.com/v1')
  })

  it.each([
    ['a busy server says when', get, [busy(429, '0'), busy(503, '0'), ok], 3],
    ['an apply finds a busy server', apply, [busy(429, '0'), ok], 2],
    ['its connection broke before the answer', get, [broken, ok], 2],
    ['its answer broke off', get, [brokenOff, ok], 2],
  ] as const)('is sent again where %s', async (_, send, answers, times) => {
    const some = await scene(answers)
    expect(await send(some)).toEqual(pod)
    expect(some.requests.length).toBe(times)
  })

  it.each([
    ['a busy server does not say when', get, busy(503), 503],
    ['a busy server wants more patience than anybody has', get, busy(429, '3600'), 429],
    ['it creates something', create, busy(429, '0'), 429],
    ['it is a patch that may have been made', patch, busy(503, '0'), 503],
    ['it is wrong', get, busy(400, '0'), 400],
  ] as const)('is not sent again where %s', async (_, send, answer, code) => {
    const some = await scene([answer])
    await expect(send(some)).rejects.toMatchObject({ code, status: { message: 'too busy' } })
    expect(some.requests.length).toBe(1)
  })

  it('is not sent again where a write may have been done', async () => {
    const some = await scene([broken, ok])
    await expect(create(some)).rejects.toMatchObject({ name: 'ConnectionError', phase: 'sent' })
    expect(some.requests.length).toBe(1)
  })

  it('is not sent again where nobody listens', async () => {
    using alone = new Client({ url: 'http://127.0.0.1:1' })
    const error = alone.request({ method: 'GET', path: '/' })
    await expect(error).rejects.toMatchObject({
      phase: 'connecting',
      message: 'GET /: connect ECONNREFUSED 127.0.0.1:1',
    })
  })

  it('is given up in the end', async () => {
    const some = await scene([busy(429, '0')], 2)
    const error = await get(some).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiStatusError)
    expect(error).toMatchObject({ code: 429, retryAfter: 0, message: 'GET /api/v1/namespaces/n/pods/p: too busy' })
    expect(some.requests.length).toBe(3)
  })

  it('ends with its signal and with its time, also in the middle of the answer', async () => {
    const some = await scene([(_, response) => void response.write('{')])
    const reason = new Error('enough')
    const stop = new AbortController()
    const pods = some.client.resource(k8s.Pod).inNamespace('n')
    const pending = pods.get('p', { signal: stop.signal })
    await expect.poll(() => some.requests.length).toBe(1)
    stop.abort(reason)
    await expect(pending).rejects.toBe(reason)
    const late = await pods.get('p', { timeoutMs: 30 }).catch((error: unknown) => error)
    expect(late).toBeInstanceOf(ConnectionError)
    expect(String(late)).toContain('no complete answer within 30 ms')
  })
})

describe('queries', () => {
  const refused: Answer = (_, response) => {
    response.writeHead(405)
    response.end(JSON.stringify({ kind: 'Status', reason: 'MethodNotAllowed', code: 405, message: 'no' }))
  }

  it('are refused by a server that does not have them, instead of answered with all objects', async () => {
    const some = await scene([refused])
    const pods = some.client.resource(k8s.Pod)
    await expect(pods.list({ where: 'true' })).rejects.toThrow(/no/)
    await expect(pods.count()).rejects.toThrow(/no/)
    await expect(pods.watch({ where: 'true' }).next()).rejects.toThrow(/no/)
    await expect(pods.watch({ select: 'spec' }).next()).rejects.toThrow(/no/)
    const errors: unknown[] = []
    const informer = pods.informer({ where: 'true', onError: (error) => errors.push(error) }).start()
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    await informer.stop()
    expect(new Set(some.requests.map(({ method }) => method))).toEqual(new Set(['QUERY']))
  })
})
