// A server in this process whose time is moved by hand: what goes by it happens when it is moved, and not before.
import { request as sendRequest } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Server, startServer } from '../../src/index.ts'
import { newHome } from '../rigs/server-process.ts'
import { reachServer, type ServerAnswer, type ServerCall } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const HOUR_MS = 3_600_000

/** Requests as the administrator, or with a token. */
async function ask(server: Server, path: string, call: ServerCall = {}): Promise<ServerAnswer> {
  const { url, ca = '', token } = server.credentials()
  await using reached = reachServer({ url, authority: ca, adminToken: token }, async () => {})
  return await reached.request(path, call)
}

async function must(server: Server, path: string, body?: object, method = 'POST'): Promise<Record<string, unknown>> {
  const answer = await ask(server, path, body === undefined ? {} : { method, body })
  expect(answer.status, answer.body).toBeLessThan(300)
  return answer.json()
}

/** A watch whose events are gathered as they come. */
async function follow(server: Server, path: string) {
  const { url, ca = '', token } = server.credentials()
  const sent = sendRequest(`${url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const seen = { text: '', isOver: false }
  response.setEncoding('utf8').on('data', (chunk: string) => (seen.text += chunk))
  response.on('close', () => (seen.isOver = true))
  return {
    types: () => [...seen.text.matchAll(/"type":"([A-Z]+)"/g)].map(([, type]) => type),
    isOver: () => seen.isOver,
    [Symbol.dispose]: () => void sent.destroy(),
  }
}

describe('virtual time', () => {
  it('begins at the same moment for everybody, stands still, and is what objects and answers bear', async () => {
    await using server = await startServer({ clock: 'virtual' })
    expect(server.clock.now()).toBe(Date.UTC(2026, 0, 1))
    await server.clock.advance('90m')
    const answer = await ask(server, MAPS, { method: 'POST', body: { metadata: { name: 'a' } } })
    expect(answer.json()).toMatchObject({ metadata: { creationTimestamp: '2026-01-01T01:30:00Z' } })
    expect(answer.headers.date).toBe('Thu, 01 Jan 2026 01:30:00 GMT')
    await server.clock.advance('3h')
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const table = await ask(server, `${MAPS}/a`, { headers: { accept } })
    expect(table.json()).toMatchObject({ rows: [{ cells: ['a', 0, '3h'] }] })
    expect(server.clock.now()).toBe(Date.UTC(2026, 0, 1, 4, 30))
  })

  it.each([
    ['in memory', undefined],
    ['on disk', newHome],
  ])('lets events expire, %s', async (_name, makeFolder) => {
    const dataDir = await makeFolder?.()
    await using server = await startServer({ clock: 'virtual', ...(dataDir === undefined ? {} : { dataDir }) })
    const involvedObject = { kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await must(server, '/api/v1/namespaces/default/events', { metadata: { name: 'e' }, involvedObject })
    const path = '/api/v1/namespaces/default/events/e'
    await server.clock.advance(HOUR_MS - 1)
    expect((await ask(server, path)).status).toBe(200)
    await server.clock.advance(1)
    expect((await ask(server, path)).status).toBe(404)
  })

  it('lets tokens expire', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const spec = { expirationSeconds: 600 }
    const accounts = '/api/v1/namespaces/default/serviceaccounts/default/token'
    const { status } = await must(server, accounts, {
      spec,
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
    })
    expect(status).toMatchObject({ expirationTimestamp: '2026-01-01T00:10:00Z' })
    const { token } = status as { token: string }
    expect((await ask(server, '/api', { token })).status).toBe(200)
    await server.clock.advance('9m')
    expect((await ask(server, '/api', { token })).status).toBe(200)
    // A minute is forgiven, as clocks differ.
    await server.clock.advance('3m')
    expect((await ask(server, '/api', { token })).status).toBe(401)
  })

  it('sends bookmarks and ends watches, and nothing else that is under way', async () => {
    await using server = await startServer({ clock: 'virtual', flags: { 'request-timeout': '30s' } })
    using watch = await follow(server, `${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=300`)
    await server.clock.advance('2m')
    await expect.poll(() => watch.types().filter((type) => type === 'BOOKMARK').length).toBe(2)
    expect(watch.isOver()).toBe(false)
    // It waits for a state that is not there yet, by the time that its client knows.
    const future = ask(server, `${MAPS}?resourceVersion=1000000&resourceVersionMatch=NotOlderThan`)
    await server.clock.advance('10m')
    await expect.poll(() => watch.isOver()).toBe(true)
    expect((await future).json()).toMatchObject({
      message: expect.stringContaining('Too large resource version') as string,
    })
  })

  it('takes the past away', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const { metadata } = await must(server, MAPS, { metadata: { name: 'a' } })
    const { resourceVersion } = metadata as { resourceVersion: string }
    const past = `${MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`
    await must(server, MAPS, { metadata: { name: 'b' } })
    const { items } = (await ask(server, past)).json() as { items: { metadata: { name: string } }[] }
    expect(items.map((item) => item.metadata.name)).toEqual(['a', 'kube-root-ca.crt'])
    await server.clock.advance('20m')
    await must(server, MAPS, { metadata: { name: 'c' } })
    expect((await ask(server, past)).status).toBe(410)
  })

  it('has leases renewed', async () => {
    await using server = await startServer({ clock: 'virtual' })
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
    const renewed = async (): Promise<unknown> => {
      const { items } = (await must(server, leases)) as { items: { spec: { renewTime: string } }[] }
      return items.map(({ spec }) => spec.renewTime)
    }
    const before = (await renewed()) as string[]
    expect(before).toHaveLength(1)
    await server.clock.advance('1h')
    const [after = ''] = (await renewed()) as string[]
    expect(Date.parse(after)).toBeGreaterThan(server.clock.now() - 15_000)
  })

  it('does not keep controllers from what has nothing to do with time', async () => {
    await using server = await startServer({ clock: 'virtual' })
    await must(server, '/api/v1/namespaces', { metadata: { name: 'n' } })
    const maps = '/api/v1/namespaces/n/configmaps'
    const { metadata } = await must(server, maps, { metadata: { name: 'owner' } })
    const { uid } = metadata as { uid: string }
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
    await must(server, maps, { metadata: { name: 'owned', ownerReferences } })
    await ask(server, `${maps}/owner`, { method: 'DELETE' })
    await expect.poll(async () => (await ask(server, `${maps}/owned`)).status).toBe(404)
    await ask(server, '/api/v1/namespaces/n', { method: 'DELETE' })
    await expect.poll(async () => (await ask(server, '/api/v1/namespaces/n')).status).toBe(404)
  })

  it('goes on in a fork from where it is, and by itself from then on', async () => {
    await using server = await startServer({ clock: 'virtual' })
    await server.clock.advance('30m')
    const involvedObject = { kind: 'ConfigMap', namespace: 'default', name: 'a' }
    const events = '/api/v1/namespaces/default/events'
    await must(server, events, { metadata: { name: 'e' }, involvedObject })
    await using fork = await server.fork()
    expect(fork.clock.now()).toBe(server.clock.now())
    await fork.clock.advance('1h')
    expect(fork.clock.now()).toBe(server.clock.now() + HOUR_MS)
    expect((await ask(fork, `${events}/e`)).status).toBe(404)
    expect((await ask(server, `${events}/e`)).status).toBe(200)
    expect(await must(fork, MAPS, { metadata: { name: 'm' } })).toMatchObject({
      metadata: { creationTimestamp: '2026-01-01T01:30:00Z' },
    })
  })

  it('is not there where it is not asked for', async () => {
    await using server = await startServer()
    expect(Math.abs(server.clock.timeOfDay() - Date.now())).toBeLessThan(1000)
    await expect(server.clock.advance('1h')).rejects.toThrow("start the server with startServer({ clock: 'virtual' })")
  })
})
