// Pods on simulated nodes, and the nodes themselves.
import { describe, expect, it } from 'vitest'
import type { Job, Lease, Node, Pod } from '../../../../src/api/gen/kinds.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

interface PodSketch {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: object
}

const pod = (name: string, { annotations = {}, spec = {} }: PodSketch = {}): object => ({
  metadata: {
    name,
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`quarterdeck.dev/${key}`, text])),
  },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec },
})

async function made(cluster: ClusterWorld, sketch: PodSketch): Promise<() => Promise<Pod>> {
  await cluster.apply('pods', pod('one', sketch))
  await cluster.settle(0)
  return () => cluster.get<Pod>('pods', 'one')
}

const state = ({ status }: Pod): object => ({
  phase: status.phase,
  states: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(({ state }) => {
    if (state.waiting !== undefined) return state.waiting.reason
    return state.terminated === undefined ? 'running' : `ended ${state.terminated.exitCode}`
  }),
})

const isTrue = ({ status }: Pod, type: string): boolean =>
  status.conditions?.find((one) => one.type === type)?.status === 'True'

describe('a simulated node', () => {
  it('is ready, has capacity and a range of addresses, and renews its lease', async () => {
    const cluster = await openCluster({ nodes: 2 })
    const nodes = await cluster.list<Node>('nodes')
    expect(nodes.map(({ metadata }) => metadata.name)).toEqual(['node-0', 'node-1'])
    for (const { spec, status } of nodes) {
      expect(spec.taints).toBeUndefined()
      expect(status.allocatable).toMatchObject({ cpu: '32', pods: '110' })
      expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' })
    }
    expect(nodes.map(({ spec }) => spec.podCIDR)).toEqual(['10.244.0.0/24', '10.244.1.0/24'])
    const renewed = async (): Promise<string | undefined> =>
      (await cluster.get<Lease>('leases', 'node-0', 'kube-node-lease')).spec.renewTime
    const before = await renewed()
    await cluster.settle(20_000)
    expect(Date.parse((await renewed())!) - Date.parse(before!)).toBe(20_000)
  })

  it('is also a Node that a user makes, with its own capacity', async () => {
    const cluster = await openCluster({ nodes: 0, flags: ['--nodes=1'] })
    const annotations = { 'quarterdeck.dev/node': 'simulated' }
    const status = { capacity: { cpu: '1', pods: '5' }, allocatable: { cpu: '1', pods: '5' } }
    await cluster.apply('nodes', { metadata: { name: 'small', annotations, labels: { size: 'small' } }, status })
    const read = await made(cluster, { spec: { nodeSelector: { size: 'small' } } })
    expect((await cluster.get<Node>('nodes', 'small', '')).status).toMatchObject(status)
    expect((await read()).spec.nodeName).toBe('small')
    expect(state(await read())).toEqual({ phase: 'Running', states: ['running'] })
  })

  it('leaves other nodes and their pods alone', async () => {
    const cluster = await openCluster()
    await cluster.apply('nodes', { metadata: { name: 'real' } })
    const read = await made(cluster, { spec: { nodeName: 'real' } })
    await cluster.settle(60_000)
    expect((await read()).status.startTime).toBeUndefined()
    expect((await cluster.get<Node>('nodes', 'real', '')).status.conditions).toBeUndefined()
  })
})

describe('a pod on a simulated node', () => {
  it('runs and is ready, with addresses that no other pod has', async () => {
    const cluster = await openCluster({ nodes: 1 })
    for (const name of ['a', 'b', 'c']) await cluster.apply('pods', pod(name))
    await cluster.settle(0)
    const pods = await cluster.list<Pod>('pods')
    const addresses = new Set(pods.map(({ status }) => status.podIP))
    expect(addresses).toEqual(new Set(['10.244.0.2', '10.244.0.3', '10.244.0.4']))
    for (const one of pods) {
      expect(state(one)).toEqual({ phase: 'Running', states: ['running'] })
      for (const type of ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled', 'PodReadyToStartContainers'])
        expect(isTrue(one, type)).toBe(true)
      expect(one.status.hostIP).toBe('172.30.0.1')
    }
    await cluster.delete('pods', 'b')
    await cluster.settle(0)
    await cluster.apply('pods', pod('d'))
    await cluster.settle(0)
    expect((await cluster.get<Pod>('pods', 'd')).status.podIP).toBe('10.244.0.3')
  })

  it('starts and becomes ready after the times of its annotations', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const read = await made(cluster, { annotations: { 'start-delay': '10s', 'ready-delay': '20s' } })
    expect(state(await read())).toEqual({ phase: 'Pending', states: ['ContainerCreating'] })
    await cluster.settle(15_000)
    expect(state(await read())).toEqual({ phase: 'Running', states: ['running'] })
    expect(isTrue(await read(), 'Ready')).toBe(false)
    await cluster.settle(20_000)
    expect(isTrue(await read(), 'Ready')).toBe(true)
  })

  it('runs its init containers one after the other, and its sidecars beside the others', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const initContainers = [
      { name: 'first', image: 'a' },
      { name: 'sidecar', image: 'b', restartPolicy: 'Always' },
      { name: 'second', image: 'c' },
    ]
    const annotations = { 'run-time.first': '10s', 'run-time.second': '10s' }
    const read = await made(cluster, { annotations, spec: { initContainers } })
    const waits = 'PodInitializing'
    expect(state(await read())).toEqual({ phase: 'Pending', states: ['running', waits, waits, waits] })
    await cluster.settle(11_000)
    expect(state(await read())).toEqual({ phase: 'Pending', states: ['ended 0', 'running', 'running', waits] })
    await cluster.settle(11_000)
    expect(state(await read())).toEqual({ phase: 'Running', states: ['ended 0', 'running', 'ended 0', 'running'] })
    expect(isTrue(await read(), 'Ready')).toBe(true)
  })

  it('fails with an init container that fails, if its containers are not restarted', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const spec = { restartPolicy: 'Never', initContainers: [{ name: 'first', image: 'a' }] }
    const read = await made(cluster, { annotations: { 'exit-code.first': '3' }, spec })
    expect(state(await read())).toEqual({ phase: 'Failed', states: ['ended 3', 'PodInitializing'] })
  })

  it.each([
    ['Never', '0', { phase: 'Succeeded', states: ['ended 0'] }],
    ['Never', '7', { phase: 'Failed', states: ['ended 7'] }],
    ['OnFailure', '0', { phase: 'Succeeded', states: ['ended 0'] }],
    ['OnFailure', '7', { phase: 'Running', states: ['CrashLoopBackOff'] }],
    ['Always', '0', { phase: 'Running', states: ['CrashLoopBackOff'] }],
  ])('with the restart policy %s ends by its exit code %s', async (restartPolicy, code, wanted) => {
    const cluster = await openCluster({ nodes: 1 })
    const annotations = { 'run-time': '5s', 'exit-code': code }
    const read = await made(cluster, { annotations, spec: { restartPolicy } })
    expect(state(await read())).toEqual({ phase: 'Running', states: ['running'] })
    await cluster.settle(6_000)
    expect(state(await read())).toEqual(wanted)
  })

  it('crashes again and again, with longer and longer pauses', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const read = await made(cluster, { annotations: { 'crash-loop': 'true' } })
    const restarts = async (): Promise<number | undefined> => (await read()).status.containerStatuses?.[0]?.restartCount
    expect(await restarts()).toBe(1)
    const seen: unknown[] = []
    for (let i = 0; i < 4; i++) {
      await cluster.settle(20_000)
      seen.push(await restarts())
    }
    expect(seen).toEqual([2, 3, 3, 4])
    expect((await read()).status.containerStatuses?.[0]?.lastState.terminated?.exitCode).toBe(1)
  })

  it('goes at once where nothing holds it, and otherwise after its delay, but not after its grace period', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const names = async (): Promise<readonly (string | undefined)[]> =>
      (await cluster.list<Pod>('pods')).map(({ metadata }) => metadata.name)
    await cluster.apply('pods', pod('quick'))
    await cluster.apply('pods', pod('slow', { annotations: { 'stop-delay': '10s' } }))
    await cluster.apply('pods', pod('stuck', { annotations: { 'stop-delay': '1h' } }))
    await cluster.settle(0)
    for (const name of ['quick', 'slow', 'stuck']) await cluster.delete('pods', name)
    await cluster.settle(5_000)
    expect(await names()).toEqual(['slow', 'stuck'])
    await cluster.settle(10_000)
    expect(await names()).toEqual(['stuck'])
    await cluster.settle(20_000)
    expect(await names()).toEqual([])
  })

  it('has an end in its status where a finalizer keeps it', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const { metadata, ...rest } = pod('held') as { metadata: object }
    await cluster.apply('pods', { ...rest, metadata: { ...metadata, finalizers: ['example.com/hold'] } })
    await cluster.settle(0)
    await cluster.delete('pods', 'held')
    await cluster.settle(5_000)
    const held = await cluster.get<Pod>('pods', 'held')
    expect(state(held)).toEqual({ phase: 'Failed', states: ['ended 143'] })
    await cluster.update('core_v1.Pod', 'held', (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
    await cluster.settle(0)
    expect(await cluster.list('pods')).toEqual([])
  })

  it.each([
    [['sleep', '30'], 0],
    [['sh', '-c', 'echo begin; sleep 29s && sleep 1; exit 3'], 3],
    [['/bin/sh', '-c'], 1, ['sleep 0.5m\nfalse && true']],
  ] as const)('runs for as long as its command %j says', async (command, exitCode, args: readonly string[] = []) => {
    const cluster = await openCluster({ nodes: 1 })
    const containers = [{ name: 'main', image: 'busybox', command, args }]
    const read = await made(cluster, { spec: { restartPolicy: 'Never', containers } })
    await cluster.settle(29_000)
    expect(state(await read())).toEqual({ phase: 'Running', states: ['running'] })
    await cluster.settle(1000)
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
    expect(state(await read())).toEqual({ phase, states: [`ended ${exitCode}`] })
  })

  it.each([
    ['/bin/false', [], 'CrashLoopBackOff'],
    ['true', [], 'CrashLoopBackOff'],
    ['sleep', ['infinity'], 'running'],
    ['sh', ['-c', 'while true; do date; sleep 1; done'], 'running'],
    ['sh', ['-c', 'while true; do sleep 1; exit 1; done'], 'running'],
    ['sh', ['-c', 'sleep 1 & wait'], 'running'],
    ['sh', ['-ec', 'false; true'], 'running'],
    ['sh', ['-c', 'test -f /x || false'], 'running'],
    ['sleep', ['-1'], 'running'],
    ['server', ['false'], 'running'],
  ])('does not end unless the end of %s %j is known', async (program, args, expected) => {
    const cluster = await openCluster({ nodes: 1 })
    const read = await made(cluster, { spec: { containers: [{ name: 'main', image: 'i', command: [program], args }] } })
    await cluster.settle(1000)
    expect(state(await read())).toMatchObject({ states: [expected] })
  })

  it('ends in a Job, but for a command or an image that does not end', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const job = (name: string, container: object): Promise<unknown> =>
      cluster.apply('jobs', {
        metadata: { name },
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', ...container }] } },
        },
      })
    await job('unknown', { command: ['compute'] })
    await job('sleep', { command: ['sleep', '1000000'] })
    await job('pause', { image: 'registry.k8s.io/pause:3.10' })
    await cluster.settle(60_000)
    const succeeded = (await cluster.list<Job>('jobs')).map(({ metadata, status }) => [
      metadata.name,
      status?.succeeded,
    ])
    expect(succeeded).toEqual([
      ['pause', undefined],
      ['sleep', undefined],
      ['unknown', 1],
    ])
  })

  const withPort = { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80, hostPort: 8080 }] }] }
  const withCpu = { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '20' } } }] }
  it.each([
    [withPort, 'NodePorts', "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"],
    [withCpu, 'OutOfcpu', "Node didn't have enough resource: cpu, requested: 20000, used: 20000, capacity: 32000"],
  ])('is rejected if a client binds it to a node that has no room for %j', async (spec, reason, message) => {
    const cluster = await openCluster({ nodes: 1 })
    const bound = { spec: { ...spec, nodeName: 'node-0' } }
    await cluster.apply('pods', pod('first', bound))
    await cluster.apply('pods', pod('second', bound))
    const claims = [
      {
        name: 'main',
        image: 'i',
        resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
      },
    ]
    await cluster.apply('pods', pod('unreported', { spec: { containers: claims, nodeName: 'node-0' } }))
    await cluster.settle(1000)
    expect((await cluster.get<Pod>('pods', 'first')).status.phase).toBe('Running')
    expect((await cluster.get<Pod>('pods', 'unreported')).status.phase).toBe('Running')
    const { status } = await cluster.get<Pod>('pods', 'second')
    expect(status).toMatchObject({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` })
    expect(await cluster.list('events')).toContainEqual(
      expect.objectContaining({
        type: 'Warning',
        reason,
        message,
        involvedObject: expect.objectContaining({ name: 'second' }),
      }),
    )
    await cluster.delete('pods', 'first')
    await cluster.settle(1000)
    await cluster.apply('pods', pod('third', bound))
    await cluster.settle(1000)
    expect((await cluster.get<Pod>('pods', 'third')).status.phase).toBe('Running')
  })

  it('is rejected if a client binds it to a node that it does not select or tolerate', async () => {
    const cluster = await openCluster({ nodes: 0, flags: ['--nodes=1'] })
    const annotations = { 'quarterdeck.dev/node': 'simulated' }
    const taints = [{ key: 'broken', effect: 'NoExecute' }]
    await cluster.apply('nodes', { metadata: { name: 'small', annotations }, spec: { taints } })
    await cluster.settle(1000)
    await cluster.apply('pods', pod('elsewhere', { spec: { nodeName: 'small', nodeSelector: { size: 'large' } } }))
    await cluster.apply('pods', pod('intolerant', { spec: { nodeName: 'small' } }))
    await cluster.settle(1000)
    expect((await cluster.get<Pod>('pods', 'elsewhere')).status).toMatchObject({ reason: 'NodeAffinity' })
    expect((await cluster.get<Pod>('pods', 'intolerant')).status).toMatchObject({ reason: 'TaintToleration' })
  })

  it('ends at its deadline', async () => {
    const cluster = await openCluster()
    const read = await made(cluster, { spec: { activeDeadlineSeconds: 10 } })
    await cluster.settle(8_000)
    expect(state(await read())).toEqual({ phase: 'Running', states: ['running'] })
    await cluster.settle(4_000)
    const ended = await read()
    expect(ended.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' })
    expect(isTrue(ended, 'Ready')).toBe(false)
  })

  it('runs the containers that kubectl debug adds', async () => {
    const cluster = await openCluster()
    const read = await made(cluster, { annotations: { 'run-time.brief': '5s', 'exit-code': '3', 'run-time': '1h' } })
    await cluster.settle()
    const before = await read()
    const ephemeralContainers = ['shell', 'brief'].map((name) => ({ name, image: 'busybox' }))
    await cluster.world.must('PUT', '/api/v1/namespaces/ns/pods/one/ephemeralcontainers', {
      ...before,
      spec: { ...before.spec, ephemeralContainers },
    })
    await cluster.settle(1_000)
    const { ephemeralContainerStatuses: added = [] } = (await read()).status
    expect(added).toMatchObject([
      { name: 'shell', ready: false, restartCount: 0, state: { running: {} } },
      { name: 'brief', state: { running: {} } },
    ])
    await cluster.settle(30_000)
    const after = (await read()).status
    expect(after.ephemeralContainerStatuses).toMatchObject([
      { name: 'shell', state: { running: {} } },
      { name: 'brief', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    ])
    expect(after.phase).toBe('Running')
  })

  it('waits for its readiness gates', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const read = await made(cluster, { spec: { readinessGates: [{ conditionType: 'example.com/ok' }] } })
    expect(isTrue(await read(), 'ContainersReady')).toBe(true)
    expect(isTrue(await read(), 'Ready')).toBe(false)
    const condition = { type: 'example.com/ok', status: 'True' }
    await cluster.world.update(
      cluster.resource('pods'),
      'one',
      (live) => ({
        ...live,
        status: { ...(live as Pod).status, conditions: [...((live as Pod).status.conditions ?? []), condition] },
      }),
      { subresource: 'status' },
    )
    await cluster.settle(0)
    expect(isTrue(await read(), 'Ready')).toBe(true)
  })
})

describe('a pod that no node ends', () => {
  it('fails and goes when it is deleted before it has a node, so that its Job ends', async () => {
    const cluster = await openCluster({ nodes: 1 })
    const containers = [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '100' } } }]
    const template = { spec: { restartPolicy: 'Never', containers } }
    await cluster.apply('jobs', {
      metadata: { name: 'late' },
      spec: { activeDeadlineSeconds: 5, podReplacementPolicy: 'Failed', template },
    })
    await cluster.settle(60_000)
    expect(await cluster.list('pods')).toEqual([])
    const { status } = await cluster.get<Job>('jobs', 'late')
    expect(status.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toContain('Failed DeadlineExceeded')
  })

  it('fails and goes when its node is gone, but not at once', async () => {
    const cluster = await openCluster({ nodes: 2 })
    await cluster.apply('pods', {
      metadata: { name: 'lost', finalizers: ['example.com/kept'] },
      spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-1' }, containers: [{ name: 'main', image: 'nginx' }] },
    })
    await cluster.settle()
    await cluster.world.delete(cluster.resource('nodes'), 'node-1', {}, '')
    await cluster.settle(20_000)
    expect((await cluster.get<Pod>('pods', 'lost')).status.phase).toBe('Running')
    await cluster.settle(60_000)
    const { metadata, status } = await cluster.get<Pod>('pods', 'lost')
    expect(metadata.deletionTimestamp).toBeDefined()
    expect(status.phase).toBe('Failed')
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' }),
    )
  })
})
