// Requests that are small, or that users without rights may send, beside what they make the server look at: none holds it up.
import { once } from 'node:events'
import http2 from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialTls } from '../fakes/hostile-client.ts'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { newUser } from '../rigs/new-user.ts'
import { processorMilliseconds } from '../rigs/processor-time.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const TRANSACTIONS = '/apis/transactions.quarterdeck.io/v1/transactions'
const ACCESS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
const GROUP = 'rbac.authorization.k8s.io'

let server: OpenServer
let nobody: string
beforeAll(async () => {
  server = await openServer()
  nobody = await newUser(server, 'nobody')
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** As many members as a transaction may have bytes for. */
const MEMBERS = `{${Array.from({ length: 110_000 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`
const ESCAPED = `{${Array.from({ length: 80_000 }, () => String.raw`"\u0061":1`).join(',')}}`
const transaction = (operation: string): string => `{"kind":"Transaction","operations":[${operation}]}`
const create = (metadata: string): string => `{"create":{"apiVersion":"v1","kind":"Pod","metadata":${metadata}}}`

it.each([
  ['a transaction', MEMBERS],
  ['an operation', transaction(MEMBERS)],
  ['an object', transaction(`{"create":${MEMBERS}}`)],
  ['the metadata of an object', transaction(create(MEMBERS))],
  ['metadata with escapes', transaction(create(ESCAPED))],
  ['a list of operations', transaction(Array.from({ length: 500_000 }, () => '1').join(','))],
])('%s with very many parts, from a user without rights, holds nobody up', async (_, body) => {
  const call = { method: 'POST', token: nobody, body }
  const once = async (): Promise<void> => {
    const { status } = await server.request(TRANSACTIONS, call)
    expect([400, 413]).toContain(status)
  }
  await expectNoStall(() => longestStall(once))
})

it.each([
  ['parameters', Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`p${i}`, '']))],
  ['label requirements', { labelSelector: Array.from({ length: 60_000 }, (_, i) => `!k${i}`).join(',') }],
  ['field requirements', { fieldSelector: Array.from({ length: 20_000 }, () => 'metadata.name!=a').join(',') }],
])('a QUERY with very many %s is refused at once', async (_, parameters) => {
  const body = JSON.stringify(parameters)
  const once = async (): Promise<void> => {
    const { status } = await server.request(MAPS, { method: 'QUERY', body })
    expect(status).toBe(400)
  }
  await expectNoStall(
    () => longestStall(once),
    processorMilliseconds(() => void JSON.parse(body)),
  )
})

it('many bindings of a large role for everybody hold nobody up', async () => {
  const manager = await newUser(server, 'manager', [
    { apiGroups: [GROUP], resources: ['roles', 'rolebindings'], verbs: ['create'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
  ])
  const rules = Array.from({ length: 8000 }, (_, i) => ({
    apiGroups: [''],
    resources: ['pods'],
    verbs: ['get'],
    resourceNames: [`p${i}`],
  }))
  const make = (at: string, body: object): Promise<unknown> =>
    server.must(`${ACCESS}/${at}`, { method: 'POST', token: manager, body })
  await make('roles', { metadata: { name: 'large' }, rules })
  const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'large' }
  const subjects = [{ apiGroup: GROUP, kind: 'Group', name: 'system:authenticated' }]
  for (let i = 0; i < 20; i++) await make('rolebindings', { metadata: { name: `b${i}` }, roleRef, subjects })
  let made = 0
  const once = async (): Promise<void> => {
    await make('rolebindings', { metadata: { name: `more-${made++}` }, roleRef, subjects })
    await make('roles', { metadata: { name: `small-${made}` }, rules: [] })
    expect((await server.request(`${MAPS}/x`, { token: nobody })).status).toBe(403)
    const refused = { method: 'POST', token: manager, body: { metadata: { name: 'no' }, rules: [{ verbs: ['*'] }] } }
    expect((await server.request(`${ACCESS}/roles`, refused)).status).toBeGreaterThan(400)
  }
  await expectNoStall(() => longestStall(once))
})

it('the objects that a user may read by very many names hold nobody up', async () => {
  const user = await newUser(server, 'named')
  const subjects = [{ kind: 'ServiceAccount', name: 'named', namespace: 'default' }]
  for (let i = 0; i < 4; i++) {
    const resourceNames = Array.from({ length: 50_000 }, (_, n) => `${i}-${n}`)
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'], resourceNames }]
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: `names-${i}` }
    await server.must(`${ACCESS}/roles`, { method: 'POST', body: { metadata: { name: roleRef.name }, rules } })
    const binding = { metadata: { name: roleRef.name }, roleRef, subjects }
    await server.must(`${ACCESS}/rolebindings`, { method: 'POST', body: binding })
  }
  const once = async (): Promise<void> => {
    const { status, body } = await server.request('/api/v1/configmaps?accessible=true', { token: user })
    expect(status, body).toBe(200)
  }
  await expectNoStall(() => longestStall(once))
})

it('groups by a field without a type hold nobody up, whatever objects have there', async () => {
  const names = { plural: 'opens', singular: 'open', kind: 'Open', listKind: 'OpenList' }
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    body: {
      metadata: { name: 'opens.small.example.com' },
      spec: { group: 'small.example.com', scope: 'Namespaced', names, versions },
    },
  })
  const at = '/apis/small.example.com/v1/namespaces/default/opens'
  await expect.poll(async () => (await server.request(at)).status).toBe(200)
  for (let i = 0; i < 12; i++) {
    const metadata = { name: `o${i}` }
    const any = { text: 'x'.repeat(1_000_000), i }
    await server.must(at, {
      method: 'POST',
      body: { apiVersion: 'small.example.com/v1', kind: 'Open', metadata, spec: { any } },
    })
  }
  const once = async (): Promise<void> => {
    const { rows } = await server.must(`${at}?groupBy=spec.any`)
    expect(rows).toEqual([{ group: { 'spec.any': null }, count: 12 }])
  }
  await expectNoStall(() => longestStall(once))
})

it('many watches that select fields, over many objects, begin in many turns', async () => {
  const labels = { many: 'yes' }
  for (let from = 0; from < 1500; from += 100) {
    const operations = Array.from({ length: 100 }, (_, i) => {
      const metadata = { namespace: 'default', name: `many-${from + i}`, labels }
      return { create: { apiVersion: 'v1', kind: 'ConfigMap', metadata } }
    })
    await server.must(TRANSACTIONS, { method: 'POST', body: { kind: 'Transaction', operations } })
  }
  const connection = http2.connect(server.url, { ca: server.authority })
  const watch = `${MAPS}?watch=true&labelSelector=many&allowWatchBookmarks=true&select=metadata.name`
  const once = async (): Promise<void> => {
    const streams = Array.from({ length: 60 }, () =>
      connection.request({ ':path': watch, authorization: `Bearer ${server.adminToken}` }),
    )
    const told = streams.map(async (stream) => {
      let lines = 0
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        lines += chunk.toString('latin1').split('\n').length - 1
        if (lines >= 1500) return
      }
    })
    await Promise.all(told)
    for (const stream of streams) stream.destroy()
  }
  await expectNoStall(() => longestStall(once))
  connection.destroy()
})

it('endpoint slices hold nobody up, however many aggregated servers wait for their service', async () => {
  await using fresh = await openServer()
  const make = async (objects: readonly object[]): Promise<void> => {
    const operations = objects.map((each) => ({ create: each }))
    await fresh.must(TRANSACTIONS, { method: 'POST', body: { kind: 'Transaction', operations } })
  }
  let made = 0
  const metadata = (): object => ({
    namespace: 'default',
    name: `s${made++}`,
    labels: { 'kubernetes.io/service-name': 'none' },
  })
  const slices = (): Promise<void> =>
    make(
      Array.from({ length: 100 }, () => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        addressType: 'IPv4',
        metadata: metadata(),
        ports: [{ port: 443 }],
        endpoints: Array.from({ length: 20 }, (_, i) => ({ addresses: [`10.0.0.${i}`], conditions: { ready: false } })),
      })),
    )
  for (let i = 0; i < 20; i++) await slices()
  const spec = { ports: [{ port: 443 }] }
  await make([{ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name: 'none' }, spec }])
  const service = { namespace: 'default', name: 'none' }
  const remote = (group: string): object => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: { group, version: 'v1', service, groupPriorityMinimum: 100, versionPriority: 10 },
  })
  for (const part of 'abcd') await make(Array.from({ length: 100 }, (_, i) => remote(`g${i}.${part}.example.com`)))
  const isTold = async (): Promise<unknown> =>
    (await fresh.must('/apis/apiregistration.k8s.io/v1/apiservices/v1.g99.d.example.com'))['status']
  const conditions = [expect.objectContaining({ reason: 'MissingEndpoints' })]
  await expect.poll(isTold, { timeout: 20_000 }).toMatchObject({ conditions })
  const once = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await slices()
  }
  await expectNoStall(() => longestStall(once))
})

it('hundreds of simulated pods of one set hold nobody up', async () => {
  await using cluster = await openServer(['--nodes', '2'])
  const sets = '/apis/apps/v1/namespaces/default/replicasets'
  let made = 0
  const once = async (): Promise<void> => {
    const name = `set-${made++}`
    const labels = { app: name }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const spec = { replicas: 150, selector: { matchLabels: labels }, template }
    await cluster.must(sets, { method: 'POST', body: { metadata: { name }, spec } })
    const replicas = async (): Promise<unknown> => {
      const { status } = await cluster.must(`${sets}/${name}`)
      return (status as { readonly replicas?: number }).replicas
    }
    await expect.poll(replicas, { timeout: 20_000 }).toBe(150)
    await cluster.must(`${sets}/${name}`, { method: 'DELETE' })
  }
  await expectNoStall(() => longestStall(once))
})

it('a simulated pod with very many ports of its host holds nobody up', async () => {
  await using cluster = await openServer(['--nodes', '1'])
  const pods = '/api/v1/namespaces/default/pods'
  const pod = (name: string, from: number): object => {
    const ports = Array.from({ length: 8000 }, (_, i) => ({ containerPort: from + i, hostPort: from + i }))
    return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', ports }] } }
  }
  const isAssigned = async (name: string): Promise<boolean> => {
    const { spec } = await cluster.must(`${pods}/${name}`)
    return (spec as { readonly nodeName?: string }).nodeName !== undefined
  }
  await cluster.must(pods, { method: 'POST', body: pod('first', 1) })
  await expect.poll(() => isAssigned('first')).toBe(true)
  let made = 0
  const once = async (): Promise<void> => {
    const name = `next-${made++}`
    await cluster.must(pods, { method: 'POST', body: pod(name, 20_000) })
    await expect.poll(() => isAssigned(name)).toBe(true)
    await cluster.must(`${pods}/${name}?gracePeriodSeconds=0`, { method: 'DELETE' })
  }
  await expectNoStall(() => longestStall(once))
})

it('a simulated log with very many lines holds nobody up', async () => {
  await using cluster = await openServer(['--nodes', '1'])
  const pods = '/api/v1/namespaces/default/pods'
  const annotations = { 'quarterdeck.dev/log': 'x\n'.repeat(100_000) }
  const pod = { metadata: { name: 'talks', annotations }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await cluster.must(pods, { method: 'POST', body: pod })
  const log = async (query: string): Promise<ServerAnswer> => await cluster.request(`${pods}/talks/log?${query}`)
  await expect.poll(async () => (await log('')).body.length).toBe(200_000)
  const once = async (): Promise<void> => {
    expect((await log('tailLines=99999999')).body).toHaveLength(200_000)
    expect((await log('timestamps=true&tailLines=50000')).body).toMatch(/^(\d{4}-[\dT:.-]+Z x\n){50000}$/)
  }
  await expectNoStall(() => longestStall(once))
})

it('a WebSocket to a simulated container that pings and never reads takes little memory', async () => {
  await using cluster = await openServer(['--nodes', '1'])
  const pods = '/api/v1/namespaces/default/pods'
  const pod = { metadata: { name: 'runs' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await cluster.must(pods, { method: 'POST', body: pod })
  const phase = async (): Promise<unknown> => (await cluster.must(`${pods}/runs`))['status']
  await expect.poll(phase).toMatchObject({ phase: 'Running' })
  const socket = await dialTls(cluster.url, 'http/1.1')
  const head = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const more = ['Sec-WebSocket-Protocol: v5.channel.k8s.io', `Authorization: Bearer ${cluster.adminToken}`]
  socket.write([`GET ${pods}/runs/attach?stdout=1 HTTP/1.1`, 'Host: x', ...head, key, ...more, '', ''].join('\r\n'))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 101 /)
  socket.pause()
  // A ping with as much as it may have, masked with zeroes.
  const ping = Buffer.concat([Buffer.of(0x89, 0x80 | 125, 0, 0, 0, 0), Buffer.alloc(125)])
  const many = Buffer.concat(Array.from({ length: 1000 }, () => ping))
  const before = process.memoryUsage()
  for (let i = 0; i < 400; i++) await new Promise((resolve) => socket.write(many, resolve))
  const { heapUsed, external } = process.memoryUsage()
  // Up to 50 MB of pings that were read may not be collected yet. Unread answers to all of them take 190 MB.
  expect(heapUsed + external - before.heapUsed - before.external).toBeLessThan(100e6)
  socket.destroy()
})

it('a certificate request with very many names holds nobody up', async () => {
  const length = (n: number): Buffer => Buffer.from(n < 128 ? [n] : [0x83, n >> 16, (n >> 8) & 255, n & 255])
  const element = (tag: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.from([tag]), length(content.length), content])
  const attribute = Buffer.from('310a3008060355040313016e', 'hex')
  const subject = element(0x30, Buffer.concat(Array.from({ length: 60_000 }, () => attribute)))
  const body = element(0x30, Buffer.concat([Buffer.from('020100', 'hex'), subject, Buffer.from('3000', 'hex')]))
  const request = element(0x30, Buffer.concat([body, Buffer.from('3000030100', 'hex')]))
  const label = 'CERTIFICATE REQUEST'
  const lines = request.toString('base64').replaceAll(/.{64}/g, '$&\n')
  const pem = Buffer.from(`-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`).toString('base64')
  const spec = { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], request: pem }
  const once = async (): Promise<void> => {
    const at = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
    const { status } = await server.request(at, { method: 'POST', body: { metadata: { name: 'many' }, spec } })
    expect(status).toBe(422)
  }
  await expectNoStall(() => longestStall(once), 15)
})
