// Bodies that are deep, odd or not what they say: refused, soon, and never with a fault of ours (hardening 4.4).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processTimed } from '../rigs/processor-time.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

let server: OpenServer

beforeAll(async () => {
  server = await openServer()
  await server.must(MAPS, { method: 'POST', body: { metadata: { name: 'm' }, data: { a: 'x'.repeat(1000) } } })
})

afterAll(() => server[Symbol.asyncDispose]())

const MAPS = '/api/v1/namespaces/default/configmaps'

interface Timed {
  readonly status: number
  readonly body: string
  readonly milliseconds: number
}

async function send(method: string, place: string, type: string, body: string): Promise<Timed> {
  const headers = { 'content-type': type }
  const { result, milliseconds } = await processTimed(() => server.request(place, { method, headers, body }))
  return { status: result.status, body: result.body, milliseconds }
}

describe('bodies that are deep, odd or not what they say', () => {
  it.each([
    ['deep JSON', 'application/json', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['a deep list', 'application/json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['long numbers', 'application/json', `{"metadata":{"name":"n"},"data":{"a":${'9'.repeat(100_000)}}}`],
    ['broken text', 'application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22]).toString('latin1')],
    ['protobuf that is none', 'application/vnd.kubernetes.protobuf', 'k8s\0\xff\xff\xff\xff\x0f'],
    ['protobuf of nothing', 'application/vnd.kubernetes.protobuf', 'k8s\0'],
    ['CBOR where it is off', 'application/cbor', '\xd9\xd9\xf7\xa0'],
    ['no type at all', '', '{}'],
    ['a type that is none', 'a/b/c;;;', '{}'],
  ])('%s is answered with 4xx', async (_name, type, body) => {
    const answer = await send('POST', MAPS, type, body)
    expect(answer.status, answer.body.slice(0, 300)).toBeGreaterThanOrEqual(400)
    expect(answer.status, answer.body.slice(0, 300)).toBeLessThan(500)
    expect(answer.milliseconds).toBeLessThan(10_000)
  })
})
