import { describe, expect, it } from 'vitest'
import { type Snapshot, Snapshots } from '../../../src/cache/snapshots.ts'
import { compareStrings, newSortedTree } from '../../../src/lib/sorted-tree.ts'

function snapshot(revision: number, atMs = 0, bytes = 0): Snapshot {
  return { revision, tree: newSortedTree(compareStrings), unreadable: 0, atMs, bytes }
}

function open(revisions: readonly number[], limits = { snapshots: 100, bytes: 1_000 }): Snapshots {
  const [first = 0, ...rest] = revisions
  const snapshots = new Snapshots(snapshot(first), limits)
  for (const revision of rest) snapshots.add(snapshot(revision, revision * 1_000))
  return snapshots
}

describe('states of the past', () => {
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

  it('go where there are too many, or they keep too much', () => {
    const many = open(
      Array.from({ length: 150 }, (_, i) => i + 1),
      { snapshots: 100, bytes: 1_000 },
    )
    expect(many.oldestRevision).toBeGreaterThanOrEqual(51)
    const large = open([1])
    for (let revision = 2; revision < 12; revision++) large.add(snapshot(revision, 0, 300))
    expect(large.oldestRevision).toBe(8)
    large.add(snapshot(12, 0, 5_000))
    expect(large.oldestRevision).toBe(12)
  })
})
