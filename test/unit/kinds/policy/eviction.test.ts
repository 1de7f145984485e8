import { describe, expect, test } from 'vitest'
import type { ApiObject } from '../../../../src/api/object.ts'
import { type ApiWorld, NOW, openWorld } from '../../../rigs/api-world.ts'

const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }
const BUDGET = { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3, disruptionsAllowed: 1 }

class Cluster {
  readonly world: ApiWorld

  constructor(world: ApiWorld) {
    this.world = world
  }

  static async open(): Promise<Cluster> {
    return new Cluster(await openWorld())
  }

  async pod(name: string, status: object = RUNNING): Promise<ApiObject> {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
    await this.world.create(this.world.resource('pods'), { metadata: { name, labels: { app: 'x' } }, spec })
    return this.world.update(this.world.resource('pods'), name, (live) => ({ ...live, status }), {
      subresource: 'status',
    })
  }

  async budget(name: string, status: object, spec: object = {}): Promise<ApiObject> {
    const budgets = this.world.resource('poddisruptionbudgets', 'policy')
    const selector = { matchLabels: { app: 'x' } }
    await this.world.create(budgets, { metadata: { name }, spec: { minAvailable: 2, selector, ...spec } })
    return this.world.update(budgets, name, (live) => ({ ...live, status }), { subresource: 'status' })
  }

  evict(name: string, body: object = {}, more: object = {}): ReturnType<ApiWorld['act']> {
    return this.world.act('pods/eviction', name, { metadata: { name }, ...body }, more)
  }

  find(name: string): Promise<ApiObject> {
    return this.world.get(this.world.resource('pods'), name)
  }

  status(name: string): Promise<unknown> {
    return this.world
      .get(this.world.resource('poddisruptionbudgets', 'policy'), name)
      .then((budget) => budget['status'])
  }
}

describe('an eviction', () => {
  test('marks a running pod for deletion and says why (W-526)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    expect(await cluster.evict('p', { deleteOptions: { gracePeriodSeconds: 3 } })).toMatchObject({ status: 'Success' })
    const pod = await cluster.find('p')
    expect(pod.metadata).toMatchObject({ deletionGracePeriodSeconds: 3, generation: 2 })
    expect(pod['status']).toMatchObject({
      conditions: [
        { type: 'Ready' },
        { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: NOW },
      ],
    })
  })

  test('takes one disruption from the budget, and the last one is told in its conditions (W-533)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    await cluster.budget('b', BUDGET)
    await cluster.evict('p')
    expect(await cluster.status('b')).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: NOW },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    })
  })

  test('looks at the budget and takes nothing from it in a dry run, asked for in either place (W-396)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    await cluster.budget('b', BUDGET)
    await cluster.evict('p', {}, { dryRun: true, options: { dryRun: ['All'] } })
    await cluster.evict('p', { deleteOptions: { dryRun: ['All'] } })
    expect(await cluster.status('b')).toMatchObject({ disruptionsAllowed: 1 })
    expect((await cluster.find('p')).metadata).not.toHaveProperty('deletionTimestamp')
  })

  test('does not ask budgets about a pod that does not run yet (W-531)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p', { phase: 'Pending' })
    await cluster.budget('b', { ...BUDGET, disruptionsAllowed: 0 })
    await cluster.evict('p')
    expect((await cluster.find('p')).metadata).toHaveProperty('deletionTimestamp')
    expect(await cluster.status('b')).toMatchObject({ disruptionsAllowed: 0 })
  })

  const refusing = [
    {
      name: 'has not been looked at since it changed',
      status: { ...BUDGET, observedGeneration: 0 },
      says: 'The disruption budget b is still being processed by the server.',
      retryAfterSeconds: 10,
    },
    {
      name: 'needs all of its pods',
      status: { ...BUDGET, currentHealthy: 2, disruptionsAllowed: 0 },
      says: 'The disruption budget b needs 2 healthy pods and has 2 currently',
    },
    {
      name: 'could not be worked out',
      status: {
        ...BUDGET,
        disruptionsAllowed: 0,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'no',
            lastTransitionTime: NOW,
          },
        ],
      },
      says: 'The disruption budget b does not allow evicting pods currently because it failed sync: no',
    },
    {
      name: 'is used up',
      status: { ...BUDGET, disruptionsAllowed: 0 },
      says: 'The disruption budget b does not allow evicting pods currently',
    },
  ]
  test.each(refusing)(
    'is refused for now where the budget $name (W-527 to W-529)',
    async ({ status, says, retryAfterSeconds }) => {
      const cluster = await Cluster.open()
      await cluster.pod('p')
      await cluster.budget('b', status)
      await expect(cluster.evict('p')).rejects.toMatchObject({
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [{ reason: 'DisruptionBudget', message: says }],
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        },
      })
      expect((await cluster.find('p')).metadata).not.toHaveProperty('deletionTimestamp')
    },
  )

  const unready = [
    {
      name: 'goes where enough others are healthy',
      status: { ...BUDGET, disruptionsAllowed: 0 },
      spec: {},
      goes: true,
    },
    {
      name: 'stays where they are not',
      status: { ...BUDGET, currentHealthy: 1, disruptionsAllowed: 0 },
      spec: {},
      goes: false,
    },
    {
      name: 'always goes where the budget says so',
      status: { ...BUDGET, currentHealthy: 1, disruptionsAllowed: 0 },
      spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      goes: true,
    },
  ]
  test.each(unready)('a pod that is not ready $name (W-532)', async ({ status, spec, goes }) => {
    const cluster = await Cluster.open()
    await cluster.pod('p', UNREADY)
    await cluster.budget('b', status, spec)
    const eviction = cluster.evict('p')
    if (goes) expect(await eviction).toMatchObject({ status: 'Success' })
    else await expect(eviction).rejects.toMatchObject({ reason: 'TooManyRequests' })
    expect(await cluster.status('b')).toMatchObject({ disruptionsAllowed: 0 })
  })

  test('cannot be counted by two budgets (W-530)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    await cluster.budget('a', BUDGET)
    await cluster.budget('b', BUDGET)
    await expect(cluster.evict('p')).rejects.toMatchObject({
      reason: '',
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    })
  })

  test('never disrupts more pods than allowed, however many ask at once', async () => {
    const cluster = await Cluster.open()
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`)
    for (const name of names) await cluster.pod(name)
    await cluster.budget('b', { ...BUDGET, disruptionsAllowed: 5 })
    const results = await Promise.allSettled(names.map((name) => cluster.evict(name)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await cluster.status('b')).toMatchObject({ disruptionsAllowed: 0 })
  })

  const refused = [
    {
      name: 'another name than in the path',
      body: { metadata: { name: 'q' } },
      reason: 'BadRequest',
      says: 'name in URL',
    },
    {
      name: 'a version that is not the newest',
      body: { deleteOptions: { preconditions: { resourceVersion: '1' } } },
      reason: 'Conflict',
      says: 'Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match',
    },
    {
      name: 'the wish to remove what cannot be read (W-356)',
      body: { deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
      reason: 'Invalid',
      says: 'Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    },
    {
      name: 'a dry run that is none',
      body: { deleteOptions: { dryRun: ['x'] } },
      reason: 'Invalid',
      says: 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
    },
  ]
  test.each(refused)('is refused with $name', async ({ body, reason, says }) => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    await expect(cluster.evict('p', body)).rejects.toMatchObject({ reason, message: expect.stringContaining(says) })
  })

  test('is refused with two different dry runs (W-396, D20)', async () => {
    const cluster = await Cluster.open()
    await cluster.pod('p')
    const body = { deleteOptions: { dryRun: ['All', 'All'] } }
    await expect(cluster.evict('p', body, { dryRun: true, options: { dryRun: ['All'] } })).rejects.toMatchObject({
      reason: 'BadRequest',
      message: 'Non-matching dry-run options in request and content: [All] and [All All]',
    })
  })
})
