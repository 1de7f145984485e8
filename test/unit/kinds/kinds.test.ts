// What single kinds do that others do not.
import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { deleteObject } from '../../../src/registry/delete.ts'
import { ApiWorld, NOW } from '../../fakes/api-world.ts'

const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const GENERATION = 'deprecated.daemonset.template.generation'

const annotation = (object: ApiObject): unknown =>
  (object.metadata['annotations'] as Record<string, string> | undefined)?.[GENERATION]

describe('daemon sets', () => {
  test('count the versions of their template, whatever clients write there (W-135)', async () => {
    const world = new ApiWorld()
    const sets = world.resource('daemonsets', 'apps')
    const spec = { selector: { matchLabels: { app: 'x' } }, template: TEMPLATE }
    expect(annotation(await world.create(sets, { metadata: { name: 'd' }, spec }))).toBe('1')
    const other = { ...TEMPLATE, spec: { containers: [{ name: 'c', image: 'j' }] } }
    const metadata = { name: 'd', annotations: { [GENERATION]: '9' } }
    const changed = await world.update(sets, 'd', () => ({ metadata, spec: { ...spec, template: other } }))
    expect(annotation(changed)).toBe('2')
    expect(annotation(await world.update(sets, 'd', (live) => ({ ...live, metadata })))).toBe('2')
    const status = { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
    const reported = await world.update(sets, 'd', (live) => ({ ...live, metadata, status }), { subresource: 'status' })
    expect(annotation(reported)).toBe('2')
  })
})

describe('jobs', () => {
  const pods = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }

  test('get labels and a selector by which their pods are found (W-587)', async () => {
    const world = new ApiWorld()
    const job = await world.create(world.resource('jobs', 'batch'), {
      metadata: { name: 'j' },
      spec: { template: { spec: pods } },
    })
    const { uid } = job.metadata
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'j',
      'controller-uid': uid,
      'job-name': 'j',
    }
    expect(job['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels } },
    })
    expect(job.metadata['labels']).toEqual(labels)
  })

  test('keep what their author takes care of (W-587)', async () => {
    const world = new ApiWorld()
    const selector = { matchLabels: { app: 'x' } }
    const job = await world.create(world.resource('jobs', 'batch'), {
      metadata: { name: 'j', labels: { mine: 'yes' } },
      spec: { manualSelector: true, selector, template: { ...TEMPLATE, spec: pods } },
    })
    expect(job['spec']).toMatchObject({ selector, template: { metadata: { labels: { app: 'x' } } } })
    expect(job.metadata['labels']).toEqual({ mine: 'yes' })
  })

  test('warn where their deletion does not say what becomes of pods (W-321)', async () => {
    const world = new ApiWorld()
    const jobs = world.resource('jobs', 'batch')
    const options = {
      gracePeriodSeconds: undefined,
      preconditions: { uid: undefined, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: undefined,
      ignoreReadErrors: false,
    }
    for (const name of ['a', 'b']) await world.create(jobs, { metadata: { name }, spec: { template: { spec: pods } } })
    const asked = { ...options, propagationPolicy: 'Background' } as const
    await deleteObject(world.parts, jobs, { name: 'a', options: asked }, world.context())
    expect(world.warnings).toEqual([])
    await deleteObject(world.parts, jobs, { name: 'b', options }, world.context())
    expect(world.warnings).toEqual([expect.stringContaining('child pods are preserved by default')])
  })
})

describe('certificate signing requests', () => {
  const request = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\n').toString('base64')
  const user = { name: 'jane', uid: undefined, groups: ['devs'], extra: { from: ['here'] } }

  test('say who asked, whatever they are told (W-596)', () => {
    const world = new ApiWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const object = {
      kind: '',
      apiVersion: '',
      metadata: { name: 'c' },
      spec: { request, username: 'forged', uid: '1' },
    }
    const prepared = strategy.prepareForCreate(object, world.context({ user }))
    expect(prepared['spec']).toEqual({ request, username: 'jane', groups: ['devs'], extra: { from: ['here'] } })
  })

  const condition = (type: string, more: object = {}): object => ({ type, status: 'True', ...more })
  const stored = (conditions: readonly object[]): ApiObject =>
    ({
      kind: '',
      apiVersion: '',
      metadata: { name: 'c' },
      spec: { a: 1 },
      status: { conditions, certificate: 'x' },
    }) as never

  test('take conditions through approval and nothing else, and date them (W-597, W-598)', () => {
    const world = new ApiWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const sent = { ...stored([condition('Approved')]), spec: { a: 2 } }
    const prepared = strategy.subresources['approval']!.prepare(sent, stored([]), world.context())
    expect(prepared['spec']).toEqual({ a: 1 })
    expect(prepared['status']).toEqual({
      conditions: [condition('Approved', { lastUpdateTime: NOW, lastTransitionTime: NOW })],
      certificate: 'x',
    })
  })

  test('keep what was decided where a signer repeats it', () => {
    const world = new ApiWorld()
    const { strategy } = world.resource('certificatesigningrequests', 'certificates.k8s.io')
    const decided = condition('Approved', { reason: 'Good', lastUpdateTime: NOW, lastTransitionTime: NOW })
    const sent = stored([condition('Approved', { reason: 'Other' }), condition('Failed')])
    const prepared = strategy.subresources['status']!.prepare(sent, stored([decided]), world.context())
    expect(prepared['status']).toMatchObject({ conditions: [decided, { type: 'Failed', lastTransitionTime: NOW }] })
  })
})

describe('first states (W-089, W-091, W-578)', () => {
  const rows: readonly { name: string; at: [string, string?]; object: object; expected: object }[] = [
    {
      name: 'nodes keep the status that they come with',
      at: ['nodes'],
      object: { metadata: { name: 'n' }, status: { capacity: { cpu: '4' } } },
      expected: { status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } } },
    },
    {
      name: 'volumes are pending since now',
      at: ['persistentvolumes'],
      object: {
        metadata: { name: 'v' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
      expected: { status: { phase: 'Pending', lastPhaseTransitionTime: NOW } },
    },
    {
      name: 'claims are pending, and name their source both ways',
      at: ['persistentvolumeclaims'],
      object: {
        metadata: { name: 'c' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
        },
      },
      expected: {
        spec: { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'other' } },
        status: { phase: 'Pending' },
      },
    },
    {
      name: 'service accounts keep the names of secrets alone',
      at: ['serviceaccounts'],
      object: { metadata: { name: 'a' }, secrets: [{ kind: 'Secret', namespace: 'x', name: 's' }] },
      expected: { secrets: [{ name: 's' }] },
    },
    {
      name: 'limit ranges get a name',
      at: ['limitranges'],
      object: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
      expected: { metadata: { name: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    },
    {
      name: 'local services of the API are available at once',
      at: ['apiservices', 'apiregistration.k8s.io'],
      object: {
        metadata: { name: 'v1.example.com' },
        spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
      },
      expected: { status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] } },
    },
  ]
  for (const { name, at, object, expected } of rows) {
    test(name, async () => {
      const world = new ApiWorld()
      expect(await world.create(world.resource(...at), object)).toMatchObject(expected)
    })
  }
})

test('the priority classes of the system cannot be deleted (W-610)', () => {
  const { strategy } = new ApiWorld().resource('priorityclasses', 'scheduling.k8s.io')
  expect(strategy.refuseDelete('system-node-critical')).toBe('this is a system priority class and cannot be deleted')
  expect(strategy.refuseDelete('mine')).toBeUndefined()
})

test('a volume that changes its phase says when, unless it is told (W-575)', async () => {
  const world = new ApiWorld()
  const volumes = world.resource('persistentvolumes')
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } }
  await world.create(volumes, { metadata: { name: 'v' }, spec })
  const [later, told] = ['2031-01-01T00:00:00Z', '2032-01-01T00:00:00Z']
  const status = (given: object, now: string): Promise<ApiObject> =>
    world.update(volumes, 'v', (live) => ({ ...live, status: given }), { subresource: 'status', now })
  expect((await status({ phase: 'Available' }, later))['status']).toMatchObject({ lastPhaseTransitionTime: later })
  const both = { phase: 'Bound', lastPhaseTransitionTime: told }
  expect((await status(both, later))['status']).toMatchObject(both)
})

test('what belongs to coordinated elections is dropped from leases while these are off', async () => {
  const world = new ApiWorld()
  const leases = world.resource('leases', 'coordination.k8s.io')
  const spec = { holderIdentity: 'me', leaseDurationSeconds: 10, strategy: 'OldestEmulationVersion' }
  expect((await world.create(leases, { metadata: { name: 'a' }, spec }))['spec']).not.toHaveProperty('strategy')
  const gates = new Set(['CoordinatedLeaderElection'])
  expect((await world.create(leases, { metadata: { name: 'b' }, spec }, { gates }))['spec']).toHaveProperty('strategy')
  const kept = await world.update(leases, 'b', (live) => ({ ...live, spec: { ...spec, holderIdentity: 'you' } }))
  expect(kept['spec']).toHaveProperty('strategy')
})

test('a replication controller that loses its labels bears those of its template', async () => {
  const world = new ApiWorld()
  const controllers = world.resource('replicationcontrollers')
  const spec = { selector: { app: 'x' }, template: TEMPLATE }
  await world.create(controllers, { metadata: { name: 'r', labels: { mine: 'yes' } }, spec })
  const bare = await world.update(controllers, 'r', (live) => ({ ...live, metadata: { name: 'r' } }), {
    subresource: 'status',
  })
  expect(bare.metadata['labels']).toEqual({ app: 'x' })
})

test('what belongs to a feature that is off is dropped on create, and nothing else is', async () => {
  const world = new ApiWorld()
  const rollingUpdate = { partition: 1, maxUnavailable: 2 }
  const spec = {
    selector: { matchLabels: { app: 'x' } },
    template: TEMPLATE,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
  }
  const set = await world.create(world.resource('statefulsets', 'apps'), { metadata: { name: 's' }, spec })
  expect(set['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 1 } } })
  expect(JSON.stringify(set['spec'])).not.toContain('maxUnavailable')
})
