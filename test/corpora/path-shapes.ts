// Paths with an empty, missing, doubled, encoded or otherwise odd part, for every class of resource and for other endpoints. Each
// comes from a well-formed path, with the body that a write to that path has.

export interface PathShape {
  readonly path: string
  /** What a POST, PUT or apply sends. */
  readonly body: object
}

interface Place {
  readonly path: string
  readonly body?: object
  /** Every mutation at every position, and not just the few that have to do with empty parts. */
  readonly inFull?: true
}

export const GROUP = 'paths.example.com'
export const REMOTE_GROUP = 'remote.example.com'

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a1' } }
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p1' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'example.com/i:1' }] },
}
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd1' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'example.com/i:1' }] } },
  },
}
const scale = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd1', namespace: 'ns-a' },
  spec: { replicas: 2 },
}
const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p1' }, target: { kind: 'Node', name: 'n1' } }
const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p1' } }
const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
const localReview = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'LocalSubjectAccessReview',
  metadata: { namespace: 'ns-a' },
  spec: { user: 'jane', resourceAttributes: { namespace: 'ns-a', verb: 'get', resource: 'pods' } },
}
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns-z' },
  spec: { finalizers: ['kubernetes'] },
}
const widget = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'w1' } }
const gadget = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', metadata: { name: 'g1' } }
const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
}

/** What the paths speak of. Each kind has objects in two places, so that too much done shows. */
export const OBJECTS: readonly {
  readonly at: string
  readonly body: { readonly metadata: { readonly name: string } }
}[] = [
  ...['ns-a', 'ns-b', 'ns-z'].map((name) => ({ at: '/api/v1/namespaces', body: { ...namespace, metadata: { name } } })),
  ...['a1', 'a2'].map((name) => ({ at: '/api/v1/namespaces/ns-a/configmaps', body: { ...map, metadata: { name } } })),
  { at: '/api/v1/namespaces/ns-b/configmaps', body: { ...map, metadata: { name: 'b1' } } },
  ...['ns-a', 'ns-b'].flatMap((ns) => [
    { at: `/api/v1/namespaces/${ns}/serviceaccounts`, body: { metadata: { name: 'default' } } },
    { at: `/api/v1/namespaces/${ns}/pods`, body: pod },
    { at: `/apis/apps/v1/namespaces/${ns}/deployments`, body: deployment },
    { at: `/apis/${GROUP}/v1/namespaces/${ns}/widgets`, body: widget },
  ]),
  ...['n1', 'n2'].map((name) => ({ at: '/api/v1/nodes', body: { ...node, metadata: { name } } })),
  ...['g1', 'g2'].map((name) => ({ at: `/apis/${GROUP}/v1/gadgets`, body: { ...gadget, metadata: { name } } })),
]

const MAPS = '/api/v1/namespaces/ns-a/configmaps'
const POD = '/api/v1/namespaces/ns-a/pods/p1'
const WIDGETS = `/apis/${GROUP}/v1/namespaces/ns-a/widgets`
const GADGETS = `/apis/${GROUP}/v1/gadgets`

const PLACES: readonly Place[] = [
  { path: `${MAPS}/a1`, body: map, inFull: true },
  { path: MAPS, body: map },
  { path: '/api/v1/configmaps', body: map },
  { path: '/api/v1/configmaps/a1', body: map },
  { path: `${POD}/log`, body: pod },
  { path: `${POD}/status`, body: pod },
  { path: '/api/v1/pods/p1/status', body: pod },
  { path: `${POD}/eviction`, body: eviction },
  { path: `${POD}/binding`, body: binding },
  { path: `${POD}/proxy/x`, body: pod },
  { path: '/api/v1/namespaces/ns-a/bindings', body: binding },
  { path: '/api/v1/namespaces/ns-a/serviceaccounts/default/token', body: token },
  { path: '/api/v1/nodes', body: node },
  { path: '/api/v1/namespaces/ns-a/nodes/n1', body: node },
  { path: '/api/v1/nodes/n1/status', body: node },
  { path: '/api/v1/nodes/n1/proxy/x', body: node },
  { path: '/api/v1/namespaces/ns-z', body: namespace },
  { path: '/api/v1/namespaces/ns-z/status', body: namespace },
  { path: '/api/v1/namespaces/ns-z/finalize', body: namespace },
  { path: '/apis/apps/v1/namespaces/ns-a/deployments/d1/scale', body: scale },
  { path: WIDGETS, body: widget },
  { path: `${WIDGETS}/w1`, body: widget },
  { path: `${WIDGETS}/w1/status`, body: widget, inFull: true },
  { path: `/apis/${GROUP}/v1/widgets`, body: widget },
  { path: GADGETS, body: gadget },
  { path: `${GADGETS}/g1`, body: gadget },
  { path: `${GADGETS}/g1/status`, body: gadget },
  { path: `/apis/${GROUP}/v1/namespaces/ns-a/gadgets/g1`, body: gadget },
  { path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', body: review },
  { path: '/apis/authorization.k8s.io/v1/namespaces/ns-a/localsubjectaccessreviews', body: localReview },
  { path: `/apis/${REMOTE_GROUP}/v1`, body: map },
  { path: `/apis/${REMOTE_GROUP}/v1/namespaces/ns-a/things/t1`, body: map },
  { path: '/api/v1' },
  { path: '/apis/apps/v1' },
  { path: `/apis/${GROUP}/v1` },
  { path: '/apis/none.example.com/v1/things/x' },
  { path: '/openapi/v2' },
  { path: '/openapi/v3/apis/apps/v1' },
  { path: '/healthz/ping' },
  { path: '/livez' },
  { path: '/version' },
  { path: '/none' },
]

/** The odd parts that are put before each part of a path. */
const INSERTED: readonly string[] = ['']
const INSERTED_IN_FULL: readonly string[] = ['.', '..', '%2e', '%2E%2e', '.%2E', '...', '%2F']
/** The odd parts that take the place of a part. */
const REPLACED: readonly string[] = ['']
const REPLACED_IN_FULL: readonly string[] = [
  '%00',
  '%20',
  '%25',
  '%25zz',
  '%zz',
  '%',
  '%2e%2e',
  'a%2Fb',
  '%0a',
  '%C3%28',
  '%E2%82%AC',
  '..;',
  'x'.repeat(300),
]
const APPENDED: readonly string[] = ['/', '//', '/.', '/..', '/%2f', '/x', '//x', '/x/']

function* pathsOf({ path, inFull }: Place): Generator<string> {
  const parts = path.slice(1).split('/')
  yield path
  for (let end = 1; end < parts.length; end++) yield `/${parts.slice(0, end).join('/')}/`
  const inserted = inFull ? [...INSERTED, ...INSERTED_IN_FULL] : INSERTED
  const replaced = inFull ? [...REPLACED, ...REPLACED_IN_FULL] : REPLACED
  for (let at = 0; at < parts.length; at++) {
    for (const odd of inserted) yield `/${parts.toSpliced(at, 0, odd).join('/')}`
    for (const odd of replaced) yield `/${parts.toSpliced(at, 1, odd).join('/')}`
    if (at > 0) yield `/${parts.slice(0, at).join('/')}%2F${parts.slice(at).join('/')}`
  }
  for (const end of APPENDED) yield path + end
  for (const old of ['watch', 'proxy']) {
    const version = parts.indexOf('v1')
    if (version < 0) continue
    const before = parts.toSpliced(version + 1, 0, old)
    yield `/${before.join('/')}`
    yield `/${before.slice(0, version + 2).join('/')}`
    yield `/${before.slice(0, version + 2).join('/')}/`
    yield `/${before.toSpliced(version + 2, 0, '').join('/')}`
    if (parts.includes('ns-a')) yield `/${before.map((part) => (part === 'ns-a' ? '' : part)).join('/')}`
  }
  // Two parts are empty.
  if (parts.includes('ns-a'))
    yield `/${parts.map((part) => (/^(ns-a|[apdw]1|default)$/.test(part) ? '' : part)).join('/')}`
}

/** Targets that are no paths. */
const TARGETS: readonly string[] = [
  '/',
  '//',
  '/.',
  '/..',
  '/%2e%2e',
  '/api//',
  '/apis//',
  'https://elsewhere.example.com/api/v1/namespaces//configmaps',
  'https://elsewhere.example.com/api/v1/namespaces/ns-a/../ns-b/configmaps',
  '/api/v1/namespaces/?x=/../',
  `${MAPS}?labelSelector=a/../b`,
]

export function pathShapes(): readonly PathShape[] {
  const shapes = new Map<string, PathShape>()
  for (const place of PLACES) {
    for (const path of pathsOf(place)) if (!shapes.has(path)) shapes.set(path, { path, body: place.body ?? map })
  }
  for (const path of TARGETS) shapes.set(path, { path, body: map })
  return [...shapes.values()]
}
