// Who watches what, on a running server: the page, who may see it, and that a client that does not read is named.
import { once } from 'node:events'
import http2 from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WatcherStatus } from '../../src/handlers/watchers.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const AS_JSON = { headers: { accept: 'application/json' } }

const told: [string, Readonly<Record<string, unknown>>][] = []
let server: OpenServer
beforeAll(async () => {
  const warn = (fields: object, text: string): void => void told.push([text, { ...fields }])
  server = await openServer([], { ...SILENT_LOG, warn })
})
afterAll(() => server[Symbol.asyncDispose]())

async function openWatch(path: string, agent: string): Promise<http2.ClientHttp2Stream & Disposable> {
  const session = http2.connect(server.url, { ca: server.authority })
  const headers = { ':path': path, authorization: `Bearer ${server.adminToken}`, 'user-agent': agent }
  const stream = session.request(headers).on('error', () => {})
  await once(stream, 'response')
  return Object.assign(stream, { [Symbol.dispose]: () => session.destroy() })
}

async function watcherOf(agent: string): Promise<WatcherStatus | undefined> {
  const { watchers } = (await server.must('/debug/watchers', AS_JSON)) as { watchers: readonly WatcherStatus[] }
  return watchers.find((watcher) => watcher.agent === agent)
}

const create = (name: string, text = ''): Promise<{ metadata?: { resourceVersion?: string } }> =>
  server.must(MAPS, { method: 'POST', body: { metadata: { name, labels: { a: 'b' } }, data: { text } } })

it('tells who watches what and how far it is, to administrators alone', async () => {
  using stream = await openWatch(`${MAPS}?watch=1&labelSelector=a%3Db`, 'reader/1')
  stream.resume()
  const { metadata } = await create('seen')
  await expect.poll(async () => (await watcherOf('reader/1'))?.resourceVersion).toBe(metadata?.resourceVersion)
  const status = await watcherOf('reader/1')
  expect(status).toMatchObject({ resource: 'configmaps', namespace: 'default', labelSelector: 'a=b', lag: 0 })
  expect(status?.sentBytes).toBeGreaterThan(100)
  expect((await server.request('/debug/watchers')).body).toMatch(
    /\nUSER .*\n(.*\n)*\S+ +reader\/1 +configmaps +default /,
  )
  expect((await server.request('/debug/watchers', { token: '' })).status).toBe(403)
  const asJane = { headers: { 'impersonate-user': 'jane', 'impersonate-group': 'developers' } }
  expect((await server.request('/debug/watchers', asJane)).status).toBe(403)
  expect((await server.request('/')).body).not.toContain('/debug')
  stream.close()
  await expect.poll(() => watcherOf('reader/1')).toBeUndefined()
})

it('names a client that does not read within five seconds, and how late events are', async () => {
  using stream = await openWatch(`${MAPS}?watch=1&resourceVersion=0`, 'sleeper/1')
  stream.pause()
  for (let i = 0; i < 20; i++) await create(`large-${i}`, 'x'.repeat(100_000))
  const isNamed = (): boolean => told.some(([text, { agent }]) => text.endsWith('keep up') && agent === 'sleeper/1')
  await expect.poll(isNamed, { timeout: 5000 }).toBe(true)
  const status = (await watcherOf('sleeper/1'))!
  expect(status.waitingMs).toBeGreaterThanOrEqual(2000)
  expect(status.waitingBytes).toBeGreaterThan(10_000)
  expect(status.lag).toBeGreaterThan(5)
  const { body } = await server.request('/metrics')
  expect(body).toContain('quarterdeck_slow_watchers_total{group="",version="v1",resource="configmaps"} 1\n')
  expect(body).toMatch(/quarterdeck_watch_latency_seconds_count\{group="",version="v1",resource="configmaps"\} [1-9]/)
  expect(body).toMatch(/quarterdeck_watchers\{lag="100"\} 1\n/)
})

it('counts a client that begins anew again and again', async () => {
  const headers = { 'user-agent': 'looper/1' }
  for (let i = 0; i < 6; i++) {
    await server.must(MAPS, { headers })
    using stream = await openWatch(`${MAPS}?watch=1&resourceVersion=0`, 'looper/1')
    await expect.poll(() => watcherOf('looper/1')).toBeDefined()
    stream.close()
    await expect.poll(() => watcherOf('looper/1')).toBeUndefined()
  }
  expect(told.filter(([text]) => text === 'client relists in a loop')).toEqual([
    [expect.anything(), expect.objectContaining({ agent: 'looper/1', resource: 'configmaps' })],
  ])
  expect((await server.request('/metrics')).body).toMatch(
    /quarterdeck_relist_loops_total\{group="",resource="configmaps"\} [1-9]/,
  )
})
