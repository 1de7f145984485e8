// Names and places that lead elsewhere, on the whole server: rows of the hardening list about storage paths, scopes, metrics,
// terminal escapes and secrets that are told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../src/lib/log.ts'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const lines: string[] = []
const log: Log = {
  debug: (fields, message) => void lines.push(JSON.stringify([fields, message])),
  info: (fields, message) => void lines.push(JSON.stringify([fields, message])),
  warn: (fields, message) => void lines.push(JSON.stringify([fields, message])),
  error: (fields, message) => void lines.push(JSON.stringify([fields, message])),
}

let server: OpenServer
beforeAll(async () => {
  server = await openServer([], log)
})
afterAll(() => server?.[Symbol.asyncDispose]())

function map(name: string, more: object = {}): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, ...more }
}

function definition(plural: string, scope = 'Namespaced'): object {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: {
        plural,
        singular: `${plural}one`,
        kind: `K${plural.replaceAll('-', '')}`,
        listKind: `L${plural.replaceAll('-', '')}`,
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
}

describe('CVE-2015-5305: names are no paths', () => {
  const bad: readonly string[] = [
    'a/b',
    '..',
    '.',
    '../../secrets/default/x',
    'a\u0000b',
    '%2e%2e',
    'x'.repeat(10_000),
    'A_b',
    '-',
  ]
  it.each(bad)('no object is called %j', async (name) => {
    const answer = await server.request(MAPS, { method: 'POST', body: map(name) })
    expect([400, 422]).toContain(answer.status)
    const inNamespace = { ...map('a'), metadata: { name: 'a', namespace: name } }
    expect([400, 404, 422]).toContain((await server.request(MAPS, { method: 'POST', body: inNamespace })).status)
  })

  const paths: readonly string[] = [
    `${MAPS}/..%2f..%2fsecrets`,
    `${MAPS}/%2e%2e`,
    `${MAPS}/a%00b`,
    `${MAPS}/${'x'.repeat(10_000)}`,
    '/api/v1/namespaces/..%2f..%2fkube-system/configmaps',
    '/api/v1/namespaces/%2e%2e/configmaps/x',
    '/api/v1//namespaces//default//secrets',
    '/api/v1/namespaces/default/../kube-system/configmaps',
  ]
  it.each(paths)('%s leads nowhere', async (target) => {
    const answer = await server.request(target)
    expect([301, 400, 404, 414, 431]).toContain(answer.status)
  })
})

describe('CVE-2022-3162 and CVE-2019-11247: types are kept apart', () => {
  const PLURALS: readonly string[] = ['foo', 'foos', 'foo-x']
  beforeAll(async () => {
    for (const plural of PLURALS) await server.must(CRD, { method: 'POST', body: definition(plural) })
    await server.must(CRD, { method: 'POST', body: definition('wide', 'Cluster') })
    for (const plural of PLURALS) {
      const kind = `K${plural.replaceAll('-', '')}`
      await server.must(`/apis/example.com/v1/namespaces/default/${plural}`, {
        method: 'POST',
        body: { kind, apiVersion: 'example.com/v1', metadata: { name: `of-${plural}` } },
      })
    }
    await server.must('/apis/example.com/v1/wide', {
      method: 'POST',
      body: { kind: 'Kwide', apiVersion: 'example.com/v1', metadata: { name: 'w' } },
    })
  })

  it.each(PLURALS)('a list of %s holds nothing of the types whose names begin alike (R-182)', async (plural) => {
    for (const place of ['/apis/example.com/v1', '/apis/example.com/v1/namespaces/default']) {
      const list = (await server.must(`${place}/${plural}`)) as unknown as {
        readonly items: readonly { readonly metadata: { readonly name: string } }[]
      }
      expect(list.items.map(({ metadata }) => metadata.name)).toEqual([`of-${plural}`])
    }
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    '%s of what is the cluster’s finds nothing in a namespace (W-021, P-368)',
    async (method) => {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: { kind: 'Kwide', metadata: { name: 'w' } } }
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
      const answer = await server.request('/apis/example.com/v1/namespaces/default/wide/w', {
        method,
        headers,
        ...body,
      })
      expect(answer.status).toBe(404)
      expect((await server.request('/apis/example.com/v1/namespaces/default/wide')).status).toBe(404)
    },
  )
})

describe('CVE-2020-8552: what clients make up is no label of a metric', () => {
  it('series are bounded, whatever is asked by whomever', async () => {
    const series = async (): Promise<number> =>
      (await server.request('/metrics')).body.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
    const ask = async (i: number): Promise<void> => {
      const made = `made-up-${i}`
      await Promise.all([
        server.request(`/${made}`, { headers: { 'user-agent': made } }),
        server.request(`/apis/${made}/v1/${made}`),
        server.request(`/api/v1/namespaces/${made}/${made}`),
        server.request(`${MAPS}/${made}?${made}=1`, { method: i % 2 === 0 ? 'GET' : 'DELETE' }),
        server.request(MAPS, { method: 'PROPFIND', headers: { accept: `application/${made}` } }),
      ])
    }
    // Other work of the server has its first series meanwhile. What clients make up would add some in every round.
    const growth: number[] = []
    for (let round = 0; round < 4; round++) {
      const before = await series()
      for (let i = 0; i < 100; i++) await ask(round * 100 + i)
      growth.push((await series()) - before)
    }
    expect(Math.min(...growth), growth.join()).toBeLessThan(20)
    expect((await server.request('/metrics')).body).not.toContain('made-up')
  })
})

describe('CVE-2021-25743: what is shown to people does not steer their terminals', () => {
  it('control characters are refused in names and harmless in tables', async () => {
    expect((await server.request(MAPS, { method: 'POST', body: map('a\u001b[31mb') })).status).toBe(422)
    const event = {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { namespace: 'default', kind: 'Pod', name: 'p' },
      reason: 'R\u001b[2J',
      message: 'first\u001b[2J\u0007second',
      type: 'Normal',
    }
    await server.must('/api/v1/namespaces/default/events', { method: 'POST', body: event })
    const table = await server.request('/api/v1/namespaces/default/events', {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    const raw = Array.from(table.body).filter((character) => character < ' ' && character !== '\n')
    expect(raw).toEqual([])
  })
})

describe('CVE-2019-11250: secrets are not written down', () => {
  it('no log has them, whatever becomes of the request', async () => {
    const SENTINEL = 'sentinel-3f9a'
    const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's' }, stringData: { a: SENTINEL } }
    const secrets = '/api/v1/namespaces/default/secrets'
    await server.must(secrets, { method: 'POST', body: secret })
    await server.request(secrets, { method: 'POST', body: `{"stringData": {"a": "${SENTINEL}"` })
    await server.request(`${secrets}/s`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { stringData: { b: SENTINEL }, type: 5 },
    })
    await server.request(secrets, { token: `${SENTINEL}-token` })
    await server.request(secrets, { headers: { authorization: `Basic ${btoa(`u:${SENTINEL}`)}` } })
    await server.request(`${secrets}?token=${SENTINEL}`, { token: `${SENTINEL}-token` })
    expect(lines.length).toBeGreaterThan(0)
    const told = lines.filter((line) => line.includes(SENTINEL) || line.includes(btoa(SENTINEL).slice(0, 12)))
    expect(told).toEqual([])
    expect(lines.filter((line) => line.includes(server.adminToken))).toEqual([])
  })
})

describe('CVE-2019-11248 and CIS 1.2.15: nothing is profiled for strangers', () => {
  it.each(['/debug/pprof', '/debug/pprof/heap', '/debug/flags/v'])('%s is not there', async (target) => {
    expect([401, 403, 404]).toContain((await server.request(target, { token: '' })).status)
    expect((await server.request(target)).status).toBe(404)
  })

  it('the page about requests is for those who may read it', async () => {
    expect((await server.request('/debug/requests', { token: '' })).status).toBe(403)
    expect((await server.request('/debug/requests')).status).toBe(200)
  })
})
