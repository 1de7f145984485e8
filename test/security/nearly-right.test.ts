// Objects that are right but for one value, each value in its turn: whatever stands there, it is the sender who is told so, and
// never a failure of ours. Random bodies seldom come as far as this.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const POD: Json = {
  containers: [
    {
      name: 'c',
      image: 'i',
      env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } }],
      resources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
      ports: [{ containerPort: 80 }],
      livenessProbe: { httpGet: { path: '/', port: 80 } },
    },
  ],
  volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
  tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 5, effect: 'NoExecute' }],
  securityContext: { runAsUser: 1 },
}
const RULES: Json = [{ apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'] }]
const namespaced = (group: string, resource: string): string => `${group}/namespaces/default/${resource}`

const OBJECTS: readonly (readonly [string, string, string, Json])[] = [
  [namespaced('/api/v1', 'secrets'), 'v1', 'Secret', { data: { a: 'Yg==' }, type: 'Opaque' }],
  [namespaced('/api/v1', 'pods'), 'v1', 'Pod', { spec: POD }],
  [
    namespaced('/api/v1', 'services'),
    'v1',
    'Service',
    { spec: { ports: [{ port: 80, targetPort: 'x' }], selector: { a: 'b' }, clusterIP: 'None' } },
  ],
  [
    namespaced('/api/v1', 'limitranges'),
    'v1',
    'LimitRange',
    { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
  ],
  [
    namespaced('/apis/coordination.k8s.io/v1', 'leases'),
    'coordination.k8s.io/v1',
    'Lease',
    { spec: { holderIdentity: 'a', leaseDurationSeconds: 5, renewTime: '2030-01-01T00:00:00.000000Z' } },
  ],
  [
    namespaced('/apis/policy/v1', 'poddisruptionbudgets'),
    'policy/v1',
    'PodDisruptionBudget',
    { spec: { minAvailable: '50%', selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } } },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    {
      spec: {
        matchConstraints: { resourceRules: RULES },
        validations: [{ expression: 'object.a == 1', messageExpression: '"x"' }],
        matchConditions: [{ name: 'm', expression: 'true' }],
      },
    },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://127.0.0.1:1/', caBundle: 'Yg==' },
          rules: RULES,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 1,
        },
      ],
    },
  ],
  [
    '/apis/resource.k8s.io/v1/deviceclasses',
    'resource.k8s.io/v1',
    'DeviceClass',
    { spec: { selectors: [{ cel: { expression: 'device.driver == "x"' } }] } },
  ],
]

const WRONG: readonly Json[] = [null, '', '%%', -1, 1.5, 1e21, true, [], {}, [null], { '': null }]

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** The value with one of its parts replaced, part by part, itself last. */
function* variants(value: Json, by: Json): Generator<Json> {
  if (isList(value)) {
    for (const [i, item] of value.entries()) for (const other of variants(item, by)) yield value.with(i, other)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const other of variants(item, by)) yield { ...value, [name]: other }
    }
  }
  yield by
}

let server: OpenServer
beforeAll(async () => {
  server = await openServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const WAYS: readonly (readonly [string, string, string])[] = [
  ['POST', '?dryRun=All', 'application/json'],
  ['PATCH', '/a?fieldManager=m&force=true&dryRun=All', 'application/apply-patch+yaml'],
]

describe('objects that are right but for one value', () => {
  it.each(OBJECTS)('%s', { timeout: 120_000 }, async (path, apiVersion, kind, rest) => {
    const failures: string[] = []
    for (const by of WRONG) {
      for (const other of variants(rest, by)) {
        const members = typeof other === 'object' && other !== null && !isList(other) ? other : {}
        const body = { apiVersion, kind, metadata: { name: 'a' }, ...members }
        await Promise.all(
          WAYS.map(async ([method, query, type]) => {
            const answer = await server.request(`${path}${query}`, { method, headers: { 'content-type': type }, body })
            if (answer.status >= 500) failures.push(`${method} ${JSON.stringify(body)}: ${answer.body}`)
          }),
        )
      }
    }
    expect(failures).toEqual([])
  })
})
