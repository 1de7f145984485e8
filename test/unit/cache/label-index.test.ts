import { setImmediate } from 'node:timers/promises'
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
    *objects(from: string) {
      for (const one of objects) {
        if (one.key < from) continue
        state.looks++
        yield one
      }
    },
  }
}

const names = (found: readonly CachedObject[] | undefined) => found?.map(({ name }) => name).sort()

describe('the index of labels', () => {
  const all = [object('b', { app: 'web' }), object('a', { app: 'web', tier: 'x' }), object('c', { app: 'db' })]

  it('finds by equality, and looks at everything once for a key', () => {
    const index = new LabelIndex()
    const given = everything(all)
    expect(names(index.find({ key: 'app', value: 'web' }, given))).toEqual(['a', 'b'])
    expect(names(index.find({ key: 'app', value: 'db' }, given))).toEqual(['c'])
    expect(names(index.find({ key: 'app', value: 'none' }, given))).toEqual([])
    expect(given.state.looks).toBe(all.length)
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
    expect(again.state.looks).toBe(all.length)
  })

  describe('of more objects than are looked at in one go', () => {
    const [half, rest] = [50_000, 10]
    const name = (i: number): string => String(i).padStart(6, '0')
    const many = (labels: (i: number) => Record<string, string>, more = rest) =>
      Array.from({ length: half + more }, (_, i) => object(name(i), labels(i)))
    const web = { key: 'app', value: 'web' }

    it('looks at the rest by itself, a piece in a turn, and knows what came and went in between', async () => {
      const index = new LabelIndex()
      const objects = many((i) => (i % half < 2 ? { app: 'web' } : {}))
      const given = everything(objects)
      expect(index.find(web, given)).toBeUndefined()
      expect(given.state.looks).toBe(half + 1)
      index.remove(objects[0]!)
      index.remove(objects[half]!)
      const added = [object('000000x', { app: 'web' }), object('990000', { app: 'web' })]
      for (const one of added) index.add(one)
      objects.splice(half, 1)
      objects.splice(0, 1, added[0]!)
      objects.push(added[1]!)
      expect(index.find(web, given)).toBeUndefined()
      await setImmediate()
      await setImmediate()
      expect(names(index.find(web, given))).toEqual(['000000x', '000001', name(half + 1), '990000'])
      expect(given.state.looks).toBeLessThanOrEqual(half + 1 + rest + 1)
    })

    it('takes a piece in each turn', async () => {
      const index = new LabelIndex()
      const given = everything(many(() => ({}), 22_000))
      index.find(web, given)
      const looks: number[] = []
      for (let turn = 0; turn < 5; turn++) {
        await setImmediate()
        looks.push(given.state.looks - half - 1)
      }
      expect(looks.every((look, turn) => look <= (turn + 1) * (10_000 + 1))).toBe(true)
      expect(looks.at(-1)).toBeGreaterThanOrEqual(22_000)
    })

    it('gives up a key that has a value for each, for good', async () => {
      const index = new LabelIndex()
      const objects = many((i) => ({ id: String(i) }))
      const given = everything(objects)
      for (let i = 0; i < 3; i++) {
        expect(index.find({ key: 'id', value: '7' }, given)).toBeUndefined()
        await setImmediate()
      }
      expect(given.state.looks).toBeLessThanOrEqual(half + rest + 1)
      for (const one of objects.slice(100)) index.remove(one)
      expect(index.find({ key: 'id', value: '7' }, everything(objects.slice(0, 100)))).toBeUndefined()
    })
  })
})
