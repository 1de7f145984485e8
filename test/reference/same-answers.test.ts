// Writes that are odd, wrong or warned of, sent to kube-apiserver and to us: the same answers, word for word. Then what both count.
import { expect, it } from 'vitest'
import { API_LEVELS } from '../../src/api/level.ts'
import { openBoth } from '../rigs/beside-reference.ts'
import type { OpenServer } from '../rigs/running-server.ts'

const DRY = '?dryRun=All'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PODS = '/api/v1/namespaces/default/pods'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const THINGS = '/apis/same.example.com/v1/namespaces/default/things'
const POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

const MEMBERS = { foo: 1, bar: { x: 2 } }
const container = { name: 'c', image: 'i' }
const text = { type: 'string', maxLength: 2 }
const definition = {
  metadata: { name: 'things.same.example.com' },
  spec: {
    group: 'same.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                maxProperties: 2,
                properties: {
                  n: { type: 'integer' },
                  s: text,
                  l: { type: 'array', maxItems: 1, items: { type: 'object', properties: { a: text } } },
                  m: { type: 'object', maxProperties: 1, additionalProperties: text },
                  open: { type: 'object', additionalProperties: true },
                },
              },
            },
          },
        },
      },
    ],
  },
}
const thing = (spec: unknown, metadata: object = {}): object => ({
  apiVersion: 'same.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', ...metadata },
  spec,
})
const deployment = (metadata: object, spec: object): object => ({
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' }, ...metadata }, spec: { containers: [container], ...spec } },
  },
})
const policy = (...mutations: readonly object[]): object => ({
  metadata: { name: 'p' },
  spec: {
    failurePolicy: 'Fail',
    reinvocationPolicy: 'Never',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    },
    mutations,
  },
})
const jsonPatch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

const OLD_LABELS = [
  'beta.kubernetes.io/os',
  'app.kubernetes.io/created-by',
  'scheduler.alpha.kubernetes.io/preferAvoidPods',
  'node-role.kubernetes.io/master',
]

function* requests(): Generator<Sent> {
  for (const body of [{ kind: null, apiVersion: null }, { apiVersion: null }, { kind: null }, { kind: 'Other' }]) {
    for (const place of ['/api/v1/namespaces/default/configmaps/a', `${DEPLOYMENTS}/d`, `${THINGS}/a/status`]) {
      // The reference answers this one with 500.
      if (place.startsWith(THINGS) && Object.hasOwn(body, 'apiVersion') && !Object.hasOwn(body, 'kind')) continue
      for (const how of ['Strict', 'Warn', 'Ignore']) {
        yield { method: 'PATCH', path: `${place}?fieldValidation=${how}`, body, type: MERGE }
      }
    }
  }
  for (const body of [{ kind: 1 }, { apiVersion: [] }]) {
    yield { method: 'PATCH', path: `${DEPLOYMENTS}/d`, body, type: STRATEGIC }
  }
  for (const field of ['n', 's', 'l', 'm', 'open', 'odd']) {
    for (const value of [MEMBERS, [MEMBERS], [[MEMBERS]], 'abc', 5, null, {}, [], { a: MEMBERS }, [{ a: MEMBERS }]]) {
      for (const how of ['Strict', 'Warn']) {
        yield { path: `${THINGS}${DRY}&fieldValidation=${how}`, body: thing({ [field]: value }, { name: 'b' }) }
      }
    }
  }
  yield { path: THINGS + DRY, body: thing({ n: 'x', s: 'abc', l: [{}, {}] }, { name: 'b' }) }
  for (const finalizers of [['plain'], ['a.b'], ['a/b'], ['orphan', 'z', 'a.c']]) {
    yield { path: THINGS + DRY, body: thing({}, { name: 'b', finalizers }) }
  }
  for (const expression of ['1', 'nope', 'variables.x', '[1]', ' ', 'object.nope']) {
    yield { path: POLICIES + DRY, body: policy(jsonPatch(expression)) }
  }
  yield { path: POLICIES + DRY, body: policy({ patchType: 'ApplyConfiguration', jsonPatch: { expression: 'nope' } }) }
  yield { path: POLICIES + DRY, body: policy({ jsonPatch: { expression: 'nope' } }) }
  for (const label of OLD_LABELS) {
    const terms = { matchExpressions: [{ key: label, operator: 'Exists' }] }
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [terms] } }
    const spec = { nodeSelector: { [label]: '' }, affinity: { nodeAffinity } }
    yield { path: DEPLOYMENTS + DRY, body: deployment({}, spec) }
    yield { path: PODS + DRY, body: { metadata: { name: 'p' }, spec: { containers: [container], ...spec } } }
  }
  for (const profile of ['runtime/default', 'unconfined', 'localhost/x', 'bogus']) {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': profile }
    const body = { metadata: { name: 'p', annotations }, spec: { containers: [container] } }
    yield { path: PODS + DRY, body }
    yield { path: DEPLOYMENTS + DRY, body: deployment({ annotations }, {}) }
  }
}

interface Told {
  readonly status: number
  readonly message: string | undefined
  readonly causes: readonly Cause[]
  readonly warnings: readonly string[]
}

interface Cause {
  readonly field?: string
  readonly message?: string
}

async function ask(server: OpenServer, sent: Sent): Promise<Told> {
  const { method = 'POST', body, type = 'application/json' } = sent
  const headers = { 'content-type': type }
  const answer = await server.request(sent.path, { method, headers, body: JSON.stringify(body) })
  const told = answer.json() as { message?: string; details?: { causes?: readonly Cause[] } }
  const warnings = [answer.headers['warning'] ?? []].flat().flatMap((line) => line.split(/, (?=299 )/))
  return { status: answer.status, message: told.message, causes: told.details?.causes ?? [], warnings }
}

/** Without what is another one on every server: the object as it was to be, and the order of many faults. */
function plain({ causes, message, ...told }: Told): unknown {
  const faults = causes.map((cause) => `${cause.field}: ${withoutObject(cause.message)}`).sort()
  return { ...told, faults, message: faults.length > 1 ? undefined : withoutObject(message) }
}

function withoutObject(words: string | undefined): string | undefined {
  return words
    ?.replaceAll(/"\{.*\}"(?=: )/g, 'OBJECT')
    .replaceAll(/ in '\{.*\}'/g, ' in OBJECT')
    .replaceAll(/ in scheme "[^"]*"/g, '')
}

const skipped = /^(go_|nodejs_)/

function families(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const)
  return new Map(found.filter(([name]) => !skipped.test(name)))
}

/** Names of the reference's that are stable or beta and that we have nothing to say of. */
const NOT_OURS: readonly string[] = [
  'apiserver_validation_declarative_validation_mismatch_total',
  'apiserver_validation_declarative_validation_panic_total',
  // Certificates without names for hosts are refused.
  'apiserver_webhooks_x509_insecure_sha1_total',
  'apiserver_webhooks_x509_missing_san_total',
  'hidden_metrics_total',
  'registered_metrics_total',
]

it.each(API_LEVELS)('answers as the reference, and counts what it promises, at level %s', async (level) => {
  await using opened = new AsyncDisposableStack()
  const [theirs, ours] = await openBoth(opened, { level })
  for (const server of [theirs, ours]) {
    await server.must(CRD, { method: 'POST', body: definition })
    await server.must('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name: 'a' } } })
    await server.must(DEPLOYMENTS, { method: 'POST', body: deployment({}, {}) })
    await expect
      .poll(async () => (await server.request(THINGS, { method: 'POST', body: thing({ n: 1 }) })).status)
      .toBeOneOf([201, 409])
  }
  for (const sent of requests()) {
    const [wanted, found] = [await ask(theirs, sent), await ask(ours, sent)]
    expect(plain(found), JSON.stringify(sent)).toEqual(plain(wanted))
  }
  const [wanted, found] = await Promise.all(
    [theirs, ours].map(async (server) => (await server.request('/metrics')).body),
  )
  const promised = [...wanted!.matchAll(/^# HELP (\S+) \[(?:STABLE|BETA)\]/gm)].map(([, name]) => name!)
  const has = families(found!)
  expect(promised.filter((name) => !has.has(name) && !NOT_OURS.includes(name))).toEqual([])
  const types = families(wanted!)
  expect([...has].filter(([name, type]) => types.has(name) && types.get(name) !== type)).toEqual([])
})
