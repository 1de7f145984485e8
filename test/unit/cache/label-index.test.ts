import { describe, expect, it } from 'vitest'
import type { CachedObject } from '../../../src/cache/cached-object.ts'
import { placeItem } from '../../../src/cache/cached-object.ts'
import { LabelIndex } from '../../../src/cache/label-index.ts'
import { SlabAllocator } from '../../../src/cache/slab.ts'
import { layoutOf } from '../../../src/codec/resource-version-splice.ts'

const slabs = new SlabAllocator()

function object(name: string, labels: Record<string, string>): CachedObject {
  const bytes = Buffer.from(
    JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd', labels } }),
  )
  const content = { kind: 'readable', bytes, layout: layoutOf(bytes)!, stale: false } as const
  return placeItem(slabs, `d/${name}`, { content, revision: 5 } as never) as CachedObject
}

function everything(objects: readonly CachedObject[], nowMs = 0) {
  const state = { looks: 0 }
  return {
    state,
    size: objects.length,
    nowMs,
    objects: () => {
      state.looks++
      return objects
    },
  }
}

const names = (found: readonly CachedObject[] | undefined) => found?.map(({ name }) => name)

describe('the index of labels', () => {
  const all = [object('b', { app: 'web' }), object('a', { app: 'web', tier: 'x' }), object('c', { app: 'db' })]

  it('finds by equality, in the order of keys, and looks at everything once for a key', () => {
    const index = new LabelIndex()
    const given = everything(all)
    expect(names(index.find({ key: 'app', value: 'web' }, given))).toEqual(['a', 'b'])
    expect(names(index.find({ key: 'app', value: 'db' }, given))).toEqual(['c'])
    expect(names(index.find({ key: 'app', value: 'none' }, given))).toEqual([])
    expect(given.state.looks).toBe(1)
  })

  it('follows what is added and removed', () => {
    const index = new LabelIndex()
    const given = everything(all)
    index.find({ key: 'app', value: 'web' }, given)
    index.add(object('d', { app: 'web' }))
    index.remove(all[0]!)
    expect(names(index.find({ key: 'app', value: 'web' }, given))).toEqual(['a', 'd'])
  })

  it('leaves to the tree what most objects have', () => {
    const many = Array.from({ length: 100 }, (_, i) => object(`n${i}`, { app: 'web' }))
    expect(new LabelIndex().find({ key: 'app', value: 'web' }, everything(many))).toBeUndefined()
  })

  it('does not give up a key in use for another, but one that nobody asks for any more', () => {
    const index = new LabelIndex()
    for (const key of ['k1', 'k2', 'k3', 'k4']) index.find({ key, value: 'v' }, everything(all))
    expect(index.find({ key: 'app', value: 'db' }, everything(all, 59_999))).toBeUndefined()
    expect(names(index.find({ key: 'app', value: 'db' }, everything(all, 60_000)))).toEqual(['c'])
    const again = everything(all, 120_000)
    index.find({ key: 'k1', value: 'v' }, again)
    expect(again.state.looks).toBe(1)
  })
})
