// `quarterdeck/client` against the whole server: every verb, over sockets and in its process, and what is thrown where something is wrong.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiStatusError, Client, type CustomObject, ConnectionError, hasReason, k8s } from '../../src/client/client.ts'
import { type Server, startServer } from '../../src/index.ts'
import { startTcpProxy } from '../fakes/tcp-proxy.ts'

let server: Server
let client: Client

/** The ways to the server that a client has. */
const WAYS = {
  'over a socket': (to: Server) => new Client(to.credentials()),
  'in its process': (to: Server) => to.client(),
}

/** Starts a server before the tests that follow, and speaks to it this way. */
function useServer(connect: (to: Server) => Client): void {
  beforeAll(async () => {
    server = await startServer()
    client = connect(server)
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
}

const configMaps = () => client.resource(k8s.ConfigMap).inNamespace('default')

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe.each(Object.entries(WAYS))('the verbs, %s', (_way, connect) => {
  useServer(connect)

  it('creates, gets, updates, patches and deletes', async () => {
    const created = await configMaps().create({ metadata: { name: 'verbs' }, data: { a: '1' } })
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'verbs', namespace: 'default' },
    })
    expect(await configMaps().get('verbs')).toEqual(created)
    const updated = await configMaps().update({ ...created, data: { a: '2' } })
    expect(updated.data).toEqual({ a: '2' })
    expect(hasReason(await caught(configMaps().update({ ...created, data: {} })), 'Conflict')).toBe(true)
    expect((await configMaps().patch('verbs', { data: { b: '3' } })).data).toEqual({ a: '2', b: '3' })
    const operations = [{ op: 'remove', path: '/data/a' }]
    expect((await configMaps().patch('verbs', operations, { type: 'json' })).data).toEqual({ b: '3' })
    const labels = { metadata: { labels: { x: 'y' } } }
    expect((await configMaps().patch('verbs', labels, { type: 'strategic' })).metadata.labels).toEqual({ x: 'y' })
    const tried = await configMaps().patch('verbs', { data: { c: '4' } }, { dryRun: true, fieldManager: 'me' })
    expect(tried.data).toEqual({ b: '3', c: '4' })
    expect((await configMaps().get('verbs')).data).toEqual({ b: '3' })
    const stale = configMaps().delete('verbs', { preconditions: { uid: 'another' } })
    expect(hasReason(await caught(stale), 'Conflict')).toBe(true)
    expect((await configMaps().find('verbs'))?.data).toEqual({ b: '3' })
    await configMaps().delete('verbs', { propagationPolicy: 'Background' })
    expect(hasReason(await caught(configMaps().get('verbs')), 'NotFound')).toBe(true)
    expect(await configMaps().find('verbs')).toBeUndefined()
    const misspelt = client.resource({ group: '', version: 'v1', plural: 'configmap' }).inNamespace('default')
    expect(hasReason(await caught(misspelt.find('verbs')), 'NotFound')).toBe(true)
  })

  it('applies, and refuses what another manager has set', async () => {
    const object = { metadata: { name: 'applied' }, data: { a: '1' } }
    await configMaps().apply(object, { fieldManager: 'one' })
    const other = { ...object, data: { a: '2' } }
    const refused = await caught(configMaps().apply(other, { fieldManager: 'two' }))
    expect(refused).toMatchObject({ code: 409, reason: 'Conflict' })
    const forced = await configMaps().apply(other, { fieldManager: 'two', force: true })
    expect(forced.data).toEqual({ a: '2' })
    expect(forced.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['two'])
  })

  it('lists page by page, selects, and deletes what is selected', async () => {
    const namespace = 'paged'
    await client.resource(k8s.Namespace).create({ metadata: { name: namespace } })
    const here = client.resource(k8s.Secret).inNamespace(namespace)
    const names = Array.from({ length: 12 }, (_, i) => `s-${String(i).padStart(2, '0')}`)
    await Promise.all(
      names.map((name, i) =>
        here.create({ metadata: { name, labels: { odd: String(i % 2) } }, stringData: { a: 'b' } }),
      ),
    )
    const sizes: number[] = []
    for await (const page of here.pages({ limit: 5 })) sizes.push(page.items.length)
    expect(sizes).toEqual([5, 5, 2])
    const all = await here.list({ limit: 5 })
    expect(all.items.map(({ metadata }) => metadata.name)).toEqual(names)
    expect(all.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'Secret' })
    expect(all.metadata.continue ?? '').toBe('')
    expect((await here.list({ labelSelector: { odd: '1' } })).items.length).toBe(6)
    expect((await here.list({ fieldSelector: 'metadata.name=s-03' })).items.length).toBe(1)
    expect((await client.resource(k8s.Secret).list({ labelSelector: 'odd in (0,1)' })).items.length).toBe(12)
    await here.deleteCollection({ labelSelector: { odd: '1' } })
    expect((await here.list()).items.length).toBe(6)
  })

  it('speaks to subresources', async () => {
    const deployments = client.resource(k8s.Deployment).inNamespace('default')
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const selector = { matchLabels: { a: 'b' } }
    await deployments.create({ metadata: { name: 'web' }, spec: { replicas: 1, selector, template } })
    const scale = await deployments.subresource('scale').get('web')
    const scaled = await deployments.subresource('scale').update('web', { ...scale, spec: { replicas: 3 } })
    expect(scaled.spec?.replicas).toBe(3)
    const shown = await deployments.status.patch('web', { status: { observedGeneration: 2 } })
    expect(shown).toMatchObject({ spec: { replicas: 3 }, status: { observedGeneration: 2 } })
    await deployments.status.apply(
      'web',
      { metadata: { name: 'web' }, status: { replicas: 2 } },
      { fieldManager: 'me' },
    )
    expect((await deployments.get('web')).status?.replicas).toBe(2)
    const accounts = client.resource(k8s.ServiceAccount).inNamespace('default')
    await accounts.create({ metadata: { name: 'robot' } })
    const asked = { metadata: {}, spec: { audiences: ['me'], expirationSeconds: 600 } }
    expect((await accounts.subresource('token').create('robot', asked)).status?.token).toMatch(/^ey/)
    const pods = client.resource(k8s.Pod).inNamespace('default')
    await pods.create({ metadata: { name: 'evicted' }, spec: template.spec })
    await pods.subresource('eviction').create('evicted', { metadata: { name: 'evicted' } })
    expect(hasReason(await caught(pods.get('evicted')), 'NotFound')).toBe(true)
  })

  it('finds the plural of a kind by discovery', async () => {
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced' as const,
        names: { plural: 'widgets', kind: 'Widget' },
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
    const widgets = client.resource<CustomObject<{ size: number }>>({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
    })
    expect(await caught(widgets.list())).toMatchObject({ code: 404 })
    await client.resource(k8s.CustomResourceDefinition).create(definition)
    const here = widgets.inNamespace('default')
    await expect.poll(() => caught(here.list())).toBe(undefined)
    const made = await here.create({ metadata: { name: 'w' }, spec: { size: 3 } })
    expect(made).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Widget', spec: { size: 3 } })
    expect(await caught(widgets.get('w'))).toMatchObject({
      message: expect.stringContaining('get of Widget: the namespace is missing') as string,
    })
    const missing = client.resource({ group: 'example.com', version: 'v1', kind: 'Gadget' })
    expect(String(await caught(missing.list()))).toContain('the server has no kind Gadget in example.com/v1')
  })

  it('watches from now on, and from where a list was', async () => {
    const stop = new AbortController()
    const { metadata } = await configMaps().list()
    await configMaps().create({ metadata: { name: 'watched' } })
    const seen: string[] = []
    const watching = caught(
      (async () => {
        const { resourceVersion } = metadata
        const options = { resourceVersion, fieldSelector: 'metadata.name=watched', signal: stop.signal }
        for await (const event of configMaps().watch(options)) {
          if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`)
        }
      })(),
    )
    await configMaps().patch('watched', { data: { a: '1' } })
    await configMaps().delete('watched')
    await expect.poll(() => seen).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched'])
    const reason = new Error('enough')
    stop.abort(reason)
    expect(await watching).toBe(reason)
  })

  it('sends what it is told', async () => {
    const { status, text } = await client.request({ method: 'GET', path: '/version' })
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ major: '1' })])
    const table = await client.request({
      method: 'GET',
      path: '/api/v1/namespaces',
      query: { limit: 1 },
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect(JSON.parse(table.text)).toMatchObject({ kind: 'Table' })
    const path = '/api/v1/namespaces?limit=1'
    const one = await client.request({ method: 'GET', path, query: { fieldSelector: 'metadata.name=default' } })
    expect(JSON.parse(one.text)).toMatchObject({ items: [{ metadata: { name: 'default' } }] })
    await expect(client.request({ method: 'DELETE', path: '/api/v1/nodes?labelSelector=a' })).rejects.toThrow(
      'path must be without a query, which a DELETE has in the option query',
    )
  })
})

describe.each(Object.entries(WAYS))('what is thrown, %s', (_way, connect) => {
  useServer(connect)

  it('is a Status with all that the server says', async () => {
    const error = await caught(configMaps().create({ metadata: { name: 'Not valid' } }))
    expect(error).toBeInstanceOf(ApiStatusError)
    expect(error).toMatchObject({ code: 422, reason: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } })
    expect(String(error)).toContain('POST /api/v1/namespaces/default/configmaps: ConfigMap "Not valid" is invalid')
  })

  it('is the reason of the signal', async () => {
    const reason = new Error('no longer')
    expect(await caught(configMaps().list({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    const later = new AbortController()
    const listing = caught(configMaps().list({ signal: later.signal }))
    later.abort(reason)
    expect(await listing).toBe(reason)
  })

  it('says that the client is closed', async () => {
    const closed = connect(server)
    const pending = caught(closed.resource(k8s.Pod).list())
    closed.close()
    expect(await pending).toBeInstanceOf(ConnectionError)
    expect(String(await caught(closed.resource(k8s.Pod).list()))).toContain('the client is closed')
  })

  it('says that the server is gone', async () => {
    const other = await server.fork()
    using orphan = connect(other)
    await orphan.request({ method: 'GET', path: '/version' })
    await other.stop()
    expect(await caught(orphan.request({ method: 'GET', path: '/version' }))).toMatchObject({ phase: 'connecting' })
  })

  it('says of a request that no server takes what it is', async () => {
    const tooLarge = { method: 'POST', path: '/api/v1/namespaces', body: { data: 'x'.repeat(4 * 1024 * 1024) } }
    expect(await caught(client.request(tooLarge))).toMatchObject({ code: 413 })
  })

  it.each(['two\nlines', 'a\rreturn', 'a zero\0', 'the end\x7f'])(
    'says which header cannot be sent: %j',
    async (value) => {
      const malformed = { method: 'GET', path: '/version', headers: { 'x-note': value } }
      const error = await caught(client.request(malformed))
      expect(String(error)).toBe('TypeError: header x-note: its value has a control character')
      await client.request({ method: 'GET', path: '/version', headers: { 'x-note': 'a\ttab' } })
    },
  )
})

describe('over sockets', () => {
  useServer(WAYS['over a socket'])

  it('is a timeout where no answer comes, and a new connection is made where one is silent', async () => {
    await using proxy = await startTcpProxy(Number(new URL(server.url).port))
    const url = `https://127.0.0.1:${proxy.port}`
    using slow = new Client({ ...server.credentials(), url, timeoutMs: 300, pingIntervalMs: 100 })
    await slow.request({ method: 'GET', path: '/version' })
    proxy.silence()
    const error = await caught(slow.request({ method: 'GET', path: '/version' }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain('GET /version: no complete answer within 300 ms')
    proxy.resume()
    await expect.poll(() => caught(slow.request({ method: 'GET', path: '/version' }))).toBe(undefined)
  })

  it('says that a token has the line break of its file', async () => {
    const { token, ...rest } = server.credentials()
    using careless = new Client({ ...rest, token: `${token}\n` })
    const error = await caught(careless.resource(k8s.Pod).list())
    expect(String(error)).toBe('TypeError: header authorization: its value has a control character')
  })

  it('says that nobody listens', async () => {
    using alone = new Client({ url: 'https://127.0.0.1:1', token: 'x' })
    const error = await caught(alone.resource(k8s.Pod).list())
    expect(error).toMatchObject({ name: 'ConnectionError', phase: 'connecting' })
    expect(String(error)).toContain('cannot connect to https://127.0.0.1:1: connect ECONNREFUSED')
  })
})
