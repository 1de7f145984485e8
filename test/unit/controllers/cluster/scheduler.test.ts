// The scheduler of a cluster in this process.
import { describe, expect, it } from 'vitest'
import type { Event, Pod } from '../../../../src/api/gen/kinds.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

const container = (resources: object = {}): object => ({ name: 'main', image: 'nginx', resources })
const requests = (amounts: object): object => ({ containers: [container({ requests: amounts })] })

async function place(cluster: ClusterWorld, name: string, spec: object, labels: object = {}): Promise<Pod> {
  await cluster.apply('pods', { metadata: { name, labels }, spec: { containers: [container()], ...spec } })
  await cluster.settle(0)
  return cluster.get<Pod>('pods', name)
}

const whyNot = ({ status }: Pod): string | undefined =>
  status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message

/** Denies writes of objects with the name `guarded`. Resolves to a function that allows them again. */
async function guard(
  cluster: ClusterWorld,
  group: string,
  resource: string,
  operations: readonly string[],
  name = 'guarded',
): Promise<() => Promise<void>> {
  const { world } = cluster
  const policies = world.resource('validatingadmissionpolicies', 'admissionregistration.k8s.io')
  const bindings = world.resource('validatingadmissionpolicybindings', 'admissionregistration.k8s.io')
  const rule = { apiGroups: [group], apiVersions: ['v1'], operations, resources: [resource] }
  await world.create(policies, {
    metadata: { name: 'guard' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [
        { expression: `(object == null ? oldObject : object).metadata.name != '${name}'`, message: 'guarded' },
      ],
    },
  })
  await world.create(bindings, {
    metadata: { name: 'guard' },
    spec: { policyName: 'guard', validationActions: ['Deny'] },
  })
  await cluster.settle()
  return async () => void (await world.delete(bindings, 'guard', {}, ''))
}

const NO_VICTIMS = 'No preemption victims found for incoming pod.'
const NO_HELP = 'Preemption is not helpful for scheduling.'

describe('the scheduler', () => {
  it.each([
    ['requests beyond a node', requests({ cpu: '33' }), '3 Insufficient cpu', NO_HELP],
    [
      'requests of two resources',
      requests({ cpu: '33', memory: '1Ti' }),
      '3 Insufficient cpu, 3 Insufficient memory',
      NO_HELP,
    ],
    [
      'a selector without a node',
      { nodeSelector: { disk: 'ssd' } },
      "3 node(s) didn't match Pod's node affinity/selector",
      NO_HELP,
    ],
    [
      'an affinity without a node',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }],
            },
          },
        },
      },
      "3 node(s) didn't match Pod's node affinity/selector",
      NO_HELP,
    ],
    [
      'an affinity to no pod',
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'other' } } },
            ],
          },
        },
      },
      "3 node(s) didn't match pod affinity rules",
      NO_HELP,
    ],
  ])('says why a pod with %s waits', async (_, spec, why, preemption) => {
    const cluster = await openCluster()
    const pod = await place(cluster, 'one', spec)
    const message = `0/3 nodes are available: ${why}. preemption: 0/3 nodes are available: 3 ${preemption}`
    expect(whyNot(pod)).toBe(message)
    const events = await cluster.list<Event>('events')
    expect(events.filter(({ reason }) => reason === 'FailedScheduling')).toMatchObject([
      { type: 'Warning', message, reportingComponent: 'default-scheduler', action: 'Scheduling' },
    ])
  })

  it('says at level 1.36 that it finds no claims to take back', async () => {
    const cluster = await openCluster({ nodes: 1, flags: ['--emulated-version=1.36'] })
    const why = '1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available'
    expect(whyNot(await place(cluster, 'one', requests({ cpu: '33' })))).toContain(why)
  })

  it('gives no room to two pods that come at the same time', async () => {
    const cluster = await openCluster()
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`)
    const spec = requests({ cpu: '16' })
    await Promise.all(names.map((name) => cluster.apply('pods', { metadata: { name }, spec })))
    await cluster.settle(0)
    const pods = await Promise.all(names.map((name) => cluster.get<Pod>('pods', name)))
    const perNode = Map.groupBy(pods, (pod) => pod.spec.nodeName ?? '')
    expect(['', 'node-0', 'node-1', 'node-2'].map((name) => perNode.get(name)?.length)).toEqual([6, 2, 2, 2])
  })

  it('assigns a waiting pod when there is room', async () => {
    const cluster = await openCluster({ nodes: 1 })
    await place(cluster, 'large', requests({ cpu: '20' }))
    const waiting = await place(cluster, 'other', requests({ cpu: '20' }))
    expect(whyNot(waiting)).toBe(
      `0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 ${NO_VICTIMS}`,
    )
    await cluster.delete('pods', 'large')
    await cluster.settle()
    expect((await cluster.get<Pod>('pods', 'other')).spec.nodeName).toBe('node-0')
  })

  it('takes the pod of the highest priority first', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const classes = cluster.world.resource('priorityclasses', 'scheduling.k8s.io')
    await cluster.world.create(classes, { metadata: { name: 'high' }, value: 1000 })
    await place(cluster, 'large', requests({ cpu: '20' }))
    for (const [name, priorityClassName] of [
      ['low', ''],
      ['high', 'high'],
    ] as const) {
      await place(cluster, name, {
        ...requests({ cpu: '20' }),
        ...(priorityClassName === '' ? {} : { priorityClassName }),
      })
    }
    await cluster.settle(10_000)
    await cluster.delete('pods', 'large')
    await cluster.settle(10_000)
    expect((await cluster.get<Pod>('pods', 'high')).spec.nodeName).toBe('node-0')
    expect((await cluster.get<Pod>('pods', 'low')).spec.nodeName).toBeUndefined()
  })

  it('keeps pods off tainted and cordoned nodes, but for those that tolerate it', async () => {
    const cluster = await openCluster({ nodes: 2 })
    const nodes = cluster.resource('nodes')
    const taints = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }]
    await cluster.world.update(
      nodes,
      'node-0',
      (live) => ({ ...live, spec: { ...(live['spec'] as object), taints } }),
      { namespace: '' },
    )
    await cluster.world.update(
      nodes,
      'node-1',
      (live) => ({ ...live, spec: { ...(live['spec'] as object), unschedulable: true } }),
      { namespace: '' },
    )
    await cluster.settle(0)
    const kept = await place(cluster, 'kept', {})
    expect(whyNot(kept)).toBe(
      `0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 2 ${NO_HELP}`,
    )
    const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' }]
    expect((await place(cluster, 'let-in', { tolerations })).spec.nodeName).toBe('node-0')
  })

  it('tells in a pod that its binding was refused, goes on with other pods, and tries it again', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const allow = await guard(cluster, '', 'pods/binding', ['CREATE'])
    const guarded = await place(cluster, 'guarded', {})
    expect(guarded.spec.nodeName).toBeUndefined()
    expect(guarded.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'False', reason: 'SchedulerError' }),
    )
    expect(whyNot(guarded)).toContain("ValidatingAdmissionPolicy 'guard' with binding 'guard' denied request: guarded")
    expect((await place(cluster, 'other', {})).spec.nodeName).toBe('node-0')
    await allow()
    await cluster.settle(20_000)
    expect((await cluster.get<Pod>('pods', 'guarded')).spec.nodeName).toBe('node-0')
  })

  it('goes on with other pods where a pod may not be told that it does not fit', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const allow = await guard(cluster, '', 'pods/status', ['UPDATE'])
    const guarded = await place(cluster, 'guarded', { nodeSelector: { there: 'is-none' } })
    expect(whyNot(guarded)).toBeUndefined()
    expect((await place(cluster, 'other', {})).spec.nodeName).toBe('node-0')
    await allow()
    await cluster.settle(20_000)
    expect(whyNot(await cluster.get<Pod>('pods', 'guarded'))).toContain("didn't match Pod's node affinity")
  })

  it('goes on where the lease of a node may not be renewed', async () => {
    const cluster = await openCluster({ nodes: 1 })
    await guard(cluster, 'coordination.k8s.io', 'leases', ['UPDATE'], 'node-0')
    await cluster.settle(20_000)
    await place(cluster, 'unfit', { nodeSelector: { there: 'is-none' } })
    await cluster.settle(20_000)
    const events = (await cluster.list<Event>('events')).filter(({ reason }) => reason === 'FailedScheduling')
    expect(events).toHaveLength(1)
    expect((await place(cluster, 'other', {})).spec.nodeName).toBe('node-0')
  })

  it('gives a host port to one pod of a node', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const spec = { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80, hostPort: 80 }] }] }
    expect((await place(cluster, 'first', spec)).spec.nodeName).toBe('node-0')
    expect(whyNot(await place(cluster, 'second', spec))).toContain("didn't have free ports for the requested pod ports")
  })

  it('spreads pods over zones as far as their constraint asks', async () => {
    const cluster = await openCluster({ nodes: 3 })
    const constraint = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }
    const spec = { topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels: { app: 'web' } } }] }
    const placed: unknown[] = []
    for (const name of ['a', 'b', 'c']) placed.push((await place(cluster, name, spec, { app: 'web' })).spec.nodeName)
    expect(new Set(placed).size).toBe(3)
    const bound = { ...spec, nodeSelector: { 'kubernetes.io/hostname': 'node-0' } }
    expect((await place(cluster, 'd', bound, { app: 'web' })).spec.nodeName).toBe('node-0')
    await cluster.apply('nodes', { metadata: { name: 'bare' } })
    const tight = { ...spec, nodeName: undefined, nodeSelector: {} }
    for (const name of ['e', 'f']) placed.push((await place(cluster, name, tight, { app: 'web' })).spec.nodeName)
    const zones = (await cluster.list<Pod>('pods')).map(({ spec }) => spec.nodeName)
    expect(['node-0', 'node-1', 'node-2'].map((name) => zones.filter((one) => one === name).length)).toEqual([2, 2, 2])
  })

  it('keeps pods apart by anti-affinity, of the new pod and of those that run', async () => {
    const cluster = await openCluster({ nodes: 2 })
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } }
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
    const nodes = [await place(cluster, 'a', apart, { app: 'db' }), await place(cluster, 'b', apart, { app: 'db' })]
    expect(new Set(nodes.map(({ spec }) => spec.nodeName)).size).toBe(2)
    expect(whyNot(await place(cluster, 'c', apart, { app: 'db' }))).toContain(
      "2 node(s) didn't match pod anti-affinity rules",
    )
    expect(whyNot(await place(cluster, 'd', {}, { app: 'db' }))).toContain(
      "2 node(s) didn't satisfy existing pods anti-affinity rules",
    )
  })

  it('puts pods together by affinity, the first of them anywhere', async () => {
    const cluster = await openCluster({ nodes: 3 })
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'pair' } } }
    const near = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
    const placed: unknown[] = []
    for (const name of ['a', 'b', 'c']) placed.push((await place(cluster, name, near, { app: 'pair' })).spec.nodeName)
    expect(placed[0]).toMatch(/^node-/)
    expect(new Set(placed).size).toBe(1)
  })

  it('prefers the nodes that a pod prefers', async () => {
    const cluster = await openCluster({ nodes: 3 })
    const preference = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] }] }
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference }] } }
    expect((await place(cluster, 'one', { affinity })).spec.nodeName).toBe('node-2')
  })

  it('waits for scheduling gates, and leaves pods of other schedulers alone', async () => {
    const cluster = await openCluster()
    const gated = await place(cluster, 'gated', { schedulingGates: [{ name: 'example.com/wait' }] })
    const other = await place(cluster, 'other', { schedulerName: 'mine' })
    expect([gated.spec.nodeName, other.spec.nodeName]).toEqual([undefined, undefined])
    await cluster.update('core_v1.Pod', 'gated', (live) => ({ ...live, spec: { ...live.spec, schedulingGates: [] } }))
    await cluster.settle(0)
    expect((await cluster.get<Pod>('pods', 'gated')).spec.nodeName).toMatch(/^node-/)
  })
})
