import { describe, expect, it } from 'vitest'
import { collectionPath, type Kind, versionPath } from '../../../../src/console/web/kind.ts'
import { KindSchema, type SchemaNode } from '../../../../src/console/web/kind-schema.ts'
import { duplicateOf, templateOf } from '../../../../src/console/web/template.ts'
import { openWorld } from '../../../rigs/api-world.ts'

function kindOf(group: string, plural: string, kind: string, namespaced = true): Kind {
  return { group, version: 'v1', plural, kind, namespaced, verbs: [], shortNames: [], subresources: [] }
}

async function served(kind: Kind): Promise<KindSchema> {
  const world = await openWorld()
  const { body } = await world.send({ method: 'GET', path: `/openapi/v3${versionPath(kind)}` })
  return new KindSchema(body, kind)
}

describe('the template of a new object', () => {
  it.each([
    ['v1', kindOf('', 'configmaps', 'ConfigMap'), 'metadata:\n  name: new-configmap\n  namespace: shop\ndata: {}\n'],
    ['v1', kindOf('', 'namespaces', 'Namespace', false), 'metadata:\n  name: new-namespace\nspec: {}\n'],
    [
      'apps/v1',
      kindOf('apps', 'deployments', 'Deployment'),
      `metadata:
  name: new-deployment
  namespace: shop
spec:
  selector:
    matchLabels:
      app: new-deployment
  template:
    metadata:
      labels:
        app: new-deployment
    spec:
      containers:
      - image: ""
        name: ""
`,
    ],
  ])('%s %o', async (version, kind, rest) => {
    const text = templateOf(kind, await served(kind), 'shop')
    expect(text).toBe(`apiVersion: ${version}\nkind: ${kind.kind}\n${rest}`)
  })

  it.each([
    kindOf('', 'pods', 'Pod'),
    kindOf('', 'services', 'Service'),
    kindOf('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
    kindOf('apps', 'replicasets', 'ReplicaSet'),
    kindOf('batch', 'cronjobs', 'CronJob'),
    kindOf('networking.k8s.io', 'ingresses', 'Ingress'),
    kindOf('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding'),
    kindOf('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole', false),
    kindOf('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', false),
  ])('has only fields of the right types, so that only the empty values are wrong: $kind', async (kind) => {
    const world = await openWorld()
    const body = templateOf(kind, await served(kind), 'default')
    const path = `${collectionPath(kind, 'default')}?dryRun=All&fieldValidation=Strict`
    const answer = await world.send({ method: 'POST', path, contentType: 'application/yaml', body })
    expect(answer).toMatchObject({ status: 422, body: { message: expect.stringMatching(/is invalid/) } })
  })

  it('has the required fields of a custom kind, with its defaults and allowed values', () => {
    const spec: SchemaNode = {
      type: 'object',
      required: ['size', 'colour', 'level', 'parts', 'inside', 'names'],
      properties: {
        size: { type: 'integer', minimum: 3 },
        colour: { type: 'string', enum: ['red', 'green'] },
        level: { type: 'string', default: 'a: b' },
        parts: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
        inside: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
        names: { type: 'array', items: { type: 'string' } },
        other: { type: 'string' },
      },
    }
    const kind = kindOf('a.example', 'fleets', 'Fleet')
    const top: SchemaNode = { type: 'object', properties: { spec, status: spec, note: { type: 'string' } } }
    const named = { ...top, 'x-kubernetes-group-version-kind': [{ group: 'a.example', version: 'v1', kind: 'Fleet' }] }
    expect(templateOf(kind, new KindSchema({ components: { schemas: { Fleet: named } } }, kind), 'shop')).toBe(
      `apiVersion: a.example/v1
kind: Fleet
metadata:
  name: new-fleet
  namespace: shop
spec:
  size: 3
  colour: "red"
  level: "a: b"
  parts:
  - id: ""
  inside:
    on: false
  names: []
`,
    )
  })

  it('ends for a schema that requires itself', () => {
    const kind = kindOf('a.example', 'loops', 'Loop')
    const loop: SchemaNode = {
      'x-kubernetes-group-version-kind': [{ group: 'a.example', version: 'v1', kind: 'Loop' }],
      required: ['spec'],
      properties: { spec: { $ref: '#/components/schemas/Loop' } },
    }
    const text = templateOf(kind, new KindSchema({ components: { schemas: { Loop: loop } } }, kind), 'shop')
    expect(text.split('\n').length).toBeLessThan(30)
  })
})

it('a duplicate has the content of the object, and none of what the server has set', () => {
  const text = `apiVersion: v1
kind: Service
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"a": 1}
    note: kept
  creationTimestamp: "2030-01-01T00:00:00Z"
  name: web
  namespace: shop
  ownerReferences:
  - kind: Fleet
    name: f
  resourceVersion: "7"
  uid: u1
spec:
  clusterIP: 10.0.0.1
  clusterIPs:
  - 10.0.0.1
  ports:
  - port: 80
status:
  loadBalancer: {}
`
  expect(duplicateOf(kindOf('', 'services', 'Service'), 'web', text)).toBe(`apiVersion: v1
kind: Service
metadata:
  annotations:
    note: kept
  name: "web-copy"
  namespace: shop
spec:
  ports:
  - port: 80
`)
})
