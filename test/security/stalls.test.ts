// The largest bodies and answers of every encoding: how long each holds the event loop up, and so all other clients. `make test` has each
// encoding that is written, each that is read and each kind of patch; `make test-long` has all of their combinations.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { k8s } from '../../src/client/client.ts'
import { startServer } from '../../src/index.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import { configMap, type LargeRequest, largeObjects, largeWrites, MAPS } from '../corpora/large-bodies.ts'
import { expectNoStall, longestStall } from '../rigs/longest-stall.ts'
import { processorMilliseconds } from '../rigs/processor-time.ts'
import { type OpenServer, openServer, type ServerAnswer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { rowsOf } from '../rigs/whole.ts'

/** The store takes 1.5 MB, half of which is who owns each key. */
const LARGEST_BYTES = 700_000
const LARGEST = `${MAPS}/largest`

let server: OpenServer
beforeAll(async () => {
  server = await openServer(['--feature-gates', 'CBORServingAndStorage=true'])
  for (const name of ['target', 'a', 'b', 'c', 'd']) {
    await server.must(MAPS, { method: 'POST', body: JSON.stringify(configMap(name, 700_000)) })
  }
  await server.must(MAPS, { method: 'POST', body: JSON.stringify(configMap('largest', LARGEST_BYTES)) })
})
afterAll(() => server?.[Symbol.asyncDispose]())

/** `JSON.parse` of a body that is let in cannot be cut up, nor that of an object for its table. */
function parsingMs(name: string, { body }: LargeRequest): number {
  const json = name.includes('table') ? JSON.stringify(configMap('largest', LARGEST_BYTES)) : (body as string)
  return /JSON|patch|table/.test(name) ? processorMilliseconds(() => void JSON.parse(json)) : 0
}

const ENCODINGS = ['json', 'yaml', 'cbor', 'vnd.kubernetes.protobuf']
const reads: Readonly<Record<string, () => LargeRequest>> = Object.fromEntries(
  ENCODINGS.flatMap((encoding) => [
    [`list as ${encoding}`, MAPS, encoding],
    [`list of metadata as ${encoding}`, MAPS, `${encoding};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`],
    [`table of a list as ${encoding}`, MAPS, `${encoding};as=Table;g=meta.k8s.io;v=v1`],
    [`object as ${encoding}`, LARGEST, encoding],
    [`metadata of an object as ${encoding}`, LARGEST, `${encoding};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`],
    [`indented object as ${encoding}`, `${LARGEST}?pretty=true`, encoding],
    [`table of an object as ${encoding}`, `${LARGEST}?includeObject=Object`, `${encoding};as=Table;g=meta.k8s.io;v=v1`],
  ]).map(([name, path, type]) => [name, () => ({ path: path!, headers: { accept: `application/${type}` } })]),
)

const DOCUMENTS: Readonly<Record<string, readonly [path: string, accept: string]>> = {
  'version 2': ['/openapi/v2', 'application/json'],
  'version 2 in protobuf': ['/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  'version 3': ['/openapi/v3/api/v1', 'application/json'],
  'version 3 in protobuf': ['/openapi/v3/api/v1', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'],
}

it.each(rowsOf(DOCUMENTS, ['version 2 in protobuf', 'version 3']))(
  'the OpenAPI document of %s, made anew, holds nobody up',
  async (_, [document, accept]) => {
    await expectNoStall(async () => {
      // A server that has made none yet: what is in use is kept.
      await using fresh = await openServer()
      return await longestStall(async () => {
        const answer = await fresh.request(document, { headers: { accept, 'accept-encoding': 'identity' } })
        expect(answer.status).toBe(200)
      })
    })
  },
)

/** Not the create of a pod in JSON: `AUDITED` has it, with all that the audit log adds. */
const SLICE = [
  'list as vnd.kubernetes.protobuf',
  'table of a list as json',
  'object as vnd.kubernetes.protobuf',
  'object as cbor',
  'indented object as json',
  'metadata of an object as yaml',
  'update in protobuf',
  'apply of YAML',
  'strategic-merge-patch',
  'json-patch',
]

const AUDITED: Readonly<Record<string, () => LargeRequest>> = {
  'object as json': reads['object as json']!,
  'object as yaml': reads['object as yaml']!,
  'list as json': reads['list as json']!,
  ...largeWrites('target'),
}

it.each(rowsOf(AUDITED, ['object as yaml', 'create of a pod in JSON']))(
  '%s holds nobody up where the audit log has all bodies',
  async (name, make) => {
    const folder = await tempFolder()
    const policy = path.join(folder, 'policy.yaml')
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n')
    const log = path.join(folder, 'audit.log')
    const gates = ['--feature-gates', 'CBORServingAndStorage=true']
    await using audited = await openServer([...gates, '--audit-policy-file', policy, '--audit-log-path', log])
    for (const [map, bytes] of [
      ['target', 700_000],
      ['largest', LARGEST_BYTES],
    ] as const) {
      await audited.must(MAPS, { method: 'POST', body: JSON.stringify(configMap(map, bytes)) })
    }
    const request = make()
    const { path: at, ...call } = request
    const once = async (): Promise<void> => {
      const { status, body } = await audited.request(at, call)
      expect(status, body.slice(0, 500)).toBeLessThan(300)
    }
    await expectNoStall(() => longestStall(once), parsingMs(name, request))
  },
)

it.each(rowsOf({ ...reads, ...largeWrites('target') }, SLICE))('%s holds nobody up', async (name, make) => {
  const request = make()
  const { path, ...call } = request
  const once = async (): Promise<void> => {
    const { status, body } = await server.request(path, call)
    expect(status, body.slice(0, 500)).toBeLessThan(300)
  }
  await expectNoStall(() => longestStall(once), parsingMs(name, request))
})

const OBJECTS = [
  'label selectors in a review of oneself',
  'requirements in a review',
  'fields in a schedule',
  'exceptions of a network policy',
  'audiences of a token',
  'properties of a definition',
  'variables of one name',
  'owner references',
]

it.each(rowsOf(largeObjects(), OBJECTS))('%s, as many as may be, hold nobody up', async (name, make) => {
  const [at, object] = make()
  const body = JSON.stringify(object)
  const once = async (): Promise<void> => {
    const { status, body: answer } = await server.request(`${at}?dryRun=All`, { method: 'POST', body })
    expect(status, answer.slice(0, 500)).toBeLessThan(500)
    if (/selectors? in|schedule/.test(name)) {
      expect(status).toBe(422)
      expect(answer).toMatch(/(rawSelector|schedule): Too long: may not be more than 65536 bytes/)
    }
  }
  await expectNoStall(
    () => longestStall(once),
    processorMilliseconds(() => void JSON.parse(body)),
  )
})

it('a small object with dear rules holds nobody up', async () => {
  const rule = (i: number): object => ({ rule: `self.all(x, self.all(y, x.matches("^[a-c]+[0-9]*$") || y == "${i}"))` })
  const rules = Array.from({ length: 4 }, (_, i) => rule(i))
  const items = { type: 'string', maxLength: 10 }
  const list = { type: 'array', maxItems: 300, items, 'x-kubernetes-validations': rules }
  const names = { plural: 'dears', singular: 'dear', kind: 'Dear', listKind: 'DearList' }
  const schema = { openAPIV3Schema: { type: 'object', properties: { list } } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  await server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    body: {
      metadata: { name: 'dears.stall.example.com' },
      spec: { group: 'stall.example.com', scope: 'Namespaced', names, versions },
    },
  })
  const at = '/apis/stall.example.com/v1/namespaces/default/dears'
  await expect.poll(async () => (await server.request(at)).status).toBe(200)
  const words = Array.from({ length: 300 }, (_, i) => `abc${i}`)
  const body = { apiVersion: 'stall.example.com/v1', kind: 'Dear', metadata: { generateName: 'd' }, list: words }
  await expectNoStall(() => longestStall(() => server.must(at, { method: 'POST', body })))
})

it('dear expressions of a policy hold nobody up', async () => {
  await using guarded = await openServer()
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
  const expression = (i: number): object => ({ expression: `object.data.all(x, object.data.all(y, y != x + '${i}'))` })
  const spec = {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    },
    validations: Array.from({ length: 16 }, (_, i) => expression(i)),
  }
  await guarded.must(policies, { method: 'POST', body: { metadata: { name: 'dear' }, spec } })
  const binding = { metadata: { name: 'dear' }, spec: { policyName: 'dear', validationActions: ['Deny'] } }
  await guarded.must(policies.replace('policies', 'policybindings'), { method: 'POST', body: binding })
  const refused = { data: { x: '', x0: '' } }
  const create = (data: object): Promise<ServerAnswer> =>
    guarded.request(`${MAPS}?dryRun=All`, { method: 'POST', body: { metadata: { generateName: 'm' }, ...data } })
  await expect.poll(async () => (await create(refused)).status).toBe(422)
  const data = Object.fromEntries(Array.from({ length: 280 }, (_, i) => [`key${i}-`, '']))
  const once = async (): Promise<void> => expect((await create({ data })).status).toBe(201)
  await expectNoStall(() => longestStall(once))
})

it('a transaction of many patches of a large object holds nobody up', async () => {
  const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'target' }
  const operations = Array.from({ length: 5 }, (_, i) => ({
    patch: { target, type: 'merge', patch: { data: { more: `${i}` } } },
  }))
  const body = JSON.stringify({ kind: 'Transaction', operations })
  const path = '/apis/transactions.quarterdeck.io/v1/transactions?dryRun=All'
  await expectNoStall(() => longestStall(() => server.must(path, { method: 'POST', body })))
  const many = JSON.stringify({ kind: 'Transaction', operations: [...operations, ...operations] })
  expect((await server.request(path, { method: 'POST', body: many })).status).toBe(413)
})

const COUNTS = { '10,000': 10_000, '100,000': 100_000 }

it.each(rowsOf(COUNTS, ['10,000']))('a sort of %s objects holds nobody up', async (_, count) => {
  await using full = await openServer()
  const ranks = Array.from({ length: count }, (_, i) => (i * 7919) % count)
  for (let from = 0; from < count; from += 100) {
    const operations = ranks.slice(from, from + 100).map((rank) => ({
      create: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'default', name: `sorted-${rank}` },
        data: { rank: `${rank}` },
      },
    }))
    const body = { kind: 'Transaction', operations }
    await full.must('/apis/transactions.quarterdeck.io/v1/transactions', { method: 'POST', body })
  }
  const named = (path: string): Promise<readonly string[]> =>
    full
      .must(path)
      .then(({ items }) => (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name))
  const query = `${MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt&limit=3&orderBy=`
  const expected = ranks.map((rank) => `sorted-${rank}`).toSorted()
  expect(await named(`${query}metadata.name+desc`)).toEqual(expected.slice(-3).toReversed())
  await expectNoStall(() => longestStall(() => named(`${query}data.rank,metadata.name`)))
})

it('watches with large selectors, which had to wait for seats, begin in many turns', async () => {
  const flags = { 'max-requests-inflight': 3, 'max-mutating-requests-inflight': 1 }
  await using busy = await startServer({
    users: [{ name: 'ann', groups: ['system:authenticated'] }],
    flags,
    log: SILENT_LOG,
  })
  let hold: (release: () => void) => void = () => {}
  busy.admit({ name: 'holds', resource: k8s.ConfigMap }, () => new Promise<void>((resolve) => hold(resolve)))
  busy.authorize(({ user }) => (user === 'ann' ? { allowed: true } : undefined))
  const { url, ca, token } = busy.credentials('ann')
  const session = http2.connect(url, { ca })
  const selector = Array.from({ length: 8000 }, (_, i) => `!k${i}`).join(',')
  const headers = { ':path': `${MAPS}?watch=true&labelSelector=${selector}`, authorization: `Bearer ${token}` }
  const waiting = async (): Promise<number> => {
    const { text } = await busy.client().request({ method: 'GET', path: '/metrics' })
    const level = /^apiserver_flowcontrol_current_inqueue_requests\{priority_level="global-default".*\} (\d+)$/m
    return Number(level.exec(text)?.[1] ?? 0)
  }
  let made = 0
  const stall = async (): Promise<number> => {
    const maps = busy.client('ann').resource(k8s.ConfigMap).inNamespace('default')
    const isHeld = new Promise<() => void>((resolve) => (hold = resolve))
    const created = maps.create({ metadata: { name: `held-${++made}` } })
    const release = await isHeld
    const streams = Array.from({ length: 60 }, () => session.request(headers))
    await expect.poll(waiting).toBe(streams.length)
    const taken = await longestStall(async () => {
      release()
      const answers = await Promise.all(streams.map((stream) => once(stream, 'response')))
      for (const [answer] of answers as [http2.IncomingHttpHeaders][]) expect(answer[':status']).toBe(200)
    })
    await created
    for (const stream of streams) stream.destroy()
    return taken
  }
  await expectNoStall(stall)
  session.destroy()
})
