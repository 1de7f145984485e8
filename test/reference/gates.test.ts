// Behaviour behind gates of level 1.37, asked of the reference and of this server: the answers agree.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makeAuthority } from '../../src/pki/certificate-maker.ts'
import { GROUP_FLAGS, GROUP_GATES, REFUSED_GROUPS } from '../corpora/refused-groups.ts'
import { openBoth } from '../rigs/beside-reference.ts'
import type { OpenServer, ServerAnswer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods?dryRun=All'
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1'
const HALVES = ["'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'"]
const shardOf = (range: string | undefined): string => `shardRange(object.metadata.namespace, ${range})`
const listOf = (selector: string): string =>
  `/api/v1/configmaps?fieldSelector=metadata.name%3Dx&shardSelector=${encodeURIComponent(selector)}`

const CPU = { requests: { cpu: '1' } }
const FULL = { requests: { cpu: '1' }, limits: { cpu: '2' } }
const PODS_ASKED: readonly (readonly [readonly object[], object?])[] = [
  [[CPU, CPU], { requests: { memory: '1Gi' } }],
  [[FULL, FULL], { requests: { cpu: '3' } }],
  [[FULL], { requests: { cpu: '3' } }],
  [[FULL, CPU], { requests: { cpu: '3' } }],
  [[{}], { limits: { memory: '1Gi' } }],
  [[{ limits: { 'hugepages-2Mi': '4Mi', memory: '8Mi' } }], { requests: { cpu: '1' } }],
  [[FULL], {}],
  [[FULL]],
]

const rule = (apiGroups: readonly string[], resources: readonly string[]): object => {
  return { operations: ['CREATE'], apiGroups, apiVersions: ['*'], resources }
}
const webhook = (rules: readonly object[], name = 'a'): object => ({
  metadata: { name },
  webhooks: [
    {
      name: 'a.b.c',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { url: 'https://x.y/z' },
      rules,
    },
  ],
})

interface Body {
  readonly message?: string
  readonly metadata: { readonly shardInfo?: object }
  readonly items: readonly { readonly metadata: { readonly namespace: string } }[]
  readonly spec?: { readonly resources?: object }
  readonly status?: { readonly qosClass?: string }
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] }
}

const bodyOf = (answer: ServerAnswer): Body => answer.json() as unknown as Body

it('what gates of 1.37 do is what they do at the reference', async () => {
  await using opened = new AsyncDisposableStack()
  const flags = ['--feature-gates=ShardedListAndWatch=true']
  const both = await openBoth(opened, { level: '1.37', flags })
  /** What both answer, which has to be the same. */
  const agreed = async (
    path: string,
    shown: (answer: ServerAnswer) => unknown,
    call: Parameters<OpenServer['request']>[1] = {},
  ): Promise<unknown> => {
    const [theirs, ours] = await Promise.all(both.map(async (server) => shown(await server.request(path, call))))
    expect({ path, call, shown: ours }).toEqual({ path, call, shown: theirs })
    return theirs
  }

  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const metadata = { name }
    await agreed('/api/v1/namespaces', ({ status }) => status, { method: 'POST', body: { metadata } })
    const call = { method: 'POST', body: { metadata: { name: 'x' } } }
    await agreed(`/api/v1/namespaces/${name}/configmaps`, ({ status }) => status, call)
  }
  for (const selector of [...HALVES.map(shardOf), `( ${HALVES.map(shardOf).join('||')} )`]) {
    await agreed(listOf(selector), (answer) => {
      const { metadata, items } = bodyOf(answer)
      return [answer.status, metadata.shardInfo, items.map((item) => item.metadata.namespace)]
    })
  }
  for (const text of ['x()', ' ', 'shardRange()', `shardRange(metadata.uid, ${HALVES[0]})`, shardOf("'0x0', '0x1'")]) {
    const message = (answer: ServerAnswer): unknown => bodyOf(answer).message
    expect(await agreed(listOf(text), message)).toMatch(/^invalid shard selector: /)
    // The reference has no status for it.
    const statuses = await Promise.all(both.map(async (server) => (await server.request(listOf(text))).status))
    expect(statuses).toEqual([500, 400])
  }

  for (const [containers, resources] of PODS_ASKED) {
    const named = containers.map((one, i) => ({ name: `c${i}`, image: 'i', resources: one }))
    const body = { metadata: { name: 'p' }, spec: { containers: named, ...(resources && { resources }) } }
    const shown = (answer: ServerAnswer): unknown => {
      const { spec, status } = bodyOf(answer)
      return [answer.status, spec?.resources, status?.qosClass]
    }
    expect(await agreed(PODS, shown, { method: 'POST', body })).toContain(201)
  }

  for (const plural of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    const path = `${CONFIGURATIONS}/${plural}?dryRun=All`
    const rules = [rule(['*'], ['tokenreviews']), rule(['authentication.k8s.io', ''], ['tokenreviews', 'pods'])]
    const warned = ({ status, headers }: ServerAnswer): unknown => [status, headers['warning']]
    const told = await agreed(path, warned, { method: 'POST', body: webhook(rules) })
    expect(told).toEqual([201, expect.stringContaining('webhooks[0].rules[1]')])
    const causes = (answer: ServerAnswer): unknown =>
      bodyOf(answer).details?.causes?.map(({ reason, field }) => ({ reason, field }))
    const refused = await agreed(path, causes, { method: 'POST', body: webhook([], 'a.static.k8s.io') })
    expect(refused).toEqual([{ reason: 'FieldValueInvalid', field: 'metadata.name' }])
  }

  const state = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
  for (const [query, coding] of [
    [`${state}&allowWatchBookmarks=true`, 'gzip'],
    [state, undefined],
    ['watch=1&resourceVersion=0&allowWatchBookmarks=true', 'gzip'],
    ['watch=1&allowWatchBookmarks=true', 'gzip'],
    ['watch=1&resourceVersion=0', undefined],
  ] as const) {
    const shown = ({ status, headers }: ServerAnswer): unknown => [status, headers['content-encoding']]
    const headers = { 'accept-encoding': 'gzip' }
    expect(await agreed(`${MAPS}?${query}&timeoutSeconds=1`, shown, { headers })).toEqual([200, coding])
  }
})

it('faulty groups of pods are refused as at the reference', async () => {
  await using opened = new AsyncDisposableStack()
  const gates = `--feature-gates=${GROUP_GATES.map((gate) => `${gate}=true`).join(',')}`
  const both = await openBoth(opened, { level: '1.37', flags: [...GROUP_FLAGS, gates] })
  for (const [what, place, spec] of REFUSED_GROUPS) {
    const path = place.replace('/ns/', '/default/')
    const call = { method: 'POST', body: { metadata: { name: 'x' }, spec } }
    const [theirs, ours] = await Promise.all(both.map((server) => server.request(path, call)))
    const told = (answer: ServerAnswer): unknown => {
      const { causes } = bodyOf(answer).details ?? {}
      return [answer.status, causes?.map(({ reason, field }) => `${field} ${reason}`).sort()]
    }
    expect([what, told(ours!)]).toEqual([what, told(theirs!)])
  }
})

const CERTIFICATES = '/apis/certificates.k8s.io/v1'
const REQUESTS = `${CERTIFICATES}/namespaces/default/podcertificaterequests`
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ROLES = '/apis/rbac.authorization.k8s.io/v1'
const PKCS10 = new URL('../fixtures/pkcs10-requests.json', import.meta.url)

const definition = (schema: object): object => ({
  metadata: { name: 'as.g.example.com' },
  spec: {
    group: 'g.example.com',
    names: { plural: 'as', kind: 'A' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
  },
})
const ruled = (rule: string): object => {
  const l = { type: 'array', maxItems: 100, items: { type: 'string' } }
  return definition({ properties: { l }, 'x-kubernetes-validations': [{ rule }] })
}

it('signers and nodes may do what they may at the reference, and rules are taken or refused as there', async () => {
  await using opened = new AsyncDisposableStack()
  const both = await openBoth(opened, { level: '1.37', flags: ['--enable-admission-plugins=NodeRestriction'] })
  const agreed = async (path: string, call: Parameters<OpenServer['request']>[1] = {}): Promise<unknown> => {
    const told = (answer: ServerAnswer): unknown => {
      const { message, details } = bodyOf(answer)
      const causes = details?.causes?.map(({ reason, field }) => `${field} ${reason}`)
      return [answer.status, answer.status < 400 ? answer.headers['warning'] : message, causes]
    }
    const [theirs, ours] = await Promise.all(both.map(async (server) => told(await server.request(path, call))))
    expect({ path, call, told: ours }).toEqual({ path, call, told: theirs })
    return (theirs as readonly unknown[])[0]
  }
  const jane = { 'impersonate-user': 'jane' }
  const node = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' }
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } }
  const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['*'], verbs: ['create', 'list', 'patch'] }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }]
  await agreed(`${ROLES}/clusterroles`, { method: 'POST', body: { metadata: { name: 'r' }, rules } })
  await agreed(`${ROLES}/clusterrolebindings`, { method: 'POST', body: { metadata: { name: 'r' }, roleRef, subjects } })
  const list = async (server: OpenServer): Promise<number> => (await server.request(REQUESTS, { headers: jane })).status
  for (const server of both) await expect.poll(() => list(server)).toBe(200)

  const trustBundle = makeAuthority(3_600_000).certificate
  const bundle = { metadata: { name: 'a.b:c:d' }, spec: { signerName: 'a.b/c', trustBundle } }
  const post = (body: object, headers: Readonly<Record<string, string>> = {}) => ({ method: 'POST', body, headers })
  expect(await agreed(`${CERTIFICATES}/clustertrustbundles`, post(bundle, jane))).toBe(403)
  const spec = {
    signerName: 'a.b/c',
    podName: 'p',
    podUID: 'u',
    serviceAccountName: 'default',
    serviceAccountUID: 'u',
    nodeName: 'n1',
    nodeUID: 'u',
    stubPKCS10Request: (JSON.parse(readFileSync(PKCS10, 'utf8')) as Readonly<Record<string, string>>)['p256'],
  }
  expect(await agreed(REQUESTS, post({ metadata: { name: 'x' }, spec }))).toBe(201)
  const conditions = [
    { type: 'Denied', status: 'True', reason: 'R', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ]
  const denied = { ...patch, body: { status: { conditions } } }
  expect(await agreed(`${REQUESTS}/x/status`, { ...denied, headers: { ...denied.headers, ...jane } })).toBe(422)
  expect(await agreed(REQUESTS, post({ metadata: { name: 'y' }, spec: { ...spec, nodeName: 'n2' } }, node))).toBe(403)
  expect(await agreed(REQUESTS, { headers: node })).toBe(403)
  expect(await agreed(`${REQUESTS}?fieldSelector=spec.nodeName%3Dn1`, { headers: node })).toBe(200)
  expect(await agreed(`${REQUESTS}/x`, { headers: node })).toBe(200)
  expect(await agreed(`${REQUESTS}/x`, { method: 'DELETE', headers: node })).toBe(403)
  expect(await agreed(`${REQUESTS}/x/status`, { ...denied, headers: { ...denied.headers, ...node } })).toBe(403)

  const items = { type: 'object', 'x-kubernetes-map-type': 'atomic' }
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items }
  expect(await agreed(`${DEFINITIONS}?dryRun=All`, post(definition({ properties: { set } })))).toBe(201)
  for (const [rule, status] of [
    ["self.l.all(x, self.l.all(y, self.metadata.name.contains('abc')))", 201],
    ["self.l.all(x, matches(x, 'a+'))", 422],
    ["duration(1) == duration('1s')", 422],
    ["self.metadata.name.includes('x')", 422],
    ['{"a-b": 1}.`a-b` == 1', 201],
  ] as const)
    expect([rule, await agreed(`${DEFINITIONS}?dryRun=All`, post(ruled(rule)))]).toEqual([rule, status])

  const malformed = { ...patch, body: '{' }
  const shown = await Promise.all(both.map(async (server) => (await server.request(`${MAPS}/none`, malformed)).status))
  expect(shown).toEqual([400, 400])
})
