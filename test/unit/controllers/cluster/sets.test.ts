// StatefulSets and DaemonSets of a cluster in this process.
import { describe, expect, it } from 'vitest'
import type {
  Event,
  DaemonSet,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  StatefulSet,
} from '../../../../src/api/gen/kinds.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

const SLOW = { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '10s' } } }
const names = async (cluster: ClusterWorld): Promise<readonly (string | undefined)[]> =>
  (await cluster.list<Pod>('pods')).map(({ metadata }) => metadata.name)
const images = async (cluster: ClusterWorld): Promise<readonly (string | undefined)[]> =>
  (await cluster.list<Pod>('pods')).map(({ spec }) => spec.containers?.[0]?.image)

const withImage = <T extends { readonly spec: { readonly template: { readonly metadata: object } } }>(
  live: T,
  image: string,
): T => ({
  ...live,
  spec: { ...live.spec, template: { ...live.spec.template, spec: { containers: [{ name: 'web', image }] } } },
})

describe('a StatefulSet', () => {
  it('makes its pods one after the other, and takes them away from the last', async () => {
    const cluster = await openCluster()
    await cluster.apply('statefulsets', cluster.workload('db', { replicas: 3, serviceName: 'db' }, SLOW))
    await cluster.settle(5_000)
    expect(await names(cluster)).toEqual(['db-0'])
    await cluster.settle(12_000)
    expect(await names(cluster)).toEqual(['db-0', 'db-1'])
    await cluster.settle(30_000)
    const { status } = await cluster.get<StatefulSet>('statefulsets', 'db')
    expect(status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    })
    expect(status.currentRevision).toBe(status.updateRevision)
    const [first] = await cluster.list<Pod>('pods')
    expect(first?.metadata.labels).toMatchObject({
      'apps.kubernetes.io/pod-index': '0',
      'statefulset.kubernetes.io/pod-name': 'db-0',
      'controller-revision-hash': status.currentRevision,
    })
    expect(first?.spec).toMatchObject({ hostname: 'db-0', subdomain: 'db' })
    const events = await cluster.list<Event>('events')
    expect(events.map(({ message }) => message)).toContain('Create Pod db-0 in StatefulSet db successful')
    await cluster.update('apps_v1.StatefulSet', 'db', (live) => ({ ...live, spec: { ...live.spec, replicas: 1 } }))
    await cluster.settle(5_000)
    expect(await names(cluster)).toEqual(['db-0'])
  })

  it('makes all pods at once where it may', async () => {
    const cluster = await openCluster()
    const spec = { replicas: 3, serviceName: 'db', podManagementPolicy: 'Parallel', ordinals: { start: 5 } }
    await cluster.apply('statefulsets', cluster.workload('db', spec, SLOW))
    await cluster.settle(1_000)
    expect(await names(cluster)).toEqual(['db-5', 'db-6', 'db-7'])
  })

  it('replaces pods from the last to its partition, and the others when that is lowered', async () => {
    const cluster = await openCluster()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
    await cluster.apply('statefulsets', cluster.workload('db', { replicas: 3, serviceName: 'db', updateStrategy }))
    await cluster.settle()
    await cluster.update('apps_v1.StatefulSet', 'db', (live) => withImage(live, 'nginx:2'))
    await cluster.settle(5_000)
    expect(await images(cluster)).toEqual(['nginx', 'nginx', 'nginx:2'])
    const { status } = await cluster.get<StatefulSet>('statefulsets', 'db')
    expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 })
    expect(status.currentRevision).not.toBe(status.updateRevision)
    await cluster.delete('pods', 'db-0')
    await cluster.settle(5_000)
    expect(await images(cluster)).toEqual(['nginx', 'nginx', 'nginx:2'])
    await cluster.update('apps_v1.StatefulSet', 'db', (live) => ({
      ...live,
      spec: { ...live.spec, updateStrategy: { type: 'RollingUpdate' } },
    }))
    await cluster.settle(5_000)
    expect(await images(cluster)).toEqual(['nginx:2', 'nginx:2', 'nginx:2'])
    expect(await cluster.list('controllerrevisions')).toHaveLength(2)
  })

  it('leaves old pods alone with the strategy OnDelete', async () => {
    const cluster = await openCluster()
    await cluster.apply(
      'statefulsets',
      cluster.workload('db', { replicas: 2, serviceName: 'db', updateStrategy: { type: 'OnDelete' } }),
    )
    await cluster.settle()
    await cluster.update('apps_v1.StatefulSet', 'db', (live) => withImage(live, 'nginx:2'))
    await cluster.settle()
    expect(await images(cluster)).toEqual(['nginx', 'nginx'])
    await cluster.delete('pods', 'db-1')
    await cluster.settle()
    expect(await images(cluster)).toEqual(['nginx', 'nginx:2'])
  })

  it('counts pods as available after minReadySeconds, also where it replaces no pods', async () => {
    const cluster = await openCluster()
    const spec = { replicas: 2, serviceName: 'db', podManagementPolicy: 'Parallel', minReadySeconds: 30 }
    await cluster.apply('statefulsets', cluster.workload('db', { ...spec, updateStrategy: { type: 'OnDelete' } }))
    const available = async (): Promise<number | undefined> =>
      (await cluster.get<StatefulSet>('statefulsets', 'db')).status.availableReplicas
    await cluster.settle(10_000)
    expect(await available()).toBe(0)
    await cluster.settle(30_000)
    expect(await available()).toBe(2)
  })

  describe('with a retention policy of claims', () => {
    const spec = (whenDeleted: string, whenScaled: string): object => ({
      replicas: 2,
      serviceName: 'db',
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    })
    const policy =
      (whenDeleted: string, whenScaled: string, replicas: number) =>
      (live: StatefulSet): object => ({
        ...live,
        spec: { ...live.spec, replicas, persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
      })
    const owners = async (cluster: ClusterWorld): Promise<object> => {
      const all = await cluster.list<PersistentVolumeClaim>('persistentvolumeclaims')
      return Object.fromEntries(
        all.map(({ metadata }) => [metadata.name, (metadata.ownerReferences ?? []).map(({ kind }) => kind)]),
      )
    }

    it('gives the claims the owners of a changed policy', async () => {
      const cluster = await openCluster()
      await cluster.apply('statefulsets', cluster.workload('db', spec('Retain', 'Retain')))
      await cluster.settle(20_000)
      expect(await owners(cluster)).toEqual({ 'data-db-0': [], 'data-db-1': [] })
      await cluster.update('apps_v1.StatefulSet', 'db', policy('Delete', 'Retain', 2))
      await cluster.settle(20_000)
      expect(await owners(cluster)).toEqual({ 'data-db-0': ['StatefulSet'], 'data-db-1': ['StatefulSet'] })
      await cluster.update('apps_v1.StatefulSet', 'db', policy('Retain', 'Delete', 1))
      await cluster.settle(20_000)
      expect(await owners(cluster)).toEqual({ 'data-db-0': [] })
    })

    it('leaves a claim alone that another controller owns, says so, and removes the pod', async () => {
      const cluster = await openCluster()
      await cluster.apply('statefulsets', cluster.workload('db', spec('Retain', 'Delete')))
      await cluster.settle(20_000)
      const owner = await cluster.apply('configmaps', { metadata: { name: 'owner' } })
      const { name, uid } = owner.metadata as { name: string; uid: string }
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }
      await cluster.update('core_v1.PersistentVolumeClaim', 'data-db-1', (live) => ({
        ...live,
        metadata: { ...live.metadata, ownerReferences: [reference] },
      }))
      await cluster.update('apps_v1.StatefulSet', 'db', policy('Retain', 'Delete', 0))
      await cluster.settle(60_000)
      expect(await cluster.list('pods')).toEqual([])
      expect(await owners(cluster)).toEqual({ 'data-db-1': ['ConfigMap'] })
      const events = await cluster.list<Event>('events')
      expect(events.filter(({ reason }) => reason === 'ConflictingController')).toMatchObject([{ type: 'Warning' }])
    })
  })

  it('gives a pod that waits another claim when its claim is deleted', async () => {
    const cluster = await openCluster()
    const template = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    const spec = { replicas: 1, serviceName: 'db', volumeClaimTemplates: [template] }
    await cluster.apply('statefulsets', cluster.workload('db', spec, { spec: { nodeSelector: { there: 'is-none' } } }))
    await cluster.settle()
    const before = await cluster.get<PersistentVolumeClaim>('persistentvolumeclaims', 'data-db-0')
    await cluster.delete('persistentvolumeclaims', 'data-db-0')
    await cluster.settle()
    const after = await cluster.get<PersistentVolumeClaim>('persistentvolumeclaims', 'data-db-0')
    expect(after.metadata.uid).not.toBe(before.metadata.uid)
    expect(after.metadata.deletionTimestamp).toBeUndefined()
  })

  it('makes a claim for each pod, and keeps it', async () => {
    const cluster = await openCluster()
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }
    await cluster.apply(
      'statefulsets',
      cluster.workload('db', {
        replicas: 2,
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: [claim],
      }),
    )
    await cluster.settle()
    const claims = await cluster.list<PersistentVolumeClaim>('persistentvolumeclaims')
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1'])
    const [first] = await cluster.list<Pod>('pods')
    expect(first?.spec.volumes?.[0]).toEqual({ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } })
    await cluster.update('apps_v1.StatefulSet', 'db', (live) => ({ ...live, spec: { ...live.spec, replicas: 0 } }))
    await cluster.settle()
    expect(await names(cluster)).toEqual([])
    expect(await cluster.list('persistentvolumeclaims')).toHaveLength(2)
  })
})

describe('a DaemonSet', () => {
  it('has a pod on each node that lets it in', async () => {
    const cluster = await openCluster({ nodes: 3 })
    await cluster.apply('daemonsets', cluster.workload('agent'))
    await cluster.settle()
    expect((await cluster.get<DaemonSet>('daemonsets', 'agent')).status).toMatchObject({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      numberMisscheduled: 0,
      observedGeneration: 1,
    })
    const pods = await cluster.list<Pod>('pods')
    expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(['node-0', 'node-1', 'node-2']))
    const nodes = cluster.resource('nodes')
    const taint = (effect: string) => (live: object) => ({
      ...live,
      spec: { ...(live as Node).spec, taints: [{ key: 'mine', effect }] },
    })
    await cluster.world.update(nodes, 'node-0', taint('NoExecute'), { namespace: '' })
    await cluster.world.update(nodes, 'node-1', taint('NoSchedule'), { namespace: '' })
    await cluster.settle()
    expect((await cluster.get<DaemonSet>('daemonsets', 'agent')).status).toMatchObject({
      desiredNumberScheduled: 1,
      currentNumberScheduled: 1,
      numberMisscheduled: 1,
    })
    await cluster.apply('nodes', {
      metadata: { name: 'new', annotations: { 'quarterdeck.dev/node': 'simulated' } },
      status: { allocatable: { pods: '9' } },
    })
    await cluster.settle()
    expect((await cluster.list<Pod>('pods')).map(({ spec }) => spec.nodeName)).toContain('new')
  })

  it('replaces its pods one at a time', async () => {
    const cluster = await openCluster({ nodes: 3 })
    await cluster.apply('daemonsets', cluster.workload('agent', {}, SLOW))
    await cluster.settle(15_000)
    await cluster.update('apps_v1.DaemonSet', 'agent', (live) => withImage(live, 'nginx:2'))
    await cluster.settle(5_000)
    expect((await images(cluster)).filter((one) => one === 'nginx:2')).toHaveLength(1)
    await cluster.settle(10_000)
    expect((await images(cluster)).filter((one) => one === 'nginx:2')).toHaveLength(2)
    await cluster.settle(20_000)
    expect((await cluster.get<DaemonSet>('daemonsets', 'agent')).status).toMatchObject({
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    })
  })

  it('starts as many new pods as a percentage of the nodes that it is for allows', async () => {
    const cluster = await openCluster({ nodes: 4 })
    const nodes = cluster.resource('nodes')
    for (const name of ['node-0', 'node-1']) {
      const labelled = (live: object) => ({
        ...live,
        metadata: { ...(live as Node).metadata, labels: { here: 'yes' } },
      })
      await cluster.world.update(nodes, name, labelled, { namespace: '' })
    }
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: 0 } }
    const template = { ...SLOW, spec: { nodeSelector: { here: 'yes' } } }
    await cluster.apply('daemonsets', cluster.workload('agent', { updateStrategy }, template))
    await cluster.settle(15_000)
    const spec = { containers: [{ name: 'web', image: 'nginx:2' }], nodeSelector: { here: 'yes' } }
    await cluster.update('apps_v1.DaemonSet', 'agent', (live) => ({
      ...live,
      spec: { ...live.spec, template: { ...live.spec.template, spec } },
    }))
    await cluster.settle()
    expect(await images(cluster)).toHaveLength(3)
  })

  it('does not count new pods beside old ones that are not available', async () => {
    const cluster = await openCluster({ nodes: 3 })
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    const broken = { metadata: { annotations: { 'quarterdeck.dev/image-pull-error': 'true' } } }
    await cluster.apply('daemonsets', cluster.workload('agent', { updateStrategy }, broken))
    await cluster.settle()
    await cluster.update('apps_v1.DaemonSet', 'agent', (live) => withImage(live, 'nginx:2'))
    await cluster.settle()
    expect((await images(cluster)).filter((one) => one === 'nginx:2')).toHaveLength(3)
  })

  it('starts new pods beside old ones with surge', async () => {
    const cluster = await openCluster({ nodes: 2 })
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    await cluster.apply('daemonsets', cluster.workload('agent', { updateStrategy }, SLOW))
    await cluster.settle(15_000)
    await cluster.update('apps_v1.DaemonSet', 'agent', (live) => withImage(live, 'nginx:2'))
    await cluster.settle(5_000)
    expect((await images(cluster)).filter((one) => one === 'nginx')).toHaveLength(2)
    expect(await images(cluster)).toHaveLength(3)
    await cluster.settle(30_000)
    expect(await images(cluster)).toEqual(['nginx:2', 'nginx:2'])
  })
})

it('keeps the pods of a ReplicationController', async () => {
  const cluster = await openCluster()
  const labels = { app: 'old' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
  await cluster.apply('pods', { metadata: { name: 'orphan', labels }, spec: template.spec })
  await cluster.apply('replicationcontrollers', {
    metadata: { name: 'old' },
    spec: { replicas: 3, selector: labels, template },
  })
  await cluster.settle()
  const pods = await cluster.list<Pod>('pods')
  expect(pods).toHaveLength(3)
  expect(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual(
    Array(3).fill('ReplicationController'),
  )
  const { status } = await cluster.get<ReplicationController>('replicationcontrollers', 'old')
  expect(status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    observedGeneration: 1,
  })
  await cluster.delete('pods', 'orphan')
  await cluster.update('core_v1.ReplicationController', 'old', (live) => ({
    ...live,
    spec: { ...live.spec, replicas: 1 },
  }))
  await cluster.settle(60_000)
  expect(await cluster.list<Pod>('pods')).toHaveLength(1)
})
