import { describe, expect, it, onTestFinished } from 'vitest'
import { type InformedType, TypeInformers, type TypeInformersOptions } from '../../../src/controllers/type-informers.ts'
import type { Resource, ResourceTable } from '../../../src/registry/registry.ts'
import type { StoredResource } from '../../../src/store/store.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { ChangingTable } from '../../fakes/changing-table.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

async function open(there: (world: ApiWorld) => readonly Resource[], more: Partial<TypeInformersOptions> = {}) {
  const world = await openWorld()
  const table = new ChangingTable(world, there(world))
  const told: string[] = []
  const types: InformedType[] = []
  let completed = 0
  const informers = new TypeInformers({
    source: { ...controllerParts(world), resources: () => table.table },
    typesIn: (now) => now.all(),
    handler: (type) => {
      types.push(type)
      const tell = (word: string) => (object: { readonly name: string }) => void told.push(`${word} ${object.name}`)
      return { onPresent: tell('present'), onGone: tell('gone') }
    },
    onComplete: () => void completed++,
    onEnded: async ({ stored }) => void told.push(`ended ${stored.resource}`),
    ...more,
  })
  const stop = new AbortController()
  const running = informers.run(stop.signal)
  const end = async (): Promise<void> => {
    stop.abort()
    await running
  }
  onTestFinished(end)
  const make = (kind: string, name: string) => world.create(world.resource(kind), { metadata: { name } })
  return { world, table, told, types, informers, make, end, completed: () => completed }
}

const maps = (world: ApiWorld) => world.resource('limitranges')
const secrets = (world: ApiWorld) => world.resource('secrets')

describe('types that are followed', () => {
  it('are told of as soon as they come', async () => {
    const { world, table, told, informers, make } = await open((w) => [maps(w)])
    await make('secrets', 'before')
    await informers.synced
    expect(informers.isComplete).toBe(true)
    table.change([], [secrets(world)])
    expect(informers.isComplete).toBe(false)
    await expect.poll(() => informers.isComplete, { interval: 1 }).toBe(true)
    expect(told).toEqual(['present before'])
    await make('secrets', 'after')
    await expect.poll(() => told, { interval: 1 }).toContain('present after')
  })

  it('are not told of any more when they are gone, and are told of anew when they come again', async () => {
    const { world, table, told, informers, make } = await open((w) => [maps(w), secrets(w)])
    await informers.synced
    await make('secrets', 'first')
    await expect.poll(() => told, { interval: 1 }).toEqual(['present first'])
    table.change([secrets(world)], [])
    await expect.poll(() => told, { interval: 1 }).toEqual(['present first', 'ended secrets'])
    await make('secrets', 'second')
    await make('limitranges', 'third')
    await expect.poll(() => told.at(-1), { interval: 1 }).toBe('present third')
    expect(told).not.toContain('present second')
    table.change([], [secrets(world)])
    await expect.poll(() => told.slice(-2), { interval: 1 }).toEqual(['present first', 'present second'])
  })

  it('are looked at once for many changes at once', async () => {
    let looks = 0
    const typesIn = (table: ResourceTable): Iterable<Resource> => {
      looks++
      return table.all()
    }
    const { table, informers, completed } = await open((w) => [maps(w)], { typesIn })
    await informers.synced
    expect([looks, completed()]).toEqual([1, 1])
    for (let i = 0; i < 100; i++) table.change([], [])
    await expect.poll(completed, { interval: 1 }).toBe(2)
    expect(looks).toBe(2)
  })

  it('stay the same record while what is served of them changes', async () => {
    const { world, table, types, informers } = await open((w) => [maps(w)])
    await informers.synced
    const changed: Resource = { ...maps(world), singular: 'changed' }
    table.change([maps(world)], [changed])
    await expect.poll(() => types[0]?.resource).toBe(changed)
    expect(types).toMatchObject([{ isServed: true }])
    table.change([changed], [])
    await expect.poll(() => types[0]?.isServed).toBe(false)
    expect(types[0]?.resource).toBe(changed)
  })

  it('are followed anew where they come to be in another scope', async () => {
    const { world, table, types, told, informers } = await open((w) => [maps(w)])
    await informers.synced
    const stored: StoredResource = { ...maps(world).stored, namespaced: false }
    table.change([maps(world)], [{ ...maps(world), namespaced: false, stored }])
    await expect.poll(() => types.length).toBe(2)
    await expect.poll(() => told).toEqual(['ended limitranges'])
  })

  it('are read as they are stored, whoever has to be asked for how they are served', async () => {
    const refuse = (): never => {
      throw new Error('nobody converts')
    }
    const form = {
      isAsStored: () => false,
      keepsValues: () => false,
      isLocal: false,
      fromStored: refuse,
      toStored: refuse,
      atHand: refuse,
    }
    const { informers, make, told } = await open((w) => [{ ...maps(w), stored: { ...maps(w).stored, form } }])
    await informers.synced
    await make('limitranges', 'a')
    await expect.poll(() => told, { interval: 1 }).toEqual(['present a'])
  })

  it('leave nothing behind', async () => {
    const { table, informers, end } = await open((w) => [maps(w)])
    await informers.synced
    await end()
    expect(table.listeners).toBe(0)
  })
})
