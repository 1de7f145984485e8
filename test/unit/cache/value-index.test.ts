import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type CachedObject, placeItem } from '../../../src/cache/cached-object.ts'
import { SlabAllocator } from '../../../src/cache/slab.ts'
import { ValueIndex } from '../../../src/cache/value-index.ts'
import { layoutOf } from '../../../src/codec/resource-version-splice.ts'

const slabs = new SlabAllocator()

function object(name: string): CachedObject {
  const bytes = Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd' } }))
  const content = { kind: 'readable', bytes, layout: layoutOf(bytes)!, stale: false } as const
  return placeItem(slabs, `d/${name}`, { content, revision: 5 } as never) as CachedObject
}

const firstLetter = ({ name }: CachedObject): string => name.slice(0, 1)
const found = (index: ValueIndex, value: string): readonly string[] =>
  [...(index.find(value)?.values() ?? [])].map(({ name }) => name).sort()

function everything(all: Map<string, CachedObject>) {
  return {
    size: all.size,
    nowMs: 0,
    *objects(from: string) {
      for (const key of [...all.keys()].sort()) if (key >= from) yield all.get(key)!
    },
  }
}

describe('an index of values', () => {
  const names = ['a1', 'a2', 'b1', 'b2', 'c1']

  it('is built in pieces, each in a turn, and has the changes between them', async () => {
    const all = new Map(names.map((name) => [`d/${name}`, object(name)]))
    const index = new ValueIndex({ valueOf: firstLetter, mostValues: 10 })
    index.build(everything(all), { first: 2, later: 1, isWanted: () => true })
    expect(index.state).toBe('building')
    const added = object('c2')
    all.set('d/c2', added)
    index.add(added)
    index.remove(all.get('d/a1')!)
    all.delete('d/a1')
    index.remove(all.get('d/b2')!)
    all.delete('d/b2')
    let turns = 0
    for (; index.state === 'building'; turns++) await setImmediate()
    expect(turns).toBeGreaterThan(2)
    expect(['a', 'b', 'c'].map((value) => found(index, value))).toEqual([['a2'], ['b1'], ['c1', 'c2']])
    expect(index).toMatchObject({ state: 'whole', size: 4, values: 3 })
  })

  it('stops when it is no longer wanted', async () => {
    const all = new Map(names.map((name) => [`d/${name}`, object(name)]))
    const index = new ValueIndex({ valueOf: firstLetter, mostValues: 10 })
    let isWanted = true
    index.build(everything(all), { first: 1, later: 1, isWanted: () => isWanted })
    isWanted = false
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    expect(index).toMatchObject({ state: 'building', size: 2 })
  })

  it('gives up at too many values, and takes no memory from then on', () => {
    const index = new ValueIndex({ valueOf: firstLetter, mostValues: 2 })
    for (const name of names) index.add(object(name))
    expect(index).toMatchObject({ state: 'given up', size: 0, values: 0 })
    index.add(object('a9'))
    expect(index.size).toBe(0)
  })
})
