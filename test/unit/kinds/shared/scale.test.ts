// Scaling: an object seen and changed as another kind.
import { describe, expect, test } from 'vitest'
import { type ApiWorld, openWorld } from '../../../rigs/api-world.ts'

const DEPLOYMENT = {
  metadata: { name: 'd' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }] },
    template: {
      metadata: { labels: { app: 'x', tier: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
}

async function worldWithDeployment(): Promise<ApiWorld> {
  const world = await openWorld()
  await world.create(world.resource('deployments', 'apps'), DEPLOYMENT, { fieldManager: 'author' })
  return world
}

const scaledTo = (replicas: number) => (live: object) => ({ ...live, spec: { replicas } })

describe('scale', () => {
  test('shows how many are asked for, how many there are, and how they are found (W-584)', async () => {
    const world = await worldWithDeployment()
    const deployments = world.resource('deployments', 'apps')
    const view = deployments.subresources.get('scale')!.view!
    const stored = await world.get(deployments, 'd')
    expect(view.conversion.fromStored(stored)).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'ns' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=x,tier in (a,b)' },
    })
    expect(view.conversion.fromStored({ ...stored, spec: {} })['spec']).toEqual({})
  })

  test('changes the number alone, as a new generation, and takes it from whoever owned it (W-279, W-585)', async () => {
    const world = await worldWithDeployment()
    const deployments = world.resource('deployments', 'apps')
    await world.update(deployments, 'd', scaledTo(5), { subresource: 'scale', fieldManager: 'scaler' })
    const after = await world.get(deployments, 'd')
    expect(after['spec']).toMatchObject({ replicas: 5, selector: { matchLabels: { app: 'x' } } })
    expect(after.metadata['generation']).toBe(2)
    const managed = after.metadata['managedFields'] as readonly { manager: string; fieldsV1: object }[]
    const byManager = new Map(managed.map((entry) => [entry.manager, entry]))
    expect(byManager.get('scaler')).toEqual({
      manager: 'scaler',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    })
    expect(JSON.stringify(byManager.get('author')!.fieldsV1)).not.toContain('f:replicas')
  })

  test('that changes nothing leaves the owner alone', async () => {
    const world = await worldWithDeployment()
    const deployments = world.resource('deployments', 'apps')
    const before = await world.get(deployments, 'd')
    await world.update(deployments, 'd', scaledTo(2), { subresource: 'scale' })
    expect(await world.get(deployments, 'd')).toEqual(before)
  })

  test('is refused below zero, for another object, and for a version that is gone (W-585)', async () => {
    const world = await worldWithDeployment()
    const deployments = world.resource('deployments', 'apps')
    const scale = (change: (live: object & { metadata: object }) => object): Promise<object> =>
      world.update(deployments, 'd', change, { subresource: 'scale' })
    await expect(scale(scaledTo(-1))).rejects.toMatchObject({
      reason: 'Invalid',
      message: 'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    })
    await expect(scale((live) => ({ ...live, metadata: { ...live.metadata, uid: 'other' } }))).rejects.toMatchObject({
      reason: 'Conflict',
    })
    await expect(
      scale((live) => ({ ...live, metadata: { ...live.metadata, resourceVersion: '999' }, spec: { replicas: 1 } })),
    ).rejects.toMatchObject({ reason: 'Conflict' })
  })

  test('of replication controllers selects by labels', async () => {
    const world = await openWorld()
    const controllers = world.resource('replicationcontrollers')
    const template = { metadata: { labels: { b: '2', a: '1' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    await world.create(controllers, { metadata: { name: 'r' }, spec: { selector: { b: '2', a: '1' }, template } })
    const view = controllers.subresources.get('scale')!.view!
    expect(view.conversion.fromStored(await world.get(controllers, 'r'))['status']).toEqual({
      replicas: 0,
      selector: 'a=1,b=2',
    })
  })
})
