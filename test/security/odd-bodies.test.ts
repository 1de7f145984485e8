// Bodies that are deep, odd or not what they say: refused, soon, and never with a fault of ours (hardening 4.4).
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
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

describe.each([
  ['in place', ['--in-place-milliseconds=999999']],
  ['in a thread', ['--in-place-milliseconds=0']],
])('metadata that is missing or wrong, in a write that runs %s', (_, flags) => {
  const names = { plural: 'things', kind: 'Thing' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const version = { name: 'v1', served: true, storage: true, schema }
  const definition = { group: 'example.com', scope: 'Namespaced', names, versions: [version] }
  const PLACES = [
    ['a config map', MAPS, { apiVersion: 'v1', kind: 'ConfigMap' }],
    [
      'a custom object',
      '/apis/example.com/v1/namespaces/default/things',
      { apiVersion: 'example.com/v1', kind: 'Thing' },
    ],
  ] as const
  const METADATA = [undefined, null, [], '', 5, { name: 5 }, { name: null }, { name: [] }, { namespace: {} }]
  let threaded: OpenServer

  beforeAll(async () => {
    threaded = await openServer(flags)
    const body = { metadata: { name: 'things.example.com' }, spec: definition }
    await threaded.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body })
    await vi.waitUntil(async () => (await threaded.request(PLACES[1][1])).status === 200)
    for (const [, place, type] of PLACES) {
      await threaded.must(place, { method: 'POST', body: { ...type, metadata: { name: 'there' } } })
    }
  })
  afterAll(() => threaded[Symbol.asyncDispose]())

  it.each(PLACES)('of %s is no fault of ours', async (_name, place, type) => {
    const answers: string[] = []
    for (const metadata of METADATA) {
      const body = JSON.stringify({ ...type, ...(metadata === undefined ? {} : { metadata }) })
      for (const [method, path, contentType] of [
        ['POST', place, 'application/json'],
        ['PUT', `${place}/there`, 'application/json'],
        ['PUT', `${place}/new`, 'application/json'],
        ['PATCH', `${place}/there`, 'application/merge-patch+json'],
        ['PATCH', `${place}/there?fieldManager=m`, 'application/apply-patch+yaml'],
        ['PATCH', `${place}/new?fieldManager=m`, 'application/apply-patch+yaml'],
        ['DELETE', `${place}/absent`, 'application/json'],
      ] as const) {
        const { status } = await threaded.request(path, { method, headers: { 'content-type': contentType }, body })
        if (status >= 500) answers.push(`${method} ${path} ${body}: ${status}`)
      }
    }
    expect(answers).toEqual([])
  })
})
