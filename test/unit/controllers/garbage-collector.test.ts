import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { garbageCollector } from '../../../src/controllers/garbage-collector.ts'
import { deleteObject } from '../../../src/registry/delete.ts'
import type { DeleteOptions } from '../../../src/registry/deletion.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import type { Store } from '../../../src/store/store.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { changedStore } from '../../fakes/changed-store.ts'
import { ChangingTable } from '../../fakes/changing-table.ts'
import { controllerParts, runUntilFinished } from '../../rigs/running-controller.ts'

type Owner = Pick<ApiObject, 'metadata'>

class Family {
  readonly world: ApiWorld
  readonly maps: Resource

  constructor(world: ApiWorld) {
    this.world = world
    this.maps = world.resource('configmaps')
  }

  /** In a server that has no other collector. */
  static async open(): Promise<Family> {
    return new Family(await openWorld({ controllersOff: ['garbage-collector'] }))
  }

  collect(): () => Promise<void> {
    return runUntilFinished(garbageCollector(controllerParts(this.world)))
  }

  make(name: string, owners: readonly object[] = [], more: object = {}, namespace = 'ns'): Promise<ApiObject> {
    const metadata = { name, namespace, ownerReferences: owners, ...more }
    return this.world.create(this.maps, { metadata }, { namespace })
  }

  async delete(name: string, propagationPolicy: DeleteOptions['propagationPolicy']): Promise<void> {
    const options: DeleteOptions = {
      gracePeriodSeconds: undefined,
      preconditions: { uid: undefined, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy,
      ignoreReadErrors: false,
    }
    await deleteObject(this.world.parts, this.maps, { name, options }, this.world.context())
  }

  async find(name: string, namespace = 'ns'): Promise<ApiObject | undefined> {
    try {
      return await this.world.get(this.maps, name, namespace)
    } catch {
      return undefined
    }
  }

  /** Resolves when it is gone. */
  async gone(name: string, namespace = 'ns'): Promise<void> {
    await expect.poll(() => this.find(name, namespace), { interval: 2 }).toBeUndefined()
  }
}

function ownedBy({ metadata }: Owner, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: metadata['name'], uid: metadata['uid'], ...more }
}

describe('the garbage collector', () => {
  it('deletes what was left by an owner that is gone', async () => {
    const family = await Family.open()
    await family.make('child', [ownedBy(await family.make('owner'))])
    family.collect()
    await family.delete('owner', 'Background')
    await family.gone('child')
  })

  it('deletes what was left before it began', async () => {
    const family = await Family.open()
    await family.make('child', [ownedBy(await family.make('owner'))])
    await family.delete('owner', 'Background')
    family.collect()
    await family.gone('child')
  })

  it('deletes what names an owner that never was (W-358)', async () => {
    const family = await Family.open()
    family.collect()
    await family.make('child', [ownedBy({ metadata: { name: 'owner', uid: 'made-up' } })])
    await family.gone('child')
  })

  it('deletes what names an owner whose name another has now', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    await family.make('child', [ownedBy(owner)])
    await family.delete('owner', 'Background')
    await family.make('owner')
    family.collect()
    await family.gone('child')
  })

  it('takes the names of owners that are gone from who has another (W-359)', async () => {
    const family = await Family.open()
    const [one, two] = [await family.make('one'), await family.make('two')]
    await family.make('child', [ownedBy(one), ownedBy(two)])
    family.collect()
    await family.delete('one', 'Background')
    await expect
      .poll(async () => (await family.find('child'))?.metadata['ownerReferences'], { interval: 2 })
      .toEqual([ownedBy(two)])
  })

  it('follows down to the grandchildren', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    const child = await family.make('child', [ownedBy(owner)])
    await family.make('grandchild', [ownedBy(child)])
    family.collect()
    await family.delete('owner', 'Background')
    await family.gone('grandchild')
  })

  it('lets an owner that is deleted in the foreground go last (W-363)', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    await family.make('child', [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ['a.b/held'] })
    family.collect()
    await family.delete('owner', 'Foreground')
    await expect
      .poll(async () => (await family.find('child'))?.metadata['deletionTimestamp'], { interval: 2 })
      .toBeDefined()
    expect(await family.find('owner')).toBeDefined()
    await family.world.update(family.maps, 'child', (live) => ({
      ...live,
      metadata: { ...live.metadata, finalizers: [] },
    }))
    await family.gone('owner')
    expect(await family.find('child')).toBeUndefined()
  })

  it('does not wait for dependents that do not hold their owner (W-364)', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    await family.make('child', [ownedBy(owner)], { finalizers: ['a.b/held'] })
    family.collect()
    await family.delete('owner', 'Foreground')
    await family.gone('owner')
  })

  it('goes down to the leaves first (W-365)', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    const child = await family.make('child', [ownedBy(owner, { blockOwnerDeletion: true })])
    await family.make('leaf', [ownedBy(child, { blockOwnerDeletion: true })], { finalizers: ['a.b/held'] })
    family.collect()
    await family.delete('owner', 'Foreground')
    await expect
      .poll(async () => (await family.find('leaf'))?.metadata['deletionTimestamp'], { interval: 2 })
      .toBeDefined()
    expect(await family.find('child')).toBeDefined()
    await family.world.update(family.maps, 'leaf', (live) => ({
      ...live,
      metadata: { ...live.metadata, finalizers: [] },
    }))
    await family.gone('owner')
    expect(await family.find('child')).toBeUndefined()
  })

  it('lets dependents go where they are to be orphans (W-367)', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    await family.make('child', [ownedBy(owner)])
    family.collect()
    await family.delete('owner', 'Orphan')
    await family.gone('owner')
    expect((await family.find('child'))?.metadata['ownerReferences']).toBeUndefined()
  })

  it('makes no child of an owner that waited for it before it began an orphan’s heir', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    const children = Array.from({ length: 40 }, (_, index) => `child-${index}`)
    await Promise.all(children.map((name) => family.make(name, [ownedBy(owner)])))
    await family.delete('owner', 'Orphan')
    family.collect()
    await family.gone('owner')
    for (const name of children) expect((await family.find(name))?.metadata['ownerReferences']).toBeUndefined()
  })

  it('looks for owners in the namespace of the dependent, and tells of those in another (W-360)', async () => {
    const family = await Family.open()
    const owner = await family.make('owner', [], {}, 'elsewhere')
    family.collect()
    await family.make('child', [ownedBy(owner)])
    await family.gone('child')
    expect(await family.find('owner', 'elsewhere')).toBeDefined()
  })

  it('leaves alone what names an owner of a kind that it does not know (W-362)', async () => {
    const family = await Family.open()
    family.collect()
    await family.make('stays', [{ apiVersion: 'no.such/v1', kind: 'Nope', name: 'x', uid: 'u' }])
    await family.make('goes', [ownedBy({ metadata: { name: 'owner', uid: 'made-up' } })])
    await family.gone('goes')
    expect(await family.find('stays')).toBeDefined()
  })

  it('tells of a namespaced owner of what belongs to the whole cluster, once, and leaves it alone (W-361)', async () => {
    const family = await Family.open()
    const roles = family.world.resource('clusterroles', 'rbac.authorization.k8s.io')
    family.collect()
    const ownerReferences = [ownedBy({ metadata: { name: 'owner', uid: 'made-up' } })]
    await family.world.create(roles, { metadata: { name: 'wide', ownerReferences }, rules: [] }, { namespace: '' })
    await family.make('goes', ownerReferences)
    await family.gone('goes')
    expect(await family.world.get(roles, 'wide')).toBeDefined()
  })

  it('deletes what somebody writes all the time', async () => {
    const family = await Family.open()
    await family.make('child', [ownedBy(await family.make('owner'))])
    const { store } = family.world.parts
    let writes = 0
    const busy = changedStore(store, {
      write: async (key, decide, signal) => {
        if (key.name === 'child' && writes++ < 20) {
          await family.world.update(family.maps, 'child', (live) => ({ ...live, data: { written: String(writes) } }))
        }
        return store.write(key, decide, signal)
      },
    })
    const parts = controllerParts(family.world)
    runUntilFinished(garbageCollector({ ...parts, registry: { ...parts.registry, store: busy } }))
    await family.delete('owner', 'Background')
    await family.gone('child')
    expect(writes).toBeLessThan(5)
  })
})

/** Each names the next as an owner that it holds, the last the first. */
async function makeCircle(family: Family, names: readonly string[], more: object = {}): Promise<void> {
  const made = new Map<string, ApiObject>()
  for (const name of names) made.set(name, await family.make(name, [], more))
  for (const [index, name] of names.entries()) {
    const next = made.get(names[(index + 1) % names.length]!)!
    await family.world.update(family.maps, name, (live) => ({
      ...live,
      metadata: { ...live.metadata, ownerReferences: [ownedBy(next, { blockOwnerDeletion: true })] },
    }))
  }
}

describe('a circle of owners', () => {
  it.each([
    [['a', 'b'], 'Foreground'],
    [['a', 'b', 'c'], 'Foreground'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'Foreground'],
    [['a', 'b', 'c'], 'Background'],
  ] as const)('of %j goes when one is deleted: %s', async (names, policy) => {
    const family = await Family.open()
    await makeCircle(family, names)
    family.collect()
    await family.delete('a', policy)
    for (const name of names) await family.gone(name)
  })

  it('that one is orphaned from stays, open', async () => {
    const family = await Family.open()
    await makeCircle(family, ['a', 'b', 'c'])
    family.collect()
    await family.delete('a', 'Orphan')
    await family.gone('a')
    expect((await family.find('c'))?.metadata['ownerReferences']).toBeUndefined()
    expect((await family.find('b'))?.metadata['ownerReferences']).toMatchObject([{ name: 'c' }])
  })

  it('was deleted in the foreground before the collector began', async () => {
    const family = await Family.open()
    await makeCircle(family, ['a', 'b', 'c'])
    await family.delete('a', 'Foreground')
    family.collect()
    for (const name of ['a', 'b', 'c']) await family.gone(name)
  })
})

describe('an owner is what a reference says in all of its words', () => {
  it.each<[string, object, boolean]>([
    ['its own', {}, true],
    ['another name', { name: 'other' }, false],
    ['another uid', { uid: 'other' }, false],
    ['another kind', { kind: 'Secret' }, false],
    ['its kind in lower case', { kind: 'configmap' }, true],
    ['the kind of its lists', { kind: 'ConfigMapList' }, false],
    ['a version that is not served', { apiVersion: 'v2' }, true],
    ['a kind that there is not', { kind: 'Nothing' }, true],
    ['a group that there is not', { apiVersion: 'no.such.group/v1' }, true],
  ])('%s', async (_name, more, isKept) => {
    const family = await Family.open()
    const owner = await family.make('owner')
    family.collect()
    await family.make('child', [ownedBy(owner, more)])
    await family.make('goes', [ownedBy(owner, { uid: 'made-up' })])
    if (!isKept) await family.gone('child')
    await family.gone('goes')
    expect((await family.find('child')) !== undefined).toBe(isKept)
  })

  it('also where the owner goes later', async () => {
    const family = await Family.open()
    const owner = await family.make('owner')
    await family.make('child', [ownedBy(owner, { kind: 'configmap' })])
    await family.make('stays', [ownedBy(owner, { apiVersion: 'v2' })])
    family.collect()
    await family.delete('owner', 'Background')
    await family.gone('child')
    expect(await family.find('stays')).toBeDefined()
  })
})

describe('a kind that comes to be served', () => {
  /** Everything but secrets, at first. */
  function withoutSecrets(family: Family, changes: Partial<Store> = {}) {
    const secrets = family.world.resource('secrets')
    const others = [...family.world.resources.all()].filter((resource) => resource !== secrets)
    const table = new ChangingTable(family.world, others)
    const parts = controllerParts(family.world)
    const registry = { ...parts.registry, store: changedStore(parts.registry.store, changes) }
    runUntilFinished(garbageCollector({ ...parts, registry, resources: () => table.table }))
    return () => table.change([], [secrets])
  }

  const ofSecret = { apiVersion: 'v1', kind: 'Secret', name: 'never-was', uid: 'made-up' }

  it('ends the wait of those that name it', async () => {
    const family = await Family.open()
    const serve = withoutSecrets(family)
    await family.make('waits', [ofSecret])
    await family.make('goes', [ownedBy({ metadata: { name: 'never-was', uid: 'made-up' } })])
    await family.gone('goes')
    expect(await family.find('waits')).toBeDefined()
    serve()
    await family.gone('waits')
  })

  it('ends it also where it comes while another owner is looked for', async () => {
    const family = await Family.open()
    const { store } = family.world.parts
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const serve = withoutSecrets(family, {
      get: async (key, at, signal) => {
        if (key.name === 'slow') {
          asked.resolve()
          await answer.promise
        }
        return store.get(key, at, signal)
      },
    })
    await family.make('waits', [ownedBy({ metadata: { name: 'slow', uid: 'made-up' } }), ofSecret])
    await asked.promise
    serve()
    await family.make('goes', [ofSecret])
    await family.gone('goes')
    answer.resolve()
    await family.gone('waits')
  })
})
