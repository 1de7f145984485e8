// Volume claims of a cluster in this process.
import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../../src/api/gen/kinds.ts'
import { type ClusterWorld, openCluster } from '../../../rigs/cluster-world.ts'

const claim = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
const volume = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
})
const user = (name: string, claimName: string): object => ({
  metadata: { name },
  spec: {
    containers: [{ name: 'main', image: 'nginx' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
})
const claimed = (cluster: ClusterWorld, name = 'data'): Promise<PersistentVolumeClaim> =>
  cluster.get<PersistentVolumeClaim>('persistentvolumeclaims', name)
const whyNot = ({ status }: Pod): string | undefined =>
  status.conditions?.find(({ status }) => status === 'False')?.message

describe('a volume claim', () => {
  it('gets a volume of the default class, which goes with it', async () => {
    const cluster = await openCluster()
    await cluster.apply('persistentvolumeclaims', claim('data'))
    await cluster.settle()
    const bound = await claimed(cluster)
    expect(bound.status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] })
    expect(bound.spec.storageClassName).toBe('standard')
    const [made] = await cluster.list<PersistentVolume>('persistentvolumes')
    expect(made).toMatchObject({
      metadata: { name: `pvc-${bound.metadata.uid}` },
      status: { phase: 'Bound' },
      spec: { claimRef: { name: 'data', uid: bound.metadata.uid }, persistentVolumeReclaimPolicy: 'Delete' },
    })
    await cluster.delete('persistentvolumeclaims', 'data')
    await cluster.settle()
    expect([await cluster.list('persistentvolumeclaims'), await cluster.list('persistentvolumes')]).toEqual([[], []])
  })

  it('is bound to the smallest volume that fits', async () => {
    const cluster = await openCluster()
    for (const [name, storage] of [
      ['small', '500Mi'],
      ['large', '10Gi'],
      ['right', '2Gi'],
    ] as const)
      await cluster.apply('persistentvolumes', volume(name, { capacity: { storage } }))
    await cluster.apply('persistentvolumes', volume('other', { accessModes: ['ReadOnlyMany'] }))
    await cluster.apply('persistentvolumeclaims', claim('data', { storageClassName: '' }))
    await cluster.settle()
    expect((await claimed(cluster)).spec.volumeName).toBe('right')
    const phases = (await cluster.list<PersistentVolume>('persistentvolumes')).map(({ metadata, status }) => [
      metadata.name,
      status.phase,
    ])
    expect(Object.fromEntries(phases)).toEqual({
      small: 'Available',
      large: 'Available',
      right: 'Bound',
      other: 'Available',
    })
    await cluster.delete('persistentvolumeclaims', 'data')
    await cluster.settle()
    expect((await cluster.get<PersistentVolume>('persistentvolumes', 'right', '')).status.phase).toBe('Released')
  })

  it('waits for a volume, and its pod waits for it', async () => {
    const cluster = await openCluster()
    await cluster.apply('persistentvolumeclaims', claim('data', { storageClassName: '' }))
    await cluster.apply('pods', user('app', 'data'))
    await cluster.settle()
    expect((await claimed(cluster)).status.phase).toBe('Pending')
    expect(whyNot(await cluster.get<Pod>('pods', 'app'))).toContain('pod has unbound immediate PersistentVolumeClaims')
    await cluster.apply('persistentvolumes', volume('late'))
    await cluster.settle(20_000)
    expect((await cluster.get<Pod>('pods', 'app')).status.phase).toBe('Running')
  })

  it('of a class that waits is bound when its first pod has a node', async () => {
    const cluster = await openCluster()
    const volumeBindingMode = 'WaitForFirstConsumer'
    await cluster.apply('storageclasses', {
      metadata: { name: 'late' },
      provisioner: 'quarterdeck.dev/simulated',
      volumeBindingMode,
    })
    await cluster.apply('persistentvolumeclaims', claim('data', { storageClassName: 'late' }))
    await cluster.settle()
    expect((await claimed(cluster)).status.phase).toBe('Pending')
    await cluster.apply('pods', user('app', 'data'))
    await cluster.settle()
    const pod = await cluster.get<Pod>('pods', 'app')
    expect(pod.status.phase).toBe('Running')
    expect((await claimed(cluster)).metadata.annotations).toMatchObject({
      'volume.kubernetes.io/selected-node': pod.spec.nodeName,
    })
  })

  it('puts its pod on a node that reaches its volume', async () => {
    const cluster = await openCluster()
    const nodeSelectorTerms = [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }] },
    ]
    await cluster.apply('persistentvolumes', volume('local', { nodeAffinity: { required: { nodeSelectorTerms } } }))
    await cluster.apply('persistentvolumeclaims', claim('data', { storageClassName: '' }))
    await cluster.apply('pods', user('app', 'data'))
    await cluster.settle()
    expect((await cluster.get<Pod>('pods', 'app')).spec.nodeName).toBe('node-1')
  })

  it('stays while a pod uses it', async () => {
    const cluster = await openCluster()
    await cluster.apply('persistentvolumeclaims', claim('data'))
    await cluster.apply('pods', user('app', 'data'))
    await cluster.settle()
    await cluster.delete('persistentvolumeclaims', 'data')
    await cluster.settle()
    expect((await claimed(cluster)).metadata.deletionTimestamp).toBeDefined()
    await cluster.delete('pods', 'app')
    await cluster.settle()
    expect(await cluster.list('persistentvolumeclaims')).toEqual([])
  })

  it('that does not exist is named by the pod that waits for it', async () => {
    const cluster = await openCluster()
    await cluster.apply('pods', user('app', 'missing'))
    await cluster.settle()
    expect(whyNot(await cluster.get<Pod>('pods', 'app'))).toBe(
      '0/3 nodes are available: persistentvolumeclaim "missing" not found. not found',
    )
  })

  it('is made for an ephemeral volume, and goes with its pod', async () => {
    const cluster = await openCluster()
    const { spec } = claim('') as { readonly spec: object }
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }]
    await cluster.apply('pods', {
      metadata: { name: 'app' },
      spec: { containers: [{ name: 'main', image: 'nginx' }], volumes },
    })
    await cluster.settle()
    expect((await claimed(cluster, 'app-scratch')).status.phase).toBe('Bound')
    expect((await cluster.get<Pod>('pods', 'app')).status.phase).toBe('Running')
    await cluster.delete('pods', 'app')
    await cluster.settle(5_000)
    expect(await cluster.list('persistentvolumes')).toEqual([])
  })
})
