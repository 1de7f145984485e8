// How the server stops, as operators ask for it.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { expect, it } from 'vitest'
import { openServer } from '../rigs/running-server.ts'

interface Stopped {
  /** Of a request on a new connection while an old one was still being answered. */
  readonly newcomer: { readonly status: number; readonly retryAfter: string | undefined } | 'refused'
  /** The watch came to its end instead of breaking off. */
  readonly watchEnded: boolean
  readonly lateStatus: number
}

async function stopped(flags: readonly string[]): Promise<Stopped> {
  const server = await openServer(flags)
  const client = http2.connect(server.url, { rejectUnauthorized: false })
  client.on('error', () => {})
  const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
  const watch = client.request({ ':path': '/api/v1/pods?watch=1', ...headers })
  const ended = once(watch.resume(), 'end')
  await once(watch, 'response')
  const late = client.request({ ':method': 'POST', ':path': '/api/v1/namespaces/default/configmaps', ...headers })
  late.write('{"metadata":{"name":"late"}')
  await server.request('/version')
  const stopping = server[Symbol.asyncDispose]()
  await ended
  const newcomer = await ask(server.url)
  const answered = once(late.resume(), 'response') as Promise<[http2.IncomingHttpHeaders & { ':status'?: number }]>
  late.end('}')
  const [answer] = await answered
  await stopping
  client.destroy()
  return { newcomer, watchEnded: true, lateStatus: Number(answer[':status']) }
}

async function ask(url: string): Promise<Stopped['newcomer']> {
  const client = http2.connect(url, { rejectUnauthorized: false })
  client.on('error', () => {})
  const stream = client.request({ ':path': '/api/v1/pods' })
  stream.on('error', () => {})
  try {
    const [answer] = (await once(stream.resume(), 'response')) as [http2.IncomingHttpHeaders & { ':status'?: number }]
    return { status: Number(answer[':status']), retryAfter: answer['retry-after'] }
  } catch {
    return 'refused'
  } finally {
    client.destroy()
  }
}

it('watches are ended, what is under way is finished, newcomers find the port closed (P-250)', async () => {
  expect(await stopped([])).toEqual({ newcomer: 'refused', watchEnded: true, lateStatus: 201 })
})

it('newcomers are told to try again where the operator wants that (P-251, P-253)', async () => {
  const flags = ['--shutdown-send-retry-after', '--shutdown-watch-termination-grace-period', '1s']
  const newcomer = { status: 429, retryAfter: '5' }
  expect(await stopped(flags)).toEqual({ newcomer, watchEnded: true, lateStatus: 201 })
})

it('for the shutdown delay requests are answered, and clients asked to reconnect', async () => {
  const server = await openServer(['--shutdown-delay-duration', '1s'])
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  const session = http2.connect(server.url, { rejectUnauthorized: false })
  await once(session, 'connect')
  const askOnKept = async (): Promise<readonly [number, string | undefined]> => {
    const headers = { authorization: `Bearer ${server.adminToken}` }
    const request = https.get(`${server.url}/api/v1/namespaces/default`, { agent, headers })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    return [response.statusCode ?? 0, response.headers.connection]
  }
  expect(await askOnKept()).toEqual([200, expect.not.stringContaining('close')])
  const farewell = once(session, 'goaway')
  const stopping = server[Symbol.asyncDispose]()
  expect(await askOnKept()).toEqual([200, 'close'])
  await farewell
  await stopping
  agent.destroy()
  session.destroy()
})
