// The controllers keep up with ten thousand dependents. Judged by processor time, so that a busy machine does not matter.
import { expect, it } from 'vitest'
import type { ApiObject } from '../../src/api/object.ts'
import { EVERY_FIELD, EVERY_LABEL } from '../../src/api/selector.ts'
import { garbageCollector } from '../../src/controllers/garbage-collector.ts'
import { namespaceController } from '../../src/controllers/namespaces.ts'
import { deleteObject } from '../../src/registry/delete.ts'
import type { DeleteOptions } from '../../src/registry/deletion.ts'
import { listRequest } from '../../src/registry/read.ts'
import type { Resource } from '../../src/registry/registry.ts'
import { ApiWorld } from '../fakes/api-world.ts'
import { controllerParts, runUntilFinished } from '../fakes/running-controller.ts'

const DEPENDENTS = 10_000
/** What deleting one takes is some 200 µs; what must not happen is that it grows with their number. */
const MOST_MICROSECONDS_EACH = 5_000

async function crowd(world: ApiWorld, maps: Resource, owner: ApiObject | undefined, blocks = false): Promise<void> {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner?.metadata['name'], uid: owner?.metadata['uid'] }
  const ownerReferences = owner === undefined ? [] : [{ ...reference, blockOwnerDeletion: blocks }]
  for (let i = 0; i < DEPENDENTS; i++) await world.create(maps, { metadata: { name: `d-${i}`, ownerReferences } })
}

async function remove(
  world: ApiWorld,
  resource: Resource,
  name: string,
  propagationPolicy: DeleteOptions['propagationPolicy'],
): Promise<void> {
  const preconditions = { uid: undefined, resourceVersion: undefined }
  const none = { gracePeriodSeconds: undefined, orphanDependents: undefined, ignoreReadErrors: false }
  const options = { ...none, preconditions, propagationPolicy }
  const context = world.context(resource.namespaced ? {} : { namespace: '' })
  await deleteObject(world.parts, resource, { name, options }, context)
}

async function namesLeft(world: ApiWorld, resource: Resource): Promise<readonly string[]> {
  const query = {
    kind: 'list',
    labels: EVERY_LABEL,
    fields: EVERY_FIELD,
    at: { kind: 'latest' },
    limit: undefined,
  } as const
  const page = await world.parts.store.list(
    listRequest({ resource, namespace: 'ns' }, query),
    AbortSignal.timeout(60_000),
  )
  const names: string[] = []
  for await (const batch of page.batches) for (const { name } of batch) names.push(name)
  return names
}

/** Microseconds of processor time a dependent, until nothing that should go is left. */
async function timeEach(work: () => Promise<void>, isDone: () => Promise<boolean>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  await expect.poll(isDone, { interval: 100, timeout: 250_000 }).toBe(true)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / DEPENDENTS
}

it.each(['Background', 'Foreground', 'Orphan'] as const)(
  'the garbage collector keeps up with ten thousand dependents: %s',
  async (propagation) => {
    const world = new ApiWorld()
    const maps = world.resource('configmaps')
    await crowd(world, maps, await world.create(maps, { metadata: { name: 'owner' } }), true)
    runUntilFinished(garbageCollector(controllerParts(world)))
    const each = await timeEach(
      () => remove(world, maps, 'owner', propagation),
      async () => {
        const left = await namesLeft(world, maps)
        return propagation === 'Orphan' ? !left.includes('owner') : left.length === 0
      },
    )
    process.stdout.write(`${propagation}: ${Math.round(each)} µs each\n`)
    expect(each).toBeLessThan(MOST_MICROSECONDS_EACH)
  },
)

it('a namespace with ten thousand objects goes', async () => {
  const world = new ApiWorld()
  const [maps, namespaces] = [world.resource('configmaps'), world.resource('namespaces')]
  await world.create(namespaces, { metadata: { name: 'ns' } }, { namespace: '' })
  await crowd(world, maps, undefined)
  runUntilFinished(namespaceController(controllerParts(world)))
  const each = await timeEach(
    () => remove(world, namespaces, 'ns', undefined),
    async () => {
      try {
        await world.get(namespaces, 'ns')
        return false
      } catch {
        return true
      }
    },
  )
  process.stdout.write(`namespace: ${Math.round(each)} µs each\n`)
  expect(each).toBeLessThan(MOST_MICROSECONDS_EACH)
})
