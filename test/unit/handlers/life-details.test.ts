// Small print of how objects live and end: what their status takes, what keeps them, and what goes with a collection.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const MAPS = '/api/v1/namespaces/ns/configmaps'
const PODS = '/api/v1/namespaces/ns/pods'
const JOBS = '/apis/batch/v1/namespaces/ns/jobs'
const MERGE = 'application/merge-patch+json'

let world: ApiWorld
let api: ApiWorld

beforeEach(async () => {
  world = await openWorld({ gates: ['ClearingNominatedNodeNameAfterBinding'], controllersOff: ['namespace'] })
  api = world
})

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  api.send({ method, path, contentType: method === 'PATCH' ? MERGE : 'application/json', ...(body && { body }) })

const POD_SPEC = { containers: [{ name: 'c', image: 'i' }] }

interface Meta {
  readonly labels?: object
  readonly finalizers?: readonly string[]
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly continue?: string
}

const metaOf = ({ body }: Answer): Meta => body['metadata'] as Meta

describe('through their status', () => {
  it.each([
    [
      'services of the API (W-129)',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      'v1.e.com',
      { group: 'e.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
    ],
    ['ranges of addresses (W-130)', '/apis/networking.k8s.io/v1/servicecidrs', 'a', { cidrs: ['10.1.0.0/24'] }],
    [
      'attachments (W-130)',
      '/apis/storage.k8s.io/v1/volumeattachments',
      'a',
      { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'p' } },
    ],
  ])('%s keep their labels, finalizers and owners', async (_name, path, name, spec) => {
    const made = await send('POST', path, { metadata: { name, labels: { a: '1' } }, spec })
    expect(made.status).toBe(201)
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }]
    const metadata = { labels: { a: '2' }, annotations: { x: 'y' }, finalizers: ['a/b'], ownerReferences }
    expect(metaOf(await send('PATCH', `${path}/${name}/status`, { metadata }))).toEqual(metaOf(made))
  })

  it('pods take neither a specification, nor owners, nor another class of service (W-520)', async () => {
    await send('POST', PODS, { metadata: { name: 'p' }, spec: { ...POD_SPEC, nodeName: 'n' } })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }]
    const spec = { containers: [{ name: 'c', image: 'j' }] }
    const patch = (body: object): Promise<Answer> => send('PATCH', `${PODS}/p/status`, body)
    const { status, body } = await patch({ metadata: { ownerReferences }, spec })
    expect([status, body['spec']]).toMatchObject([200, POD_SPEC])
    expect(body['metadata']).not.toHaveProperty('ownerReferences')
    expect((await patch({ status: { qosClass: 'Guaranteed' } })).body['message']).toBe(
      'Pod "p" is invalid: status.qosClass: Invalid value: "Guaranteed": field is immutable',
    )
    expect((await patch({ status: { nominatedNodeName: 'm' } })).body['message']).toBe(
      'Pod "p" is invalid: status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node',
    )
  })

  it('nodes have every address once (W-574)', async () => {
    await send('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
    const address = { type: 'InternalIP', address: '1.1.1.1' }
    const answer = await send('PATCH', '/api/v1/nodes/n/status', { status: { addresses: [address, address] } })
    expect(answer.body['message']).toBe(
      'Node "n" is invalid: status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"1.1.1.1"}',
    )
  })

  it('jobs do not undo what is done, and are not complete by saying so (W-591)', async () => {
    await send('POST', JOBS, {
      metadata: { name: 'j' },
      spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } },
    })
    const patch = (status: object): Promise<Answer> => send('PATCH', `${JOBS}/j/status`, { status })
    await patch({ succeeded: 1, startTime: '2030-01-01T00:00:00Z' })
    expect((await patch({ succeeded: 0 })).body['message']).toContain(
      'status.succeeded: Invalid value: 0: cannot decrease the succeeded counter',
    )
    expect((await patch({ conditions: [{ type: 'Complete', status: 'True' }] })).body['message']).toContain(
      'status.completionTime: Required value: completionTime is required for Complete jobs',
    )
  })
})

it('the resources of a pod are not changed by a plain update (W-539)', async () => {
  await send('POST', PODS, { metadata: { name: 'p' }, spec: POD_SPEC })
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }]
  expect(await send('PATCH', `${PODS}/p`, { spec: { containers } })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('pod updates may not change fields other than') },
  })
})

it('a budget that waits for two thousand pods to go lets no other go (W-534)', async () => {
  const budgets = '/apis/policy/v1/namespaces/ns/poddisruptionbudgets'
  await send('POST', PODS, { metadata: { name: 'p', labels: { a: 'b' } }, spec: { ...POD_SPEC, nodeName: 'n' } })
  await send('PATCH', `${PODS}/p/status`, {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  })
  await send('POST', budgets, {
    metadata: { name: 'b' },
    spec: { minAvailable: 0, selector: { matchLabels: { a: 'b' } } },
  })
  const gone = Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2030-01-01T00:00:00Z'] as const)
  const status = { disruptionsAllowed: 5, observedGeneration: 1, disruptedPods: Object.fromEntries(gone) }
  await send('PATCH', `${budgets}/b/status`, { status })
  expect(await send('POST', `${PODS}/p/eviction`, { metadata: { name: 'p' } })).toMatchObject({
    status: 403,
    body: {
      message:
        'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    },
  })
})

describe('what is going', () => {
  it('a pod stays for its grace, though nothing else holds it, and may be hurried (W-149, W-332)', async () => {
    await send('POST', PODS, { metadata: { name: 'p', finalizers: ['a/b'] }, spec: { ...POD_SPEC, nodeName: 'n' } })
    await send('PATCH', `${PODS}/p/status`, { status: { phase: 'Running' } })
    await send('DELETE', `${PODS}/p`)
    await send('PATCH', `${PODS}/p`, { metadata: { finalizers: [] } })
    expect(metaOf(await send('GET', `${PODS}/p`))).toMatchObject({
      deletionTimestamp: '2030-01-02T03:04:35Z',
      deletionGracePeriodSeconds: 30,
    })
    await api.clock.advance('20s')
    expect(metaOf(await send('DELETE', `${PODS}/p?gracePeriodSeconds=2`))).toMatchObject({
      deletionTimestamp: '2030-01-02T03:04:25Z',
      deletionGracePeriodSeconds: 1,
    })
  })

  it('a namespace stays until its own finalizers are gone, which is said in a place of its own (W-150, W-379)', async () => {
    const at = '/api/v1/namespaces/n'
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'n', finalizers: ['a/b'] } })
    await send('DELETE', at)
    await send('PATCH', at, { metadata: { finalizers: [] } })
    const { status, body } = await send('GET', at)
    expect([status, body['status']]).toEqual([200, { phase: 'Terminating' }])
    const last = await send('PUT', `${at}/finalize`, { ...body, spec: { finalizers: [] }, status: { phase: 'Active' } })
    expect([last.status, last.body['status']]).toEqual([200, { phase: 'Terminating' }])
    expect((await send('GET', at)).status).toBe(404)
  })
})

describe('what was left behind by a server that ended in between', () => {
  beforeEach(async () => {
    await send('POST', MAPS, { metadata: { name: 'a' } })
    const key = { resource: world.resource('configmaps').stored, namespace: 'ns', name: 'a' }
    const marks = { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 }
    const object = await world.get(world.resource('configmaps'), 'a')
    const marked = { ...object, metadata: { ...object.metadata, ...marks } }
    await world.parts.store.write(key, () => ({ kind: 'put', object: marked }), new AbortController().signal)
    expect((await send('GET', `${MAPS}/a`)).status).toBe(200)
  })

  it.each([
    ['a change (W-148)', 'PATCH', { metadata: { labels: { a: 'b' } } }],
    ['another deletion (W-315)', 'DELETE', undefined],
  ])('goes with %s', async (_name, method, body) => {
    expect((await send(method, `${MAPS}/a`, body)).status).toBe(200)
    expect((await send('GET', `${MAPS}/a`)).status).toBe(404)
  })
})

describe('a definition', () => {
  const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const at = `${DEFINITIONS}/foos.e.com`
  const specOf = (stored: string): object => {
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema }))
    return { group: 'e.com', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions }
  }
  beforeEach(async () => {
    await send('POST', DEFINITIONS, { metadata: { name: 'foos.e.com' }, spec: specOf('v1') })
  })

  it('remembers the versions that it was stored in, until somebody says otherwise (P-308)', async () => {
    const storedVersions = async (path: string, body: object): Promise<unknown> =>
      ((await send('PATCH', path, body)).body['status'] as { storedVersions: unknown }).storedVersions
    expect(await storedVersions(at, { spec: specOf('v2') })).toEqual(['v1', 'v2'])
    expect(await storedVersions(`${at}/status`, { status: { storedVersions: ['v1'] } })).toEqual(['v1'])
    expect(await storedVersions(`${at}/status`, { status: { storedVersions: [] } })).toEqual(['v2'])
  })

  it('takes finalizers through its status (W-621)', async () => {
    const finalizers = async (list: readonly string[]): Promise<unknown> =>
      metaOf(await send('PATCH', `${at}/status`, { metadata: { finalizers: list } })).finalizers
    expect(await finalizers(['a/b'])).toEqual(['a/b'])
    expect(await finalizers([])).toBeUndefined()
  })
})

describe('a collection that is deleted', () => {
  /** It is in every namespace. */
  const ROOT_CA = 'kube-root-ca.crt'

  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) await send('POST', MAPS, { metadata: { name } })
  })

  const names = ({ body }: Answer): readonly string[] =>
    (body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)

  it('goes by the page where one is asked for (W-340)', async () => {
    const answer = await send('DELETE', `${MAPS}?limit=2`)
    expect(names(answer)).toEqual(['a', 'b'])
    expect(metaOf(answer).continue).not.toBe('')
    expect(names(await send('GET', MAPS))).toEqual(['c', ROOT_CA])
  })

  it('goes by no version: what is asked for is the condition of each (W-344)', async () => {
    expect(await send('DELETE', `${MAPS}?resourceVersion=0`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('the ResourceVersion in the precondition (0) does not match') },
    })
    expect(names(await send('GET', MAPS))).toEqual(['a', 'b', 'c', ROOT_CA])
  })
})
