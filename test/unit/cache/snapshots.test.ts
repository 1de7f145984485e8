import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CachedItem } from '../../../src/cache/cached-object.ts'
import { History, type HistoryRecord } from '../../../src/cache/history.ts'
import { NODE_BYTES, PastBudget, STATE_BYTES } from '../../../src/cache/past-budget.ts'
import { MOST_UNDONE, Snapshots } from '../../../src/cache/snapshots.ts'
import { newSortedTree } from '../../../src/lib/sorted-tree.ts'
import { compareStrings } from '../../../src/lib/text-order.ts'
import { Change } from '../../../src/store/change.ts'

/** A type whose objects are told apart by their revision alone; those whose key begins with `!` are unreadable. */
class FakeType {
  readonly budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })
  readonly tree = newSortedTree<string, CachedItem>(compareStrings)
  readonly history: History
  readonly snapshots: Snapshots
  unreadable = 0

  constructor(revision: number, records = 1e6) {
    this.history = new History({ revision, isShared: false }, { milliseconds: 1e12, records }, this.budget)
    this.snapshots = new Snapshots({ revision, history: this.history, budget: this.budget, current: this })
  }

  put(revision: number, key = 'a', atMs = 0): void {
    const kind = key.startsWith('!') ? 'unreadable' : 'object'
    this.#change(revision, key, { item: { kind, key, revision } as CachedItem, atMs })
  }

  delete(revision: number, key: string): void {
    if (this.tree.has(key)) this.#change(revision, key, { item: undefined, atMs: 0 })
  }

  #change(revision: number, key: string, to: { readonly item: CachedItem | undefined; readonly atMs: number }): void {
    const previous = this.tree.get(key)
    if (previous?.kind === 'unreadable') this.unreadable--
    if (to.item?.kind === 'unreadable') this.unreadable++
    if (to.item === undefined) this.tree.delete(key)
    else this.tree.set(key, to.item)
    this.history.add(recordOf(revision, { key, previous, atMs: to.atMs }))
    this.snapshots.changed(revision)
  }

  /** What there is at the end of a revision: each key with its revision. */
  at(revision: number): readonly string[] | undefined {
    const snapshot = this.snapshots.at(revision)
    if (snapshot === undefined) return undefined
    const items = [...snapshot.tree.values()]
    expect(snapshot.unreadable).toBe(items.filter(({ kind }) => kind === 'unreadable').length)
    return items.map(({ key, revision: of }) => `${key}@${of}`)
  }

  now(): readonly string[] {
    return [...this.tree.values()].map(({ key, revision }) => `${key}@${revision}`)
  }
}

function recordOf(revision: number, about: Pick<HistoryRecord, 'key' | 'previous' | 'atMs'>): HistoryRecord {
  const change = new Change(revision, undefined, undefined)
  return { ...about, revision, change, before: undefined, now: undefined, bytes: 0 }
}

/** The object `a`, put at each of these revisions after the first, in as many seconds. */
function open([first = 0, ...rest]: readonly number[], records?: number): FakeType {
  const type = new FakeType(first, records)
  for (const revision of rest) type.put(revision, 'a', revision * 1_000)
  return type
}

describe('states of the past (R-175, D9)', () => {
  it('are found by any revision that they were current at', () => {
    const type = open([10, 12, 17])
    const found = [9, 10, 11, 12, 16, 17, 99].map((revision) => type.at(revision))
    expect(found).toEqual([undefined, [], [], ['a@12'], ['a@12'], ['a@17'], ['a@17']])
    expect(type.snapshots.oldestRevision).toBe(10)
  })

  it('are those at the end of a revision, also where one was taken in the middle of it', () => {
    const type = open([10, 12])
    expect(type.at(12)).toEqual(['a@12'])
    type.put(12, 'b')
    expect(type.at(12)).toEqual(['a@12', 'b@12'])
    type.put(13, 'c')
    expect(type.at(12)).toEqual(['a@12', 'b@12'])
    expect(type.at(11)).toEqual([])
  })

  it('go 75 s after something took their place; the newest stays', () => {
    const { snapshots } = open([10, 12, 17])
    snapshots.expire(12_000 + 75_000)
    expect(snapshots.oldestRevision).toBe(10)
    snapshots.expire(12_001 + 75_000)
    expect(snapshots.oldestRevision).toBe(12)
    snapshots.expire(1e12)
    expect(snapshots.oldestRevision).toBe(17)
    expect(snapshots.at(17)?.tree.size).toBe(1)
  })

  it('go when the storage is compacted past them; that of the compaction stays', () => {
    const type = open([10, 12, 17])
    type.snapshots.compact(11)
    expect(type.snapshots.oldestRevision).toBe(10)
    type.snapshots.compact(16)
    expect(type.snapshots.oldestRevision).toBe(12)
    expect([type.at(11), type.at(12)]).toEqual([undefined, ['a@12']])
    type.snapshots.compact(99)
    expect(type.snapshots.oldestRevision).toBe(17)
  })

  it('go with the changes that they would be made of', () => {
    const type = open([10, 12, 14, 16, 18], 2)
    expect(type.snapshots.oldestRevision).toBe(14)
    expect([type.at(13), type.at(14), type.at(16)]).toEqual([undefined, ['a@14'], ['a@16']])
  })

  it('are the same whenever they are asked for, before and after everything else', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', '!e', '!f')
    const step = fc.record({ key, isPut: fc.boolean(), gap: fc.nat(2), asks: fc.option(fc.nat(40)) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const type = new FakeType(5)
        const expected = new Map<number, readonly string[]>([[5, []]])
        let revision = 5
        for (const { key, isPut, gap, asks } of steps) {
          for (let between = 0; between < gap; between++) expected.set(++revision, type.now())
          if (isPut) type.put(revision, key)
          else type.delete(revision, key)
          expected.set(revision, type.now())
          if (asks !== null && expected.has(asks)) expect(type.at(asks)).toEqual(expected.get(asks))
        }
        for (const [at, state] of expected) expect(type.at(at)).toEqual(state)
      }),
    )
  })
})

describe('what is kept of the past', () => {
  it('is nothing that nobody has asked for, but one state in so many, so that none takes long to make again', () => {
    const type = open([0])
    for (let revision = 1; revision <= 3 * MOST_UNDONE + 10; revision++) type.put(revision, `a${revision % 100}`)
    const { snapshots, history } = type
    expect(snapshots.firstRevision).toBe(MOST_UNDONE)
    const kept = [1, 2, 3].map((times) => times * MOST_UNDONE)
    for (const revision of kept) expect(snapshots.at(revision)).toBe(snapshots.at(revision))
    const undone: number[] = []
    history.between = (from, to) => {
      const records = History.prototype.between.call(history, from, to)
      undone.push(records.length)
      return records
    }
    for (let revision = 0; revision < kept[2]!; revision++) expect(snapshots.at(revision)?.revision).toBe(revision)
    expect(Math.max(...undone)).toBeLessThanOrEqual(MOST_UNDONE)
  })

  it('is a state that was listed, until its time is over', () => {
    const type = open([10, 12])
    const listed = type.snapshots.newest
    type.put(14, 'b', 14_000)
    type.put(16, 'c', 16_000)
    for (const revision of [12, 13]) expect(type.snapshots.at(revision)?.tree).toBe(listed.tree)
    expect([type.snapshots.isNewest(listed), type.snapshots.isNewest(type.snapshots.newest)]).toEqual([false, true])
    expect([type.snapshots.bytes, type.budget.used]).toEqual([STATE_BYTES, STATE_BYTES])
    type.snapshots.expire(14_001 + 75_000)
    expect([type.snapshots.firstRevision, type.snapshots.bytes, type.budget.used]).toEqual([undefined, 0, 0])
  })

  it('counts for the nodes that it has for itself', () => {
    const type = open([0])
    for (let revision = 1; revision <= 160; revision++) type.put(revision, `a${revision}`)
    void type.snapshots.newest
    type.put(161, 'b')
    const bytes = STATE_BYTES + 10 * NODE_BYTES
    expect([type.snapshots.bytes, type.budget.used]).toEqual([bytes, bytes])
    void type.snapshots.newest
    type.put(162, 'b')
    expect(type.snapshots.bytes).toBe(bytes + STATE_BYTES)
    type.snapshots.forgetFirst()
    expect([type.snapshots.firstRevision, type.snapshots.bytes]).toEqual([161, STATE_BYTES])
    expect(type.at(160)).toHaveLength(160)
    type.snapshots.forgetAll()
    expect([type.snapshots.firstRevision, type.snapshots.bytes, type.budget.used]).toEqual([undefined, 0, 0])
    type.snapshots.forgetFirst()
    expect(type.at(162)).toHaveLength(161)
  })
})
