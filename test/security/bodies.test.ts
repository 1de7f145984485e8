// Bodies that are made to hurt, on the whole server: rows of the hardening list about patches, YAML, names of members and
// patterns. Each is answered in time, and the server goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processTimed } from '../rigs/processor-time.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

let server: OpenServer
beforeAll(async () => {
  server = await openServer()
  await server.must(MAPS, {
    method: 'POST',
    body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'target' } },
  })
  // What is loaded and compiled by the first request of its kind is not what is measured.
  await patch('application/json-patch+json', [])
  await post('application/yaml', 'a: b')
})
afterAll(() => server?.[Symbol.asyncDispose]())

function patch(type: string, body: object | string, path = `${MAPS}/target`): Promise<ServerAnswer> {
  return server.request(path, { method: 'PATCH', headers: { 'content-type': type }, body })
}

function post(type: string, body: string): Promise<ServerAnswer> {
  return server.request(MAPS, { method: 'POST', headers: { 'content-type': type }, body })
}

/** The answer, and what it cost: processor time, because the machine may be busy, and a bound on what grows without end. */
async function timed(work: () => Promise<ServerAnswer>): Promise<{ answer: ServerAnswer; milliseconds: number }> {
  const { result, milliseconds } = await processTimed(work)
  return { answer: result, milliseconds }
}

const MAX_MILLISECONDS = 10_000

describe('CVE-2019-1002100: JSON patches that grow', () => {
  it('of more than 10,000 operations are refused (W-173, P-230)', async () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }))
    expect((await patch('application/json-patch+json', operations)).status).toBe(413)
  })

  it('by copying what was copied are refused at once, without the memory (W-185)', async () => {
    const doubling = [
      { op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } },
      ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/n${i}` })),
    ]
    const before = process.memoryUsage().heapUsed
    const { answer, milliseconds } = await timed(() => patch('application/json-patch+json', doubling))
    expect(answer.status).toBe(422)
    expect(milliseconds).toBeLessThan(MAX_MILLISECONDS)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('CVE-2019-11253: YAML that unfolds', () => {
  const laughs = [
    'a: &a ["x","x","x","x","x","x","x","x","x"]',
    ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((key, i) => {
      const before = 'abcdefgh'[i]!
      return `${key}: &${key} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`
    }),
  ].join('\n')
  const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n${laughs}\n`
  const ways: readonly [string, () => Promise<ServerAnswer>][] = [
    ['as a body', () => post('application/yaml', bomb)],
    ['as an apply', () => patch('application/apply-patch+yaml', bomb, `${MAPS}/bomb?fieldManager=me`)],
    ['behind the start of a document', () => post('application/yaml', `---\n${bomb}---\n${bomb}`)],
  ]
  it.each(ways)('is refused at once %s', async (_name, work) => {
    const { answer, milliseconds } = await timed(work)
    expect(answer.status).toBe(400)
    expect(milliseconds).toBeLessThan(MAX_MILLISECONDS)
  })
})

describe('CVE-2019-11254: YAML that is slow to read', () => {
  const SIZE = 2_900_000
  const slow: readonly [string, string][] = [
    ['nested lists', '[ '.repeat(SIZE / 2)],
    ['nested maps', '{a: '.repeat(SIZE / 4)],
    ['lines of growing indents', Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['quotes that never end', `a: "${'\\\\'.repeat(SIZE / 2)}`],
    ['dashes', '- '.repeat(SIZE / 2)],
    ['colons', 'a: '.repeat(SIZE / 3)],
    ['anchors', Array.from({ length: 100_000 }, (_, i) => `- &a${i} x`).join('\n')],
    ['unindented lines in quotes', `a: "${'\nb'.repeat(SIZE / 2)}"`],
    ['comments', '#\n'.repeat(SIZE / 2)],
    ['blank lines', `a:\n${' \n'.repeat(SIZE / 2)}`],
    ['question marks', '? '.repeat(SIZE / 2)],
    ['tags', '!a '.repeat(SIZE / 3)],
    ['tabs', '\t'.repeat(SIZE)],
  ]
  it.each(slow)('is read or refused in time: %s', async (_name, text) => {
    const { answer, milliseconds } = await timed(() => post('application/yaml', text))
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(milliseconds).toBeLessThan(MAX_MILLISECONDS)
  })
})

describe('Prototype pollution', () => {
  const KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
  const isClean = (): void => {
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(typeof {}.toString).toBe('function')
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  }
  const data = (key: string): string => `{"data":{${JSON.stringify(key)}:"x"},"metadata":{"labels":{"polluted":"no"}}}`

  it.each(KEYS)('members called %s are data on every way in and out', async (key) => {
    const name = `keys-${KEYS.indexOf(key)}`
    const head = `"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}`
    const body = `{${head},"data":{${JSON.stringify(key)}:"first"}}`
    expect((await post('application/json', body)).status).toBe(201)
    const ways: readonly [string, string][] = [
      ['application/merge-patch+json', data(key)],
      ['application/strategic-merge-patch+json', data(key)],
      ['application/apply-patch+yaml', `{${head},"data":{${JSON.stringify(key)}:"x"}}`],
      ['application/json-patch+json', JSON.stringify([{ op: 'add', path: `/data/${key}`, value: 'x' }])],
    ]
    for (const [type, text] of ways) {
      const force = type.includes('apply') ? '&force=true' : ''
      const answer = await patch(type, text, `${MAPS}/${name}?fieldManager=me${force}`)
      expect([type, answer.status, answer.body.slice(0, 200)]).toEqual([type, 200, answer.body.slice(0, 200)])
      isClean()
    }
    const stored = await server.must(`${MAPS}/${name}`)
    expect(Object.entries(stored['data'] as object)).toContainEqual([key, 'x'])
  })

  it('deep paths and polluted members lead nowhere', async () => {
    const bodies: readonly [string, string][] = [
      ['application/merge-patch+json', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
      [
        'application/strategic-merge-patch+json',
        '{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}',
      ],
      ['application/json-patch+json', '[{"op":"add","path":"/__proto__/polluted","value":1}]'],
      ['application/json-patch+json', '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]'],
      ['application/json-patch+json', '[{"op":"copy","from":"/metadata","path":"/__proto__"}]'],
      [
        'application/apply-patch+yaml',
        '{"apiVersion":"v1","kind":"ConfigMap","__proto__":{"polluted":1},"metadata":{"name":"target","__proto__":{"polluted":1}}}',
      ],
    ]
    for (const [type, body] of bodies) {
      const answer = await patch(type, body, `${MAPS}/target?fieldManager=me`)
      expect(answer.status).toBeLessThan(500)
      isClean()
    }
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {<<: {__proto__: x}, constructor: y}\n'
    expect((await post('application/yaml', yaml)).status).toBeLessThan(500)
    isClean()
  })
})

describe('ReDoS: patterns that users write', () => {
  it('take no time that grows with their tricks', async () => {
    const definition = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'slows.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'slows', singular: 'slow', kind: 'Slow' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  a: { type: 'string', pattern: '^(a+)+$', maxLength: 1000 },
                  b: {
                    type: 'string',
                    maxLength: 1000,
                    'x-kubernetes-validations': [{ rule: "self.matches('^(a|a)*$')" }],
                  },
                },
              },
            },
          },
        ],
      },
    }
    await server.must(CRD, { method: 'POST', body: definition })
    const evil = `${'a'.repeat(900)}!`
    const slows = '/apis/example.com/v1/namespaces/default/slows'
    const head = { kind: 'Slow', apiVersion: 'example.com/v1', metadata: { name: 's' } }
    for (const field of ['a', 'b']) {
      const { answer, milliseconds } = await timed(() =>
        server.request(slows, { method: 'POST', body: { ...head, [field]: evil } }),
      )
      expect([field, answer.status]).toEqual([field, 422])
      expect(milliseconds).toBeLessThan(MAX_MILLISECONDS)
    }
  })
})
