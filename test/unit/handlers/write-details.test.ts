// Small print of the writes, in tables: what one request answers with, given what others did before.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const PODS = '/api/v1/namespaces/ns/pods'
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases'

let api: ApiWorld

beforeEach(async () => {
  api = await openWorld({ controllersOff: ['garbage-collector'] })
})

const send = (method: string, path: string, body?: object, contentType = 'application/json'): Promise<Answer> =>
  api.send({ method, path, contentType, ...(body === undefined ? {} : { body }) })

const versioned = (resourceVersion: string): object => ({ metadata: { name: 'a', resourceVersion } })

describe('a version on what would be created', () => {
  it.each([
    ['POST a number as a dry run (W-074)', 'POST', `${MAPS}?dryRun=All`, '5', 201, '5'],
    ['POST a word as a dry run (W-074)', 'POST', `${MAPS}?dryRun=All`, 'abc', 201, 'abc'],
    ['PUT a number as a dry run (W-113)', 'PUT', `${LEASES}/a?dryRun=All`, '5', 201, '5'],
  ])('%s', async (_name, method, path, version, status, echoed) => {
    const answer = await send(method, path, versioned(version))
    expect(answer).toMatchObject({ status, body: { metadata: { resourceVersion: echoed } } })
  })

  it.each([
    ['a word (W-113)', 'abc', 400, 'strconv.ParseUint: parsing "abc": invalid syntax'],
    [
      'too large a number',
      '99999999999999999999',
      400,
      'strconv.ParseUint: parsing "99999999999999999999": value out of range',
    ],
  ])('PUT %s', async (_name, version, status, message) => {
    expect(await send('PUT', `${LEASES}/a`, versioned(version))).toMatchObject({ status, body: { message } })
  })

  it('PUT a number is ignored (W-113)', async () => {
    const made = await send('PUT', `${LEASES}/a`, versioned('5'))
    expect(made.status).toBe(201)
    expect((made.body['metadata'] as { resourceVersion: string }).resourceVersion).not.toBe('5')
  })
})

describe('what becomes of dependents of a namespace (W-376)', () => {
  it.each([
    ['nothing said', '', undefined],
    ['orphan them', '?propagationPolicy=Orphan', ['x/y', 'orphan']],
    ['orphan them, the old way', '?orphanDependents=true', ['x/y', 'orphan']],
    ['wait for them', '?propagationPolicy=Foreground', ['x/y', 'foregroundDeletion']],
    ['do not orphan them', '?orphanDependents=false', ['x/y', 'foregroundDeletion']],
    ['later', '?propagationPolicy=Background', ['x/y']],
  ])('%s', async (_name, query, finalizers) => {
    const held = finalizers === undefined ? [] : ['x/y', 'orphan']
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'n', finalizers: held } })
    const marked = await send('DELETE', `/api/v1/namespaces/n${query}`)
    expect(marked.status).toBe(query === '?orphanDependents=false' ? 202 : 200)
    expect((marked.body['metadata'] as { finalizers?: object }).finalizers).toEqual(finalizers)
    const again = await send('DELETE', '/api/v1/namespaces/n?propagationPolicy=Orphan')
    expect(again.body).toEqual(marked.body)
  })
})

it('options of a delete that clash are both named', async () => {
  await send('POST', MAPS, { metadata: { name: 'a' } })
  const { body } = await send('DELETE', `${MAPS}/a`, { propagationPolicy: 'Foo', orphanDependents: true })
  expect(body['message']).toBe(
    'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "Foo": orphanDependents and deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"]',
  )
})

it('a gated pod that loses its node selector is told that there is none now', async () => {
  const spec = {
    schedulingGates: [{ name: 'a/b' }],
    nodeSelector: { a: 'b' },
    containers: [{ name: 'c', image: 'i' }],
  }
  await send('POST', PODS, { metadata: { name: 'p' }, spec })
  const patch = { spec: { nodeSelector: null } }
  const { body } = await send('PATCH', `${PODS}/p`, patch, 'application/merge-patch+json')
  expect(body['message']).toBe(
    'Pod "p" is invalid: spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
  )
})

describe('grace that is longer than time', () => {
  const NODE_POD = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }

  it.each([
    ['3170 years', '99999999999', '2276-02-09T14:57:55Z'],
    ['the longest', '9223372036854775807', '2176-02-22T02:57:42Z'],
  ])('wraps around as durations do, and stays in the calendar: %s', async (_name, grace, ends) => {
    await send('POST', PODS, { metadata: { name: 'p' }, spec: NODE_POD })
    const { status, body } = await send('DELETE', `${PODS}/p?gracePeriodSeconds=${grace}`)
    expect(status).toBe(200)
    expect((body['metadata'] as { deletionTimestamp: string }).deletionTimestamp).toBe(ends)
  })

  it('is kept where the pod itself asks for it', async () => {
    const spec =
      '"spec":{"nodeName":"n","terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"c","image":"i"}]}'
    await api.send({
      method: 'POST',
      path: PODS,
      contentType: 'application/json',
      body: `{"metadata":{"name":"p"},${spec}}`,
    })
    const { body } = await send('DELETE', `${PODS}/p`)
    expect(body['metadata']).toMatchObject({ deletionGracePeriodSeconds: Number.MAX_SAFE_INTEGER })
  })
})

it.each([
  ['merge', 'application/merge-patch+json', '{"metadata":9007199254740993}'],
  ['JSON', 'application/json-patch+json', '[{"op":"add","path":"/metadata","value":9007199254740993}]'],
])('a %s patch that puts a large integer where none goes is the client’s fault', async (_name, contentType, body) => {
  await send('POST', MAPS, { metadata: { name: 'a' } })
  const answer = await api.send({ method: 'PATCH', path: `${MAPS}/a`, contentType, body })
  expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } })
})

it('what is told of an object is not told of its status', async () => {
  const services = '/api/v1/namespaces/ns/services'
  const spec = { ports: [{ port: 1, protocol: 'TCP' }], externalName: 'a.example', type: 'ClusterIP' }
  const told = ['spec.externalName is ignored when spec.type is not "ExternalName"']
  const made = await send('POST', services, { metadata: { name: 's' }, spec })
  expect(made.warnings).toEqual(told)
  expect((await send('PUT', `${services}/s`, made.body)).warnings).toEqual(told)
  expect((await send('PUT', `${services}/s/status`, made.body)).warnings).toEqual([])
})

describe('the status of a pod', () => {
  const status = (body: object): Promise<Answer> =>
    send('PATCH', `${PODS}/p/status`, body, 'application/merge-patch+json')
  const conditionsAfter = async (conditions: readonly object[]): Promise<readonly unknown[]> => {
    const { body } = await status({ status: { conditions } })
    return (body['status'] as { conditions: { observedGeneration?: number }[] }).conditions.map(
      ({ observedGeneration }) => observedGeneration,
    )
  }

  beforeEach(async () => {
    await send('POST', PODS, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  })

  it('says nothing of its end', async () => {
    const { status: code, body } = await status({ metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } })
    expect(code).toBe(200)
    expect(body['metadata']).not.toHaveProperty('deletionTimestamp')
  })

  it('keeps which generation was seen, condition by condition', async () => {
    const ready = { type: 'Ready', status: 'True' }
    expect(await conditionsAfter([{ ...ready, observedGeneration: 3 }, ready])).toEqual([3, undefined])
    expect(await conditionsAfter([ready, ready])).toEqual([3, undefined])
    expect(await conditionsAfter([{ ...ready, observedGeneration: 4 }])).toEqual([4])
  })
})

describe('a node that would be configured from here', () => {
  const NODES = '/api/v1/nodes'
  const configSource = { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } }
  const spec = ({ body }: Answer): object => body['spec'] as object
  const status = ({ body }: Answer): object => body['status'] as object

  it('neither comes so nor becomes so', async () => {
    const made = await send('POST', NODES, { metadata: { name: 'a' }, spec: { configSource } })
    expect(spec(made)).not.toHaveProperty('configSource')
    await send('POST', NODES, { metadata: { name: 'b' } })
    const changed = await send('PUT', `${NODES}/b`, { metadata: { name: 'b' }, spec: { configSource } })
    expect(spec(changed)).not.toHaveProperty('configSource')
  })

  it('does not say how that went', async () => {
    const made = await send('POST', NODES, {
      metadata: { name: 'a' },
      status: { config: { error: 'e' }, phase: 'Running' },
    })
    expect(status(made)).toMatchObject({ phase: 'Running' })
    expect(status(made)).not.toHaveProperty('config')
    const changed = await send('PUT', `${NODES}/a/status`, { ...made.body, status: { config: { error: 'e' } } })
    expect(status(changed)).not.toHaveProperty('config')
  })
})

describe('claims of devices', () => {
  const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims'
  const TEMPLATES = '/apis/resource.k8s.io/v1/namespaces/ns/resourceclaimtemplates'
  const devices = (adminAccess: boolean): object => ({
    requests: [{ name: 'r', exactly: { deviceClassName: 'c', ...(adminAccess ? { adminAccess } : {}) } }],
  })
  const namespace = (label: string): object => ({
    metadata: { name: 'ns', labels: { 'resource.kubernetes.io/admin-access': label } },
  })
  const NEEDS =
    'spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace'

  it.each([
    ['a claim', CLAIMS, { devices: devices(true) }, 'ResourceClaim'],
    ['a template', TEMPLATES, { spec: { devices: devices(true) } }, 'ResourceClaimTemplate'],
  ])('%s as an administrator is for namespaces that say so', async (_name, path, spec, kind) => {
    await send('POST', '/api/v1/namespaces', namespace('no'))
    expect(await send('POST', path, { metadata: { name: 'a' }, spec })).toMatchObject({
      status: 422,
      body: { message: `${kind}.resource.k8s.io "a" is invalid: ${NEEDS}` },
    })
    await send('PUT', '/api/v1/namespaces/ns', namespace('true'))
    expect((await send('POST', path, { metadata: { name: 'a' }, spec })).status).toBe(201)
  })

  it('lose what was said of devices that they no longer hold', async () => {
    const device = (name: string): object => ({ driver: 'd.example.com', pool: 'p', device: name })
    const held = (...names: string[]): object => ({
      allocation: { devices: { results: names.map((name) => ({ request: 'r', ...device(name) })) } },
      devices: [device('a')],
    })
    const made = await send('POST', CLAIMS, { metadata: { name: 'c' }, spec: { devices: devices(false) } })
    const allocated = await send('PUT', `${CLAIMS}/c/status`, { ...made.body, status: held('a') })
    expect(allocated.body['status']).toHaveProperty('devices')
    const freed = await send('PUT', `${CLAIMS}/c/status`, { ...allocated.body, status: { devices: [device('a')] } })
    expect(freed.body['status']).toEqual({})
  })
})

it('deleting all jobs tells what becomes of their pods, even where there are none', async () => {
  const jobs = '/apis/batch/v1/namespaces/ns/jobs'
  expect((await send('DELETE', jobs)).warnings).toHaveLength(1)
  expect((await send('DELETE', `${jobs}?propagationPolicy=Background`)).warnings).toEqual([])
})

describe('sources of a claim', () => {
  const CLAIMS = '/api/v1/namespaces/ns/persistentvolumeclaims'
  const foreign = { apiGroup: 'example.com', kind: 'Widget', name: 'w' }
  const own = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'c' }

  it.each([
    ['of another kind, alone', { dataSource: foreign }, undefined],
    ['of another kind, said twice', { dataSource: foreign, dataSourceRef: foreign }, foreign],
    ['of another kind, the new way', { dataSourceRef: foreign }, foreign],
    ['in another namespace', { dataSourceRef: { ...own, namespace: 'other' } }, undefined],
    ['a claim', { dataSource: own }, own],
  ])('%s', async (_name, sources, expected) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...sources }
    const { status, body } = await send('POST', CLAIMS, { metadata: { name: 'a' }, spec })
    expect(status).toBe(201)
    const made = body['spec'] as { dataSource?: object; dataSourceRef?: object }
    expect([made.dataSource, made.dataSourceRef]).toEqual([expected, expected])
  })
})

it('a volume keeps the time of its phase where nobody says another', async () => {
  const volumes = '/api/v1/persistentvolumes'
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } }
  const made = await send('POST', volumes, { metadata: { name: 'v' }, spec })
  await api.clock.advance('100s')
  const { body } = await send('PUT', `${volumes}/v/status`, {
    ...made.body,
    status: { phase: 'Pending', message: 'm' },
  })
  expect(body['status']).toEqual({ ...(made.body['status'] as object), message: 'm' })
})

describe('where an endpoint is, said the old way (W-560)', () => {
  const SLICES = '/apis/discovery.k8s.io/v1/namespaces/ns/endpointslices'
  const slice = (endpoint: object): object => ({
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], ...endpoint }],
  })
  const topology = { deprecatedTopology: { 'kubernetes.io/hostname': 'n', zone: 'z' } }
  const endpointOf = ({ body }: Answer): object => (body['endpoints'] as object[])[0]!

  it('is not taken', async () => {
    expect(endpointOf(await send('POST', SLICES, slice(topology)))).toEqual({
      addresses: ['192.0.2.1'],
      conditions: {},
    })
    const changed = await send('PUT', `${SLICES}/s`, slice({ ...topology, hostname: 'h' }))
    expect(endpointOf(changed)).toEqual({ addresses: ['192.0.2.1'], conditions: {}, hostname: 'h' })
  })
})

describe('an apply of a text that does not stand for what it should (D20)', () => {
  const SECRETS = '/api/v1/namespaces/ns/secrets'
  const container = { name: 'c', image: 'i', resources: { requests: { cpu: 'much' } } }
  const regex = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  it.each([
    [
      'no base64',
      SECRETS,
      { apiVersion: 'v1', kind: 'Secret', data: { a: '%%' } },
      'illegal base64 data at input byte 0',
    ],
    ['no quantity', PODS, { apiVersion: 'v1', kind: 'Pod', spec: { containers: [container] } }, regex],
  ])('is the fault of who sent it: %s', async (_name, path, object, why) => {
    const body = { metadata: { name: 'a' }, ...object }
    const answer = await send('PATCH', `${path}/a?fieldManager=m`, body, 'application/apply-patch+yaml')
    const message = `failed to convert new object to proper version: unable to convert unstructured object to /v1, Kind=${object.kind}: ${why}`
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest', message } })
  })
})

it.each([
  ['alone is kept', [{ key: 'R', operator: 'Exists' }], [{ key: 'R', operator: 'Exists' }]],
  ['the other way round goes', [{ key: 'R', operator: 'DoesNotExist' }], undefined],
  [
    'beside others goes',
    [
      { key: 'R', operator: 'Exists' },
      { key: 'a', operator: 'Exists' },
    ],
    [{ key: 'a', operator: 'Exists' }],
  ],
])('the label by which a budget means no pod: %s', async (_, sent, kept) => {
  const key = (term: { key: string; operator: string }): object => ({
    ...term,
    key: term.key.replace('R', 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'),
  })
  const { body } = await send('POST', '/apis/policy/v1/namespaces/ns/poddisruptionbudgets', {
    metadata: { name: 'b' },
    spec: { minAvailable: 1, selector: { matchExpressions: sent.map(key) } },
  })
  const { selector } = body['spec'] as { selector: object }
  expect(selector).toEqual(kept === undefined ? {} : { matchExpressions: kept.map(key) })
})

describe('what a replication controller could not express', () => {
  const CONTROLLERS = '/api/v1/namespaces/ns/replicationcontrollers'
  const controller = (annotation: string, selector: object): object => ({
    metadata: { name: 'c', annotations: { [`non-convertible.kubernetes.io/${annotation}`]: 'v' } },
    spec: {
      selector,
      template: { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })

  it.each([
    ['selector', { a: 'b' }, ''],
    [
      'selector',
      { c: 'd' },
      'ReplicationController "c" is invalid: spec.selector: Invalid value: {"c":"d"}: cannot update non-convertible selector',
    ],
    ['x', { a: 'b' }, 'ReplicationController "c" is invalid: x: Not found: "v": unknown non-convertible field'],
  ])('%s, then %j', async (annotation, selector, message) => {
    await send('POST', CONTROLLERS, controller(annotation, { a: 'b' }))
    const { body } = await send('PUT', `${CONTROLLERS}/c`, controller(annotation, selector))
    expect(body['message'] ?? '').toBe(message)
  })
})

it('a daemon set counts its templates in a number also where it is changed (W-135)', async () => {
  const sets = '/apis/apps/v1/namespaces/ns/daemonsets'
  const set = (generation: string): object => ({
    metadata: { name: 'd', annotations: { 'deprecated.daemonset.template.generation': generation } },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })
  await send('POST', sets, set('3'))
  const { status, body } = await send('PUT', `${sets}/d`, set('x'))
  expect([status, body['message']]).toEqual([
    400,
    'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax',
  ])
})
