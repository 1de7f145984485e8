import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import { type ApiWorld, NOW, openWorld } from '../../../../rigs/api-world.ts'

async function worldWithPod(pod: { readonly spec?: object; readonly metadata?: object } = {}): Promise<ApiWorld> {
  const world = await openWorld()
  const spec = { containers: [{ name: 'c', image: 'i' }], ...pod.spec }
  await world.create(world.resource('pods'), { metadata: { name: 'p', labels: { a: '1' }, ...pod.metadata }, spec })
  return world
}

const toNode = (metadata: object = {}): object => ({ metadata: { name: 'p', ...metadata }, target: { name: 'n1' } })

const pod = (world: ApiWorld): Promise<ApiObject> => world.get(world.resource('pods'), 'p')

describe('a binding', () => {
  test('puts the pod on its node and says so in its conditions (W-521)', async () => {
    const world = await worldWithPod()
    const before = await pod(world)
    const body = toNode({ labels: { a: '2', b: '3' }, annotations: { from: 'binding' } })
    expect(await world.act('pods/binding', 'p', body)).toMatchObject({ status: 'Success' })
    const after = await pod(world)
    expect(after['spec']).toMatchObject({ nodeName: 'n1' })
    expect(after.metadata).toMatchObject({ labels: { a: '2', b: '3' }, annotations: { from: 'binding' } })
    expect(after.metadata['generation']).toBe(before.metadata['generation'])
    expect(after['status']).toMatchObject({
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: NOW }],
    })
  })

  test('may be sent to the collection of bindings, naming the pod itself (W-521)', async () => {
    const world = await worldWithPod()
    const bindings = '/api/v1/namespaces/ns/bindings'
    expect(await world.must('POST', bindings, toNode())).toMatchObject({ status: 'Success' })
    expect((await pod(world))['spec']).toMatchObject({ nodeName: 'n1' })
  })

  test('changes nothing in a dry run (W-397)', async () => {
    const world = await worldWithPod()
    const before = await pod(world)
    await world.act('pods/binding', 'p', toNode(), { dryRun: true })
    expect(await pod(world)).toEqual(before)
  })

  const refused: readonly { readonly name: string; readonly body: object; readonly reason: string; says: string }[] = [
    {
      name: 'another name than in the path',
      body: { metadata: { name: 'q' }, target: { name: 'n' } },
      reason: 'BadRequest',
      says: 'name in URL does not match name in Binding object',
    },
    {
      name: 'no node',
      body: { metadata: { name: 'p' }, target: {} },
      reason: 'BadRequest',
      says: 'target.name: Required value',
    },
    {
      name: 'something that is not a node',
      body: { metadata: { name: 'p' }, target: { kind: 'Pod', name: 'x' } },
      reason: 'BadRequest',
      says: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    },
    {
      name: 'the uid of another pod',
      body: toNode({ uid: 'other' }),
      reason: 'Conflict',
      says: 'UID in precondition: other',
    },
    {
      name: 'a version that is not the newest',
      body: toNode({ resourceVersion: '1' }),
      reason: 'Conflict',
      says: 'Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ',
    },
  ]
  test.each(refused)('is refused with $name (W-523 to W-525, D20)', async ({ body, reason, says }) => {
    const world = await worldWithPod()
    const act = world.act('pods/binding', 'p', body)
    await expect(act).rejects.toMatchObject({ reason, message: expect.stringContaining(says) })
    expect((await pod(world))['spec']).not.toHaveProperty('nodeName')
  })

  test('is refused where the pod has a node already (W-522)', async () => {
    const world = await worldWithPod()
    await world.act('pods/binding', 'p', toNode())
    await expect(world.act('pods/binding', 'p', toNode())).rejects.toMatchObject({
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
      details: { name: 'p', kind: 'pods/binding' },
    })
  })

  test('is refused where something holds the pod back from being scheduled (W-522)', async () => {
    const world = await worldWithPod({ spec: { schedulingGates: [{ name: 'wait' }] } })
    await expect(world.act('pods/binding', 'p', toNode())).rejects.toMatchObject({
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
    })
  })

  test('is refused where there is no such pod', async () => {
    const world = await openWorld()
    await expect(world.act('pods/binding', 'p', toNode())).rejects.toMatchObject({
      reason: 'NotFound',
      message: 'pods "p" not found',
    })
  })
})
