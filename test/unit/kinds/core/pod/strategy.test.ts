import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../../src/api/object.ts'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { deleteObject } from '../../../../../src/registry/delete.ts'
import { type ApiWorld, NOW, openWorld } from '../../../../rigs/api-world.ts'

const CONTAINER = { name: 'c', image: 'i' }

function create(world: ApiWorld, spec: object = {}, metadata: object = {}): Promise<ApiObject> {
  return world.create(world.resource('pods'), {
    metadata: { name: 'p', ...metadata },
    spec: { containers: [CONTAINER], ...spec },
    status: { phase: 'Running' },
  })
}

const spec = (pod: ApiObject): ValueMap => pod['spec'] as ValueMap
const generation = (pod: ApiObject): unknown => pod.metadata['generation']

describe('a new pod', () => {
  test('is pending, of a class of service, whatever its creator says (W-513)', async () => {
    const world = await openWorld()
    expect((await create(world))['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
  })

  test('says that it is held back from being scheduled (W-513)', async () => {
    const world = await openWorld()
    const pod = await create(world, { schedulingGates: [{ name: 'wait' }] })
    expect(pod['status']).toMatchObject({
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
          lastTransitionTime: NOW,
        },
      ],
    })
  })

  test('has privileged containers, then and later, only where that is allowed', async () => {
    const privileged = { ...CONTAINER, securityContext: { privileged: true } }
    const later = (world: ApiWorld): Promise<ApiObject> =>
      world.update(
        world.resource('pods'),
        'p',
        (live) => ({ ...live, spec: { ...spec(live), ephemeralContainers: [{ ...privileged, name: 'later' }] } }),
        { subresource: 'ephemeralcontainers' },
      )
    const [allows, refuses] = [await openWorld({ flags: ['--allow-privileged'] }), await openWorld()]
    await create(allows, { containers: [privileged] })
    expect(spec(await later(allows))['ephemeralContainers']).toMatchObject([{ securityContext: { privileged: true } }])
    await expect(create(refuses, { containers: [privileged] })).rejects.toThrow('disallowed by cluster policy')
    await create(refuses)
    await expect(later(refuses)).rejects.toThrow('disallowed by cluster policy')
  })

  test('ends within a second where its time to end is negative', async () => {
    const world = await openWorld()
    expect(spec(await create(world, { terminationGracePeriodSeconds: -5 }))['terminationGracePeriodSeconds']).toBe(1)
  })

  test('has the labels that rules of place name by their keys written into their selectors', async () => {
    const world = await openWorld()
    const term = {
      topologyKey: 'zone',
      labelSelector: { matchLabels: { app: 'x' } },
      matchLabelKeys: ['rev', 'absent'],
      mismatchLabelKeys: ['team'],
    }
    const pod = await create(
      world,
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [term],
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
          },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: {},
            matchLabelKeys: ['rev'],
          },
        ],
      },
      { labels: { rev: '7', team: 'a' } },
    )
    const matchExpressions = [
      { key: 'rev', operator: 'In', values: ['7'] },
      { key: 'team', operator: 'NotIn', values: ['a'] },
    ]
    expect(spec(pod)).toMatchObject({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchExpressions } }],
          preferredDuringSchedulingIgnoredDuringExecution: [
            { podAffinityTerm: { labelSelector: { matchExpressions } } },
          ],
        },
      },
      topologySpreadConstraints: [{ labelSelector: { matchExpressions: [matchExpressions[0]] } }],
    })
  })
})

describe('the status of a pod', () => {
  test('keeps its class of service, and what older clients do not know', async () => {
    const world = await openWorld()
    await create(world)
    const pods = world.resource('pods')
    const first = { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'False', observedGeneration: 1 }] }
    await world.update(pods, 'p', (live) => ({ ...live, status: first }), { subresource: 'status' })
    const next = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    const pod = await world.update(pods, 'p', (live) => ({ ...live, status: next }), { subresource: 'status' })
    expect(pod['status']).toMatchObject({
      phase: 'Running',
      qosClass: 'BestEffort',
      observedGeneration: 1,
      conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
    })
    expect(generation(pod)).toBe(1)
  })
})

describe('the ephemeral containers of a pod', () => {
  test('are all that their endpoint takes (W-535)', async () => {
    const world = await openWorld()
    await create(world)
    const pod = await world.update(
      world.resource('pods'),
      'p',
      (live) => ({
        ...live,
        metadata: { ...live.metadata, labels: { more: 'x' } },
        spec: {
          ...spec(live),
          containers: [{ ...CONTAINER, image: 'other' }],
          ephemeralContainers: [{ name: 'e', image: 'debug' }],
        },
      }),
      { subresource: 'ephemeralcontainers' },
    )
    expect(spec(pod)).toMatchObject({ containers: [{ image: 'i' }], ephemeralContainers: [{ name: 'e' }] })
    expect(pod.metadata).not.toHaveProperty('labels')
    expect(generation(pod)).toBe(2)
  })
})

describe('the resources of a pod', () => {
  const resources = (cpu: string): object => ({ requests: { cpu, memory: '1Gi' } })
  const resize = (world: ApiWorld, change: (live: ApiObject) => object): Promise<ApiObject> =>
    world.update(world.resource('pods'), 'p', (live) => ({ ...live, spec: { ...spec(live), ...change(live) } }), {
      subresource: 'resize',
    })

  test('are all that a resize takes (W-537)', async () => {
    const world = await openWorld()
    await create(world, { containers: [{ ...CONTAINER, resources: resources('1') }] })
    const pod = await resize(world, () => ({
      containers: [{ ...CONTAINER, image: 'other', resources: resources('2') }],
      nodeName: 'elsewhere',
    }))
    expect(spec(pod)).toMatchObject({ containers: [{ image: 'i', resources: resources('2') }] })
    expect(spec(pod)).not.toHaveProperty('nodeName')
    expect(generation(pod)).toBe(2)
  })

  test('cannot be resized under another name (W-538)', async () => {
    const world = await openWorld()
    await create(world, { containers: [{ ...CONTAINER, resources: resources('1') }] })
    const renamed = { ...CONTAINER, name: 'other', resources: resources('2') }
    await expect(resize(world, () => ({ containers: [renamed] }))).rejects.toMatchObject({
      message: expect.stringContaining('containers may not be renamed or reordered on resize'),
    })
  })
})

describe('a pod that is deleted', () => {
  const cases = [
    { name: 'runs nowhere', spec: {}, status: {}, asked: 20, grace: 0 },
    { name: 'has run to its end', spec: { nodeName: 'n' }, status: { phase: 'Succeeded' }, asked: 20, grace: 0 },
    { name: 'has failed', spec: { nodeName: 'n' }, status: { phase: 'Failed' }, asked: undefined, grace: 0 },
    { name: 'runs', spec: { nodeName: 'n' }, status: { phase: 'Running' }, asked: undefined, grace: 30 },
    { name: 'is asked to hurry', spec: { nodeName: 'n' }, status: { phase: 'Running' }, asked: 5, grace: 5 },
    { name: 'is asked the impossible', spec: { nodeName: 'n' }, status: { phase: 'Running' }, asked: -5, grace: 1 },
  ]
  test.each(cases)('and $name has $grace seconds', async ({ spec: more, status, asked, grace }) => {
    const world = await openWorld()
    await create(world, more)
    const pods = world.resource('pods')
    await world.update(pods, 'p', (live) => ({ ...live, status }), { subresource: 'status' })
    const options = {
      gracePeriodSeconds: asked,
      preconditions: { uid: undefined, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: undefined,
      ignoreReadErrors: false,
    }
    const answer = await deleteObject(world.parts, pods, { name: 'p', options }, world.context())
    if (answer.kind !== 'object') throw new Error('a pod is answered with itself')
    const last = 'bytes' in answer.object ? (answer.object as { object(): ApiObject }).object() : answer.object
    expect(last['metadata']).toMatchObject({ deletionGracePeriodSeconds: grace, generation: 2 })
    expect(answer.removed).toBe(grace === 0)
  })
})
