// Webhooks are not called for reviews of access and of identity, so that none can lock everyone out of the cluster.
import { describe, expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const GATE = 'ExcludeAdmissionWebhookVirtualResources'
const LEVEL = '--emulated-version=1.37'
const ALL_GROUPS = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }] as const
const ACCESS = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' }, user: 'jane' } }

const REVIEWS: readonly (readonly [string, object])[] = [
  ['/apis/authorization.k8s.io/v1/subjectaccessreviews', ACCESS],
  ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { resourceAttributes: { verb: 'get' } } }],
  ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'ns' } }],
  [
    '/apis/authorization.k8s.io/v1/namespaces/ns/localsubjectaccessreviews',
    { metadata: { namespace: 'ns' }, spec: { ...ACCESS.spec, resourceAttributes: { namespace: 'ns', verb: 'get' } } },
  ],
  ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
  ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
]

function refuseAll(world: ApiWorld): void {
  for (const type of ['mutating', 'validating'] as const) {
    world.extensible.admit({ name: `${type}.example.com`, type, rules: ALL_GROUPS }, () => ({
      allowed: false,
      code: 403,
      message: `not by ${type}`,
    }))
  }
}

const configuration = (kind: string, rules: readonly object[], name = 'a'): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: [
    {
      name: 'a.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      clientConfig: { url: 'https://127.0.0.1:1/x' },
      rules,
    },
  ],
})
const ruleOf = (apiGroups: readonly string[], resources: readonly string[]): object => ({
  operations: ['CREATE'],
  apiGroups,
  apiVersions: ['*'],
  resources,
})

describe.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('%s', (kind) => {
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`

  it('warns of rules that name reviews, and of no wildcard', async () => {
    const world = await openWorld({ flags: [LEVEL] })
    const reviews = ['tokenreviews', 'subjectaccessreviews', 'tokenreviews', 'pods']
    const rules = [
      ruleOf(['*'], ['tokenreviews']),
      ruleOf(['authentication.k8s.io', 'authorization.k8s.io'], reviews),
      ruleOf(['authentication.k8s.io'], ['*']),
    ]
    const warnings = ['tokenreviews.authentication.k8s.io', 'subjectaccessreviews.authorization.k8s.io'].map(
      (name) => `webhooks[0].rules[1]: ${name} is excluded from admission webhooks; this rule will have no effect`,
    )
    const body = configuration(kind, rules)
    expect(await world.send({ method: 'POST', path, body })).toMatchObject({ status: 201, warnings })
    const changed = { ...body, metadata: { name: 'a', labels: { x: 'y' } } }
    const patch = { method: 'PATCH', path: `${path}/a`, body: changed, contentType: 'application/merge-patch+json' }
    expect(await world.send(patch)).toMatchObject({ status: 200, warnings })
  })

  it('does not warn before 1.37', async () => {
    const world = await openWorld({ flags: ['--emulated-version=1.36'] })
    const body = configuration(kind, [ruleOf(['authentication.k8s.io'], ['tokenreviews'])])
    expect(await world.send({ method: 'POST', path, body })).toMatchObject({ status: 201, warnings: [] })
  })

  it('has no name that is kept for configurations from files', async () => {
    const world = await openWorld({ flags: [LEVEL] })
    const body = configuration(kind, [], 'a.static.k8s.io')
    const why = 'reserved for static manifest-based configurations and cannot be managed via the API'
    expect(await world.send({ method: 'POST', path, body })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.name', message: expect.stringContaining(why) }] } },
      warnings: [],
    })
    const older = await openWorld({ flags: ['--emulated-version=1.36'] })
    const answer = await older.send({ method: 'POST', path, body })
    expect(answer).toMatchObject({ status: 201, warnings: [expect.stringContaining(why)] })
  })
})

describe('reviews', () => {
  it.each(REVIEWS)('are not sent to webhooks: %s', async (path, body) => {
    const world = await openWorld({ flags: [LEVEL] })
    refuseAll(world)
    expect((await world.send({ method: 'POST', path, body })).status).toBe(201)
    const map = { method: 'POST', path: '/api/v1/namespaces/ns/configmaps', body: { metadata: { name: 'a' } } }
    expect((await world.send(map)).status).toBe(403)
  })

  it.each(REVIEWS)('are sent to webhooks without the gate: %s', async (path, body) => {
    const world = await openWorld({ flags: [LEVEL, `--feature-gates=${GATE}=false`] })
    refuseAll(world)
    expect((await world.send({ method: 'POST', path, body })).status).toBe(403)
  })
})
