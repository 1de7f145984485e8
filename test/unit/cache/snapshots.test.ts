import { describe, expect, it } from 'vitest'
import { PastBudget, STATE_BYTES } from '../../../src/cache/past-budget.ts'
import { type Snapshot, Snapshots } from '../../../src/cache/snapshots.ts'
import { newSortedTree } from '../../../src/lib/sorted-tree.ts'
import { compareStrings } from '../../../src/lib/text-order.ts'

function snapshot(revision: number, atMs = 0): Snapshot {
  return { revision, tree: newSortedTree(compareStrings), unreadable: 0, atMs }
}

function open(revisions: readonly number[], budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })): Snapshots {
  const [first = 0, ...rest] = revisions
  const snapshots = new Snapshots(snapshot(first), 100, budget)
  for (const revision of rest) snapshots.add(snapshot(revision, revision * 1_000))
  return snapshots
}

describe('states of the past (R-175, D9)', () => {
  it('are found by any revision that they were current at', () => {
    const snapshots = open([10, 12, 17])
    const found = [9, 10, 11, 12, 16, 17, 99].map((revision) => snapshots.at(revision)?.revision)
    expect(found).toEqual([undefined, 10, 10, 12, 12, 17, 17])
    expect(snapshots.oldestRevision).toBe(10)
  })

  it('are those at the end of a revision', () => {
    const snapshots = open([10, 12])
    const again = snapshot(12, 0)
    snapshots.add(again)
    expect(snapshots.at(12)).toBe(again)
    expect(snapshots.at(11)?.revision).toBe(10)
  })

  it('go 75 s after something took their place; the newest stays', () => {
    const snapshots = open([10, 12, 17])
    snapshots.expire(12_000 + 75_000)
    expect(snapshots.oldestRevision).toBe(10)
    snapshots.expire(12_001 + 75_000)
    expect(snapshots.oldestRevision).toBe(12)
    snapshots.expire(1e12)
    expect(snapshots.oldestRevision).toBe(17)
  })

  it('go when the storage is compacted past them; that of the compaction stays', () => {
    const snapshots = open([10, 12, 17])
    snapshots.compact(11)
    expect(snapshots.oldestRevision).toBe(10)
    snapshots.compact(16)
    expect(snapshots.oldestRevision).toBe(12)
    snapshots.compact(99)
    expect(snapshots.oldestRevision).toBe(17)
  })

  it('go where there are too many, or when they are told to; the newest stays', () => {
    const budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })
    const many = open([1], budget)
    for (let revision = 2; revision <= 150; revision++) many.add(snapshot(revision))
    expect([many.oldestRevision, many.bytes, budget.used]).toEqual([51, 99 * STATE_BYTES, 99 * STATE_BYTES])
    many.forgetFirst()
    expect([many.oldestRevision, many.firstRevision, budget.used]).toEqual([52, 52, 98 * STATE_BYTES])
    many.forgetAll()
    expect([many.oldestRevision, many.firstRevision, budget.used]).toEqual([150, undefined, 0])
    many.forgetFirst()
    expect(many.newest.revision).toBe(150)
  })
})
