// The controllers keep up with ten thousand dependents. Judged by processor time, so that a busy machine does not matter.
import { expect, it } from 'vitest'
import type { ApiObject } from '../../src/api/object.ts'
import type { Resource } from '../../src/registry/registry.ts'
import { type ApiWorld, openWorld } from '../rigs/api-world.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

const DEPENDENTS = 10_000
/** What deleting one takes is some 200 µs; what must not happen is that it grows with their number. */
const MOST_MICROSECONDS_EACH = 5_000

async function crowd(world: ApiWorld, maps: Resource, owner: ApiObject | undefined, blocks = false): Promise<void> {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner?.metadata['name'], uid: owner?.metadata['uid'] }
  const ownerReferences = owner === undefined ? [] : [{ ...reference, blockOwnerDeletion: blocks }]
  for (let i = 0; i < DEPENDENTS; i++) await world.create(maps, { metadata: { name: `d-${i}`, ownerReferences } })
}

async function remove(world: ApiWorld, resource: Resource, name: string, propagationPolicy?: string): Promise<void> {
  await world.delete(resource, name, propagationPolicy === undefined ? {} : { propagationPolicy })
}

/** How many there are beside the one that every namespace has. */
async function countOf(world: ApiWorld, maps: Resource): Promise<number> {
  const { metadata } = await world.must('GET', `/api/v1/namespaces/ns/${maps.resource}?limit=1`)
  const { continue: more, remainingItemCount = 0 } = metadata as { continue?: string; remainingItemCount?: number }
  return more === undefined || more === '' ? 0 : remainingItemCount
}

/** Microseconds of processor time a dependent, until nothing that should go is left. */
async function timeEach(work: () => Promise<void>, isDone: () => Promise<boolean>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  await expect.poll(isDone, { interval: 100, timeout: 250_000 }).toBe(true)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / DEPENDENTS
}

// A dependent blocks its owner with `Foreground` only: that is the most work.
it.each(IS_WHOLE ? (['Background', 'Foreground', 'Orphan'] as const) : (['Foreground'] as const))(
  'the garbage collector keeps up with ten thousand dependents: %s',
  async (propagation) => {
    const world = await openWorld()
    const maps = world.resource('configmaps')
    await crowd(world, maps, await world.create(maps, { metadata: { name: 'owner' } }), true)
    const each = await timeEach(
      () => remove(world, maps, 'owner', propagation),
      async () => {
        const left = await countOf(world, maps)
        return left === (propagation === 'Orphan' ? DEPENDENTS : 0)
      },
    )
    process.stdout.write(`${propagation}: ${Math.round(each)} µs each\n`)
    expect(each).toBeLessThan(MOST_MICROSECONDS_EACH)
  },
)

it('a namespace with ten thousand objects goes', async () => {
  const world = await openWorld()
  const [maps, namespaces] = [world.resource('configmaps'), world.resource('namespaces')]
  await crowd(world, maps, undefined)
  const each = await timeEach(
    () => remove(world, namespaces, 'ns'),
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
