// Watches of browsers: what `EventSource` is sent, that it resumes, and who gets none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EventReader, type EventSourceOptions, type StreamEvent } from '../fakes/event-source.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const PROTOCOLS = ['http/1.1', 'h2'] as const
const ORIGIN = 'https://pages.example'

let server: OpenServer
beforeAll(async () => {
  server = await openServer(['--cors-allowed-origins', '^https://pages\\.example$'])
})
afterAll(() => server[Symbol.asyncDispose]())

async function inNamespace(name: string): Promise<string> {
  await server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
  return `/api/v1/namespaces/${name}/configmaps`
}

async function create(maps: string, name: string, data: object = {}): Promise<void> {
  await server.must(maps, { method: 'POST', body: { metadata: { name }, data } })
}

function readerOf(path: string, more: Partial<EventSourceOptions> = {}): EventReader {
  const headers = { authorization: `Bearer ${server.adminToken}`, ...more.headers }
  return new EventReader({
    url: `${server.url}${path}`,
    authority: server.authority,
    protocol: 'http/1.1',
    ...more,
    headers,
  })
}

const named = ({ type, data }: StreamEvent): string => {
  const { name, resourceVersion } = data['metadata'] as { readonly name?: string; readonly resourceVersion: string }
  return `${type} ${name ?? ''} ${resourceVersion}`
}

const isBookmark = ({ type }: StreamEvent): boolean => type === 'BOOKMARK'

describe.each(PROTOCOLS)('a watch as an event stream over %s', (protocol) => {
  it('tells the state without ids, then where it ends, then what changes', async () => {
    const maps = await inNamespace(`told-${protocol === 'h2' ? 2 : 1}`)
    await create(maps, 'b')
    await create(maps, 'a')
    const reader = readerOf(`${maps}?watch=1`, { protocol, headers: { origin: ORIGIN } })
    const begun = reader.connect({ isEnough: () => reader.events.some(({ type }) => type === 'DELETED') })
    await expect.poll(() => reader.events.some(isBookmark)).toBe(true)
    await server.must(`${maps}/a`, { method: 'DELETE' })
    const { status, headers } = await begun
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'text/event-stream', 'access-control-allow-origin': ORIGIN })
    const names = reader.events.map(named).map((text) => text.split(' ', 2).join(' '))
    const own = names.filter((name) => !name.includes('kube-root-ca'))
    expect(own).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK ', 'DELETED a'])
    for (const event of reader.events) {
      const version = named(event).split(' ')[2]
      expect(event.id).toBe(event.type === 'ADDED' ? '' : version)
    }
  })

  it('begins anew where it is cut in the middle of the state, and resumes where it is cut at its end', async () => {
    const maps = await inNamespace(`state-${protocol === 'h2' ? 2 : 1}`)
    for (let i = 0; i < 20; i++) await create(maps, `m-${i}`)
    const reader = readerOf(`${maps}?watch=1`, { protocol })
    await reader.connect({ cutAfter: 2000 })
    expect(reader.events.length).toBeGreaterThan(1)
    expect(reader.lastId).toBe('')
    reader.events.length = 0
    await reader.connect({ isEnough: () => reader.events.some(isBookmark) })
    const names = reader.events.map(({ data }) => (data['metadata'] as { readonly name?: string }).name)
    expect(names).toEqual(expect.arrayContaining(Array.from({ length: 20 }, (_, i) => `m-${i}`)))
    reader.events.length = 0
    await create(maps, 'new')
    await reader.connect({ isEnough: () => reader.events.length > 0 })
    expect(reader.events[0]).toMatchObject({ type: 'ADDED', data: { metadata: { name: 'new' } } })
  })

  it('misses nothing and tells nothing twice, however often it is cut', { timeout: 60_000 }, async () => {
    const maps = await inNamespace(`cut-${protocol === 'h2' ? 2 : 1}`)
    const list = await server.must(maps)
    const { resourceVersion } = list['metadata'] as { readonly resourceVersion: string }
    const path = `${maps}?watch=1&resourceVersion=${resourceVersion}`
    const [cutting, steady] = [readerOf(path, { protocol }), readerOf(path, { protocol })]
    const isEnd = ({ data }: StreamEvent): boolean => (data['metadata'] as { name?: string }).name === 'end'
    const compared = steady.connect({ isEnough: () => steady.events.some(isEnd) })
    const enough = new AbortController()
    const written = (async () => {
      for (let i = 0; !enough.signal.aborted; i++) {
        await create(maps, `m-${i}`, { filler: 'x'.repeat((i * 97) % 1500) })
        if (i % 3 === 0) await server.must(`${maps}/m-${i}`, { method: 'DELETE' })
      }
      await create(maps, 'end')
    })()
    for (let cuts = 0; cuts < 100; cuts++) await cutting.connect({ cutAfter: 1 + ((cuts * 1237) % 4000) })
    enough.abort()
    await written
    await cutting.connect({ isEnough: () => cutting.events.some(isEnd) })
    await compared
    const told = ({ events }: EventReader): string[] => events.filter((event) => !isBookmark(event)).map(named)
    expect(told(cutting)).toEqual(told(steady))
    expect(told(cutting).length).toBeGreaterThan(100)
  })
})

describe('what is no event stream', () => {
  it('is refused as before: a list, a version that is none, somebody who may not', async () => {
    const maps = '/api/v1/configmaps'
    const headers = { accept: 'text/event-stream' }
    expect((await server.request(maps, { headers })).status).toBe(406)
    const wrong = await server.request(`${maps}?watch=1`, { headers: { ...headers, 'last-event-id': 'x' } })
    expect(wrong.status).toBe(400)
    expect((await server.request(`${maps}?watch=1`, { headers, token: '' })).status).toBe(403)
  })
})
