import { afterEach, expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { chargeOf, countedTypes, namesAbout } from '../../../src/plugins/quota/quota.ts'
import { resourceQuotas } from '../../../src/controllers/resource-quotas.ts'
import { deleteObject } from '../../../src/registry/delete.ts'
import { type ApiWorld, NOW, openWorld } from '../../rigs/api-world.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const OPTIONS = {
  gracePeriodSeconds: 0,
  preconditions: { uid: undefined, resourceVersion: undefined },
  orphanDependents: undefined,
  propagationPolicy: undefined,
  ignoreReadErrors: false,
}

async function counting(): Promise<{ readonly world: ApiWorld; readonly clock: ManualClock }> {
  const world = await openWorld({ controllersOff: ['resource-quotas', 'root-ca-certificate-publisher'] })
  await world.delete(world.resource('configmaps'), 'kube-root-ca.crt')
  const clock = new ManualClock()
  const parts = {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set<string>(),
    clock,
    now: () => NOW,
    log: SILENT_LOG,
  }
  const stop = new AbortController()
  const running = resourceQuotas(parts, { countedTypes, namesAbout, chargeOf }).run(stop.signal)
  ends.push(async () => {
    stop.abort()
    await running
  })
  return { world, clock }
}

async function make(world: ApiWorld, hard: Readonly<Record<string, string>>, name = 'q'): Promise<void> {
  await world.create(world.resource('resourcequotas'), { metadata: { name }, spec: { hard } })
}

function map(world: ApiWorld, name: string): Promise<unknown> {
  return world.create(world.resource('configmaps'), { metadata: { name } })
}

async function statusOf(world: ApiWorld, name: string): Promise<unknown> {
  return (await world.get(world.resource('resourcequotas'), name))['status']
}

/** Time goes by until the status is as expected. */
async function told(
  { world, clock }: Awaited<ReturnType<typeof counting>>,
  expected: object,
  name = 'q',
): Promise<void> {
  const status = async (): Promise<unknown> => {
    clock.advance(100)
    return statusOf(world, name)
  }
  await expect.poll(status, { interval: 2 }).toEqual(expected)
}

it('tells what is there when a quota is made', async () => {
  const here = await counting()
  await map(here.world, 'a')
  await make(here.world, { configmaps: '5', pods: '1', 'count/nothing.example.com': '3' })
  await told(here, {
    hard: { configmaps: '5', 'count/nothing.example.com': '3', pods: '1' },
    used: { configmaps: '1', pods: '0' },
  })
})

it('counts what is stored under the name of another group (W-461)', async () => {
  const here = await counting()
  await here.world.create(here.world.resource('events'), {
    metadata: { name: 'e' },
    involvedObject: { namespace: 'ns', kind: 'Pod', name: 'p' },
  })
  await make(here.world, { 'count/events.events.k8s.io': '5' })
  await told(here, { hard: { 'count/events.events.k8s.io': '5' }, used: { 'count/events.events.k8s.io': '1' } })
})

it('tells of less when something goes (W-461)', async () => {
  const here = await counting()
  const { world } = here
  await map(world, 'a')
  await map(world, 'b')
  await make(world, { configmaps: '5' })
  await told(here, { hard: { configmaps: '5' }, used: { configmaps: '2' } })
  await deleteObject(world.parts, world.resource('configmaps'), { name: 'a', options: OPTIONS }, world.context())
  await told(here, { hard: { configmaps: '5' }, used: { configmaps: '1' } })
})

it('does not count pods that have ended', async () => {
  const here = await counting()
  const { world } = here
  const pods = world.resource('pods')
  await world.create(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
  await make(world, { 'count/pods': '5', pods: '5' })
  await told(here, { hard: { 'count/pods': '5', pods: '5' }, used: { 'count/pods': '1', pods: '1' } })
  await world.update(pods, 'p', (live) => ({ ...live, status: { phase: 'Succeeded' } }), { subresource: 'status' })
  await told(here, { hard: { 'count/pods': '5', pods: '5' }, used: { 'count/pods': '1', pods: '0' } })
})

it('follows a change of the limits', async () => {
  const here = await counting()
  await map(here.world, 'a')
  await make(here.world, { configmaps: '5' })
  await told(here, { hard: { configmaps: '5' }, used: { configmaps: '1' } })
  await here.world.update(here.world.resource('resourcequotas'), 'q', (live) => ({
    ...live,
    spec: { hard: { secrets: '2' } },
  }))
  await told(here, { hard: { secrets: '2' }, used: { secrets: '0' } })
})

it('leaves a quota alone that was just raised: what it was raised for may be on its way', async () => {
  const here = await counting()
  const { world, clock } = here
  await map(world, 'a')
  // When the last is counted the others are at rest; then none of them has been counted or raised lately.
  for (const name of ['q', 'changed', 'other', 'last']) {
    clock.advance(5_000)
    await make(world, { configmaps: '5' }, name)
    await told(here, { hard: { configmaps: '5' }, used: { configmaps: '1' } }, name)
  }
  clock.advance(1_000)
  const quotas = world.resource('resourcequotas')
  const raised = { hard: { configmaps: '5' }, used: { configmaps: '2' } }
  await world.update(quotas, 'q', (live) => ({ ...live, status: raised }), { subresource: 'status' })
  await world.update(quotas, 'changed', (live) => ({ ...live, spec: { hard: { configmaps: '6' } } }))
  const follows = { hard: { configmaps: '6' }, used: { configmaps: '1' } }
  await expect.poll(() => statusOf(world, 'changed')).toEqual(follows)
  await deleteObject(world.parts, world.resource('configmaps'), { name: 'a', options: OPTIONS }, world.context())
  await expect.poll(() => statusOf(world, 'other')).toEqual({ hard: { configmaps: '5' }, used: { configmaps: '0' } })
  expect(await statusOf(world, 'q')).toEqual(raised)
  clock.advance(2_000)
  await told(here, { hard: { configmaps: '5' }, used: { configmaps: '0' } })
})

it('ends with everything that it follows when it is told to', async () => {
  const here = await counting()
  await make(here.world, { configmaps: '5', secrets: '5', pods: '5' })
  await told(here, {
    hard: { configmaps: '5', pods: '5', secrets: '5' },
    used: { configmaps: '0', pods: '0', secrets: '0' },
  })
  await ends.pop()!()
})
