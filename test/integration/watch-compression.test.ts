// Watches that begin with the state are compressed for clients that take gzip: what is sent can be read at once, in every part.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { createGunzip, createInflateRaw, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const STATE = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
const LIST = `${STATE}&allowWatchBookmarks=true`
const GZIP = { 'accept-encoding': 'deflate, gzip' }
/** Objects of 10 KB: more than what is sent at once. */
const MANY = 40

let server: OpenServer
beforeAll(async () => {
  server = await openServer(['--emulated-version=1.37'])
  for (let i = 0; i < MANY; i++) {
    const metadata = { name: `m${100 + i}`, labels: { many: 'yes' } }
    await server.must(MAPS, { method: 'POST', body: { metadata, data: { text: `${i} `.repeat(3_000) } } })
  }
})
afterAll(() => server?.[Symbol.asyncDispose]())

interface Following {
  readonly headers: IncomingMessage['headers']
  readonly text: () => string
  readonly receivedBytes: () => number
}

function follow(body: Readable, headers: IncomingMessage['headers']): Following {
  let text = ''
  let bytes = 0
  body.on('data', (chunk: Buffer) => (bytes += chunk.length))
  // It is cut off when the test ends.
  const gunzip = createGunzip().on('error', () => undefined)
  const plain = headers['content-encoding'] === 'gzip' ? body.pipe(gunzip) : body
  plain.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { headers, text: () => text, receivedBytes: () => bytes }
}

async function watch(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Following> {
  const { url, authority: ca, adminToken } = server
  const all = { authorization: `Bearer ${adminToken}`, ...headers }
  const request = https.get(`${url}${MAPS}?${query}`, { agent: false, ca, headers: all })
  request.on('error', () => undefined)
  onTestFinished(() => void request.destroy())
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return follow(answer, answer.headers)
}

const namesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name?: string } } }
      return `${type} ${object.metadata.name ?? ''}`.trim()
    })

const put = (name: string, text: string): Promise<unknown> =>
  server.must(`${MAPS}/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { data: { text } },
  })

const ADDED = Array.from({ length: MANY }, (_, i) => `ADDED m${100 + i}`)

describe('a watch that begins with the state', () => {
  it('is compressed, and each change can be read when it comes', async () => {
    const followed = await watch(`${LIST}&labelSelector=many`, GZIP)
    expect(followed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    await expect.poll(() => namesIn(followed.text())).toEqual([...ADDED, 'BOOKMARK'])
    expect(followed.receivedBytes()).toBeLessThan(followed.text().length / 5)
    for (let round = 1; round <= 3; round++) {
      await put('m100', `small ${round}`)
      await expect.poll(() => namesIn(followed.text()).length).toBe(MANY + 1 + round)
    }
    expect(followed.text()).toContain('small 3')
  })

  it('is compressed over HTTP/2, for several watchers of the same', async () => {
    const { url, authority: ca, adminToken } = server
    const session = http2.connect(url, { ca })
    onTestFinished(() => session.destroy())
    const all = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const headers = { authorization: `Bearer ${adminToken}`, ...GZIP }
        const stream = session.request({ ':path': `${MAPS}?${LIST}&labelSelector=many`, ...headers })
        const [answer] = (await once(stream, 'response')) as [IncomingMessage['headers']]
        return follow(stream, answer)
      }),
    )
    await put('m101', 'for all')
    for (const followed of all) {
      expect(followed.headers['content-encoding']).toBe('gzip')
      await expect.poll(() => namesIn(followed.text()).at(-1)).toBe('MODIFIED m101')
      expect(followed.text()).toContain('for all')
    }
  })

  it('is one stream of gzip: some clients wait for the next one before they read the end of one', async () => {
    const { url, authority: ca, adminToken } = server
    const headers = { authorization: `Bearer ${adminToken}`, ...GZIP }
    const request = https.get(`${url}${MAPS}?${LIST}&timeoutSeconds=2`, { agent: false, ca, headers })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const plain = createInflateRaw()
    let text = ''
    plain.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const received: Buffer[] = []
    answer.on('data', (chunk: Buffer) => {
      const before = Buffer.concat(received).length
      received.push(chunk)
      plain.write(chunk.subarray(Math.max(0, 10 - before)))
    })
    const ended = once(answer, 'end')
    await expect.poll(() => text).toContain('BOOKMARK')
    await put('m102', 'in one stream')
    await expect.poll(() => text).toContain('in one stream')
    await ended
    // With a checksum that fits.
    expect(gunzipSync(Buffer.concat(received)).toString()).toBe(text)
  })

  it('ends as it began where its time is over', async () => {
    const followed = await watch(`${LIST}&labelSelector=many&timeoutSeconds=1`, GZIP)
    await expect.poll(() => namesIn(followed.text()).slice(0, MANY)).toEqual(ADDED)
  })

  it('may be in protobuf', async () => {
    const accept = 'application/vnd.kubernetes.protobuf;stream=watch'
    const followed = await watch(LIST, { ...GZIP, accept })
    expect(followed.headers['content-encoding']).toBe('gzip')
    await expect.poll(() => followed.text()).toContain('m139')
  })
})

describe('what is not compressed', () => {
  it.each([
    ['a client that does not take it', LIST, {}],
    ['a client that takes something else', LIST, { 'accept-encoding': 'br' }],
    ['a watch without bookmarks', STATE, GZIP],
    ['a watch of changes alone', 'watch=1&resourceVersion=1&allowWatchBookmarks=true', GZIP],
    ['events for a browser', LIST, { ...GZIP, accept: 'text/event-stream' }],
  ])('%s', async (_, query, headers) => {
    const followed = await watch(query, headers)
    expect(followed.headers).not.toHaveProperty('content-encoding')
    if (!query.includes('resourceVersion=1')) await expect.poll(() => followed.text()).toContain('m139')
  })

  it('a server without the gate', async () => {
    await using other = await openServer(['--emulated-version=1.37', '--feature-gates=WatchListCompression=false'])
    const { headers } = await other.request(`${MAPS}?${LIST}&timeoutSeconds=1`, { headers: GZIP })
    expect(headers).not.toHaveProperty('content-encoding')
  })
})
