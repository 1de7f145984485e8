// Applications for pictures of a cluster with simulated nodes: the controllers make their pods. Some of them fail, each in its own way.
import type { OpenServer } from '../rigs/running-server.ts'

type App = readonly [namespace: string, name: string, replicas: number, pod?: object, annotations?: object]

const UNPLACEABLE = { nodeSelector: { disk: 'gold' } }
const CRASHING = { 'quarterdeck.dev/crash-loop': 'true', 'quarterdeck.dev/exit-code': '3' }
const APPS: readonly App[] = [
  ['shop', 'web', 6],
  ['shop', 'cart', 4],
  ['shop', 'search', 3],
  ['harbour', 'pilot', 5],
  ['harbour', 'crane', 2, UNPLACEABLE],
  ['harbour', 'radar', 1, {}, CRASHING],
]

/** A custom kind with two objects is there too. */
export async function makeShownApps(server: OpenServer): Promise<void> {
  for (const name of ['shop', 'harbour']) await create(server, '/api/v1/namespaces', { metadata: { name } })
  for (const [namespace, name, replicas, pod = {}, annotations = {}] of APPS) {
    const labels = { app: name, tier: namespace === 'shop' ? 'shop' : 'port' }
    const containers = [{ name, image: `registry.example/${name}:1.4`, ports: [{ containerPort: 8080 }] }]
    const template = { metadata: { labels, annotations }, spec: { containers, ...pod } }
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, labels },
      spec: { replicas, selector: { matchLabels: { app: name } }, template },
    }
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const place = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=helm`
    await server.must(place, { method: 'PATCH', headers, body })
  }
  await makeLighthouses(server)
}

async function makeLighthouses(server: OpenServer): Promise<void> {
  const spec = {
    type: 'object',
    properties: { height: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.height > 3', message: 'a lighthouse is higher than 3 m' }],
  }
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: 'Height', type: 'integer', jsonPath: '.spec.height' }],
  }
  await create(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'lighthouses.coast.example' },
    spec: {
      group: 'coast.example',
      scope: 'Namespaced',
      names: { kind: 'Lighthouse', plural: 'lighthouses' },
      versions: [version, { ...version, name: 'v1beta1', served: false, storage: false }],
    },
  })
  const place = '/apis/coast.example/v1/namespaces/harbour/lighthouses'
  for (let isServed = false; !isServed; ) isServed = (await server.request(place)).status === 200
  for (const [name, height] of Object.entries({ north: 40, south: 22 })) {
    await create(server, place, {
      apiVersion: 'coast.example/v1',
      kind: 'Lighthouse',
      metadata: { name },
      spec: { height },
    })
  }
}

async function create(server: OpenServer, place: string, body: object): Promise<void> {
  await server.must(place, { method: 'POST', body })
}
