import { describe, expect, it } from 'vitest'
import { History, type HistoryRecord } from '../../../src/cache/history.ts'
import { PastBudget } from '../../../src/cache/past-budget.ts'
import { Change } from '../../../src/store/change.ts'

function record(revision: number, atMs = 0, bytes = 10): HistoryRecord {
  const change = new Change(revision, undefined, undefined)
  return { revision, change, key: 'd/a', previous: undefined, before: undefined, now: undefined, atMs, bytes }
}

const limits = { milliseconds: 1_000, records: 100 }

function open(floor: number, budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })): History {
  return new History({ revision: floor, isShared: false }, limits, budget)
}

function revisions(history: History, after: number, count = 1_000): readonly number[] {
  return history.after(after, count).records.map(({ revision }) => revision)
}

describe('history (R-147, D8)', () => {
  it('gives what is after a revision', () => {
    const history = open(5)
    for (const revision of [7, 9, 12]) history.add(record(revision))
    expect(history.floor).toBe(5)
    expect(revisions(history, 5)).toEqual([7, 9, 12])
    expect(revisions(history, 8)).toEqual([9, 12])
    expect(revisions(history, 9)).toEqual([12])
    expect(revisions(history, 50)).toEqual([])
  })

  it('gives no more than was asked for', () => {
    const history = open(1)
    for (const revision of [2, 3, 4, 5]) history.add(record(revision))
    expect(revisions(history, 1, 2)).toEqual([2, 3])
    expect(history.after(1, 3).isAll).toBe(false)
    expect(history.after(1, 4).isAll).toBe(true)
  })

  it('never splits what is of one revision', () => {
    const history = open(1)
    for (const revision of [2, 3, 3, 3, 4]) history.add(record(revision))
    expect(history.after(1, 2)).toMatchObject({ records: { length: 4 }, isAll: false })
    expect(history.after(1, 5)).toMatchObject({ records: { length: 5 }, isAll: true })
    expect(history.after(3, 1)).toMatchObject({ records: { length: 1 }, isAll: true })
  })

  it('forgets the oldest by age and number, and says from where on it is complete', () => {
    const byAge = open(1)
    for (let i = 2; i < 12; i++) byAge.add(record(i, i * 200))
    expect(byAge.floor).toBe(5)
    expect(revisions(byAge, 5)).toEqual([6, 7, 8, 9, 10, 11])
    const byNumber = open(1)
    for (let i = 2; i < 1_002; i++) byNumber.add(record(i, 0, 0))
    expect(byNumber.floor).toBe(901)
    expect(revisions(byNumber, 901)).toHaveLength(100)
  })

  it('forgets the oldest when it is told to, all of a revision together, and tells what it takes', () => {
    const budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })
    const history = open(1, budget)
    for (const revision of [2, 3, 3, 4]) history.add(record(revision, 0, 300))
    expect([history.bytes, budget.used]).toEqual([1200, 1200])
    history.forgetFirst()
    history.forgetFirst()
    expect([history.floor, history.firstRevision, budget.used]).toEqual([3, 4, 300])
    history.forgetAll()
    expect([history.floor, history.firstRevision, budget.used]).toEqual([4, undefined, 0])
  })

  it('forgets nothing where nothing happens', () => {
    const history = open(5)
    history.expire(1e12)
    expect(history.floor).toBe(5)
    history.add(record(7, 0))
    history.expire(1e12)
    expect(history.floor).toBe(7)
  })

  it('can be told what happened before it began', () => {
    const budget = new PastBudget({ bytes: 1e9, mostBytes: 1e9 })
    const history = open(10, budget)
    history.add(record(11))
    history.extendBack([record(6), record(9)], 5)
    expect(history.floor).toBe(5)
    expect(budget.used).toBe(30)
    expect(revisions(history, 5)).toEqual([6, 9, 11])
    history.extendBack([record(7)], 6)
    expect(revisions(history, 5)).toEqual([6, 9, 11])
  })
})
