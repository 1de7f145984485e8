// Conditions of queries, which every user may send: how long a small one that asks for much work holds the event loop up.
import { once } from 'node:events'
import http2 from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let server: OpenServer
beforeAll(async () => {
  server = await openServer()
  const text = 'a'.repeat(300_000)
  const data = { text, word: `b${text.slice(0, 150_000)}`, short: text.slice(0, 20_000) }
  await server.must(MAPS, { method: 'POST', body: { metadata: { name: 'long' }, data } })
})
afterAll(() => server?.[Symbol.asyncDispose]())

const repeated = (expression: string): string => `lists.range(10000).all(i, ${expression})`

const CONDITIONS: Readonly<Record<string, readonly [status: number, where: string]>> = {
  'a type that grows with each macro': [400, `[1]${'.map(a, {a: a})'.repeat(60)}.size() > 0`],
  'a macro that repeats its target': [400, `optional.of(1)${'.optMap(a, a)'.repeat(60)}.hasValue()`],
  'patterns of a million instructions': [400, `'a'.matches('${'a{1000}'.repeat(1000)}')`],
  'as many words as fit': [400, `[${'1,'.repeat(49_000)}1].size() > 0`],
  'as many words as may be': [200, `object.metadata.name in [${"'name',".repeat(2_900)}'x']`],
  'the characters of a text': [200, repeated('object.data.text.size() > 0')],
  'a word in a text': [200, repeated('object.data.text.lastIndexOf(object.data.word) < 0')],
  'patterns that objects make': [200, repeated("object.data.short.matches('(a?){' + string(i) + '}a{100}[bc]')")],
}

it.each(Object.entries(CONDITIONS))('%s', async (_, [expected, where]) => {
  const ask = async (): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await server.request(MAPS, { method: 'QUERY', headers, body: JSON.stringify({ where }) })
    expect(status, body.slice(0, 500)).toBe(expected)
  }
  await expectNoStall(() => longestStall(ask))
})

it('watches with large conditions are refused before they keep much memory', async () => {
  const where = encodeURIComponent("has(object.data) && object.metadata.name.matches('([a-z]{0,350}x[0-9]{0,350})')")
  const session = http2.connect(server.url, { ca: server.authority })
  const headers = {
    ':path': `${MAPS}?watch=true&where=${where}`,
    authorization: `Bearer ${server.adminToken}`,
  }
  const statuses: unknown[] = []
  while (statuses.length < 100 && statuses.at(-1) !== 429) {
    const [answer] = (await once(session.request(headers), 'response')) as [http2.IncomingHttpHeaders]
    statuses.push(answer[':status'])
  }
  session.destroy()
  expect(statuses.at(-1)).toBe(429)
})
