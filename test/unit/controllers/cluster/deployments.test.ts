// Deployments and ReplicaSets of a cluster in this process.
import { expect, it } from 'vitest'
import type { Deployment, Event, Pod, ReplicaSet } from '../../../../src/api/gen/kinds.ts'
import { annotationsOf } from '../../../../src/api/object-members.ts'
import { openCluster } from '../../../rigs/cluster-world.ts'

const image = (name: string) => (live: Deployment) => ({
  ...live,
  spec: { ...live.spec, template: { ...live.spec.template, spec: { containers: [{ name: 'web', image: name }] } } },
})

it('rolls out, and says so in its status, its events and its revision', async () => {
  const cluster = await openCluster()
  await cluster.apply('deployments', cluster.workload('web', { replicas: 3 }))
  await cluster.settle()
  const { status, metadata } = await cluster.get<Deployment>('deployments', 'web')
  const [set] = await cluster.list<ReplicaSet>('replicasets')
  expect(status).toMatchObject({ observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3 })
  expect(status.conditions).toMatchObject([
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
    {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
    },
  ])
  expect(annotationsOf({ metadata })).toEqual({ 'deployment.kubernetes.io/revision': '1' })
  expect(annotationsOf(set!)).toEqual({
    'deployment.kubernetes.io/desired-replicas': '3',
    'deployment.kubernetes.io/max-replicas': '4',
    'deployment.kubernetes.io/revision': '1',
  })
  const pods = await cluster.list<Pod>('pods')
  expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(['node-0', 'node-1', 'node-2']))
  expect(pods.map(({ status }) => status.phase)).toEqual(['Running', 'Running', 'Running'])
  const events = await cluster.list<Event>('events')
  const told = events.filter(({ involvedObject }) => involvedObject.kind === 'Deployment')
  expect(told).toMatchObject([
    { reason: 'ScalingReplicaSet', message: `Scaled up replica set ${set?.metadata.name} from 0 to 3`, count: 1 },
  ])
})

it('replaces pods within maxSurge and maxUnavailable, and goes back to an old revision', async () => {
  const cluster = await openCluster()
  const template = { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '5s' } } }
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }
  await cluster.apply('deployments', cluster.workload('web', { replicas: 4, strategy }, template))
  await cluster.settle(10_000)
  await cluster.update('apps_v1.Deployment', 'web', image('nginx:2'))
  const counts: (readonly [available: number, all: number])[] = []
  for (let second = 0; second < 30; second++) {
    await cluster.settle(1_000)
    const sets = await cluster.list<ReplicaSet>('replicasets')
    const sum = (of: (set: ReplicaSet) => number | undefined): number =>
      sets.reduce((all, set) => all + (of(set) ?? 0), 0)
    counts.push([sum(({ status }) => status.availableReplicas), sum(({ spec }) => spec.replicas)])
  }
  expect(Math.min(...counts.map(([available]) => available))).toBe(3)
  expect(Math.max(...counts.map(([, all]) => all))).toBe(5)
  const byRevision = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await cluster.list<ReplicaSet>('replicasets')).map((set) => [
        (annotationsOf(set) as Record<string, string>)['deployment.kubernetes.io/revision'],
        set.spec.replicas ?? -1,
      ]),
    )
  expect(await byRevision()).toEqual({ 1: 0, 2: 4 })
  await cluster.update('apps_v1.Deployment', 'web', image('nginx'))
  await cluster.settle(30_000)
  expect(await byRevision()).toEqual({ 2: 0, 3: 4 })
  const [first] = (await cluster.list<ReplicaSet>('replicasets')).filter(({ spec }) => spec.replicas === 4)
  expect(annotationsOf(first!)).toMatchObject({ 'deployment.kubernetes.io/revision-history': '1' })
})

it('ends all old pods before it makes new ones by the strategy Recreate', async () => {
  const cluster = await openCluster()
  const template = { metadata: { annotations: { 'quarterdeck.dev/stop-delay': '7s' } } }
  await cluster.apply('deployments', cluster.workload('web', { replicas: 2, strategy: { type: 'Recreate' } }, template))
  await cluster.settle()
  await cluster.update('apps_v1.Deployment', 'web', image('nginx:2'))
  await cluster.settle(5_000)
  const ending = await cluster.list<Pod>('pods')
  expect(ending.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true])
  await cluster.settle(5_000)
  const made = await cluster.list<Pod>('pods')
  expect(made.map(({ spec }) => spec.containers?.[0]?.image)).toEqual(['nginx:2', 'nginx:2'])
})

it('waits while it is paused, but is scaled, and goes on when it is resumed', async () => {
  const cluster = await openCluster()
  await cluster.apply('deployments', cluster.workload('web', { replicas: 1 }))
  await cluster.settle()
  await cluster.update('apps_v1.Deployment', 'web', (live) => {
    const { spec, ...rest } = image('nginx:2')(live)
    return { ...rest, spec: { ...spec, paused: true, replicas: 2 } }
  })
  await cluster.settle()
  expect((await cluster.list<Pod>('pods')).map(({ spec }) => spec.containers?.[0]?.image)).toEqual(['nginx', 'nginx'])
  const { status } = await cluster.get<Deployment>('deployments', 'web')
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused' }),
  )
  await cluster.update('apps_v1.Deployment', 'web', (live) => ({ ...live, spec: { ...live.spec, paused: false } }))
  await cluster.settle()
  expect((await cluster.list<Pod>('pods')).map(({ spec }) => spec.containers?.[0]?.image)).toEqual([
    'nginx:2',
    'nginx:2',
  ])
})

it('reports a rollout that takes longer than its deadline', async () => {
  const cluster = await openCluster()
  const template = { metadata: { annotations: { 'quarterdeck.dev/image-pull-error': 'true' } } }
  await cluster.apply('deployments', cluster.workload('web', { replicas: 1, progressDeadlineSeconds: 20 }, template))
  await cluster.settle(15_000)
  const early = await cluster.get<Deployment>('deployments', 'web')
  expect(early.status.conditions).toContainEqual(expect.objectContaining({ reason: 'ReplicaSetUpdated' }))
  await cluster.settle(15_000)
  const { status } = await cluster.get<Deployment>('deployments', 'web')
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }),
  )
  const [pod] = await cluster.list<Pod>('pods')
  expect(pod?.status.containerStatuses?.[0]?.state.waiting?.reason).toBe('ImagePullBackOff')
})

it('keeps so many old ReplicaSets as its history asks for', async () => {
  const cluster = await openCluster()
  await cluster.apply('deployments', cluster.workload('web', { replicas: 1, revisionHistoryLimit: 1 }))
  for (const name of ['nginx:2', 'nginx:3', 'nginx:4']) {
    await cluster.settle(5_000)
    await cluster.update('apps_v1.Deployment', 'web', image(name))
  }
  await cluster.settle(5_000)
  const sets = await cluster.list<ReplicaSet>('replicasets')
  expect(new Set(sets.map(({ spec }) => spec.template.spec.containers?.[0]?.image))).toEqual(
    new Set(['nginx:3', 'nginx:4']),
  )
})

it('shares a change of its size among the sets of an unfinished rollout', async () => {
  const cluster = await openCluster()
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } }
  await cluster.apply('deployments', cluster.workload('web', { replicas: 8, strategy }))
  await cluster.settle()
  await cluster.update('apps_v1.Deployment', 'web', (live) => {
    const { spec, ...rest } = image('nginx:2')(live)
    const annotations: Record<string, string> = { 'quarterdeck.dev/image-pull-error': 'true' }
    const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } }
    return { ...rest, spec: { ...spec, template } }
  })
  await cluster.settle()
  await cluster.update('apps_v1.Deployment', 'web', (live) => ({ ...live, spec: { ...live.spec, replicas: 18 } }))
  await cluster.settle()
  const sets = await cluster.list<ReplicaSet>('replicasets')
  expect(new Set(sets.map(({ spec }) => spec.replicas))).toEqual(new Set([16, 4]))
})

it('says why pods are refused, and goes on when they are not', async () => {
  const cluster = await openCluster()
  const quota = { metadata: { name: 'one' }, spec: { hard: { pods: '1' } } }
  await cluster.apply('resourcequotas', quota)
  await cluster.settle()
  await cluster.apply('deployments', cluster.workload('web', { replicas: 3 }))
  await cluster.settle()
  const { status } = await cluster.get<Deployment>('deployments', 'web')
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: 'ReplicaFailure',
      reason: 'FailedCreate',
      message: expect.stringContaining('exceeded quota') as string,
    }),
  )
  await cluster.delete('resourcequotas', 'one')
  await cluster.settle(60_000)
  const after = await cluster.get<Deployment>('deployments', 'web')
  expect(after.status.readyReplicas).toBe(3)
  expect(after.status.conditions?.map(({ type }) => type).sort()).toEqual(['Available', 'Progressing'])
})

it('adopts matching pods and releases pods that no longer match', async () => {
  const cluster = await openCluster()
  const pod = {
    metadata: { name: 'mine', labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  }
  await cluster.apply('pods', pod)
  await cluster.apply('replicasets', cluster.workload('web', { replicas: 2 }))
  await cluster.settle()
  const mine = await cluster.get<Pod>('pods', 'mine')
  expect(mine.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicaSet', name: 'web', controller: true }])
  expect(await cluster.list('pods')).toHaveLength(2)
  await cluster.update('core_v1.Pod', 'mine', (live) => ({
    ...live,
    metadata: { ...live.metadata, labels: { app: 'other' } as object },
  }))
  await cluster.settle()
  expect((await cluster.get<Pod>('pods', 'mine')).metadata.ownerReferences).toBeUndefined()
  expect(await cluster.list('pods')).toHaveLength(3)
})

it('keeps enough pods where a rollout that is stuck gets another size and image at once', async () => {
  const cluster = await openCluster()
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } }
  const stuck = (live: Deployment): object => ({
    ...live,
    spec: {
      ...live.spec,
      template: {
        ...live.spec.template,
        metadata: { ...live.spec.template.metadata, annotations: { 'quarterdeck.dev/image-pull-error': 'true' } },
      },
    },
  })
  await cluster.apply('deployments', cluster.workload('web', { replicas: 5, strategy }))
  await cluster.settle(10_000)
  await cluster.update('apps_v1.Deployment', 'web', stuck)
  await cluster.settle(10_000)
  await cluster.update('apps_v1.Deployment', 'web', (live) => {
    const changed = image('nginx:3')(live)
    return { ...changed, spec: { ...changed.spec, replicas: 4 } }
  })
  await cluster.settle(10_000)
  const sets = await cluster.list<ReplicaSet>('replicasets')
  expect(sets.map(({ spec }) => spec.replicas ?? 1).toSorted((a, b) => a - b)).toEqual([0, 2, 2])
})

it('counts on from any revision of 64 bits that a user has set', async () => {
  const cluster = await openCluster()
  const old = cluster.workload(
    'web',
    { replicas: 1 },
    { spec: { containers: [{ name: 'web', image: 'nginx:0' }] } },
  ) as {
    metadata: object
  }
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' }
  await cluster.apply('replicasets', { ...old, metadata: { name: 'web-old', labels: { app: 'web' }, annotations } })
  await cluster.settle()
  await cluster.apply('deployments', cluster.workload('web', { replicas: 1 }))
  await cluster.settle()
  const { metadata } = await cluster.get<Deployment>('deployments', 'web')
  expect(annotationsOf({ metadata })).toEqual({ 'deployment.kubernetes.io/revision': '3546343826724305833' })
})

it('makes a ReplicaSet that was refused as soon as it is allowed', async () => {
  const cluster = await openCluster()
  const metadata = { name: 'none' }
  await cluster.apply('resourcequotas', { metadata, spec: { hard: { 'count/replicasets.apps': '0' } } })
  await cluster.settle()
  await cluster.apply('deployments', cluster.workload('web'))
  await cluster.settle()
  const { status } = await cluster.get<Deployment>('deployments', 'web')
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ status: 'False', reason: 'ReplicaSetCreateError' }),
  )
  await cluster.delete('resourcequotas', 'none')
  await cluster.settle(60_000)
  expect(await cluster.list<Pod>('pods')).toHaveLength(1)
})
