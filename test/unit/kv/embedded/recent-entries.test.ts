import { describe, expect, it } from 'vitest'
import { RecentEntries } from '../../../../src/kv/embedded/recent-entries.ts'
import type { LogEntry } from '../../../../src/kv/embedded/records.ts'

function entry(revision: number): LogEntry {
  return {
    revision,
    sub: 0,
    key: `/k/${revision}`,
    createRevision: revision,
    previousRevision: 0,
    previousSub: 0,
    version: 1,
    lease: 0n,
    deadlineMs: 0,
    value: Buffer.from('v'),
  }
}

function withEntries(...revisions: readonly number[]): RecentEntries {
  const recent = new RecentEntries()
  for (const revision of revisions) recent.add(entry(revision))
  return recent
}

describe('the newest entries of the log', () => {
  it('are given from a revision on', () => {
    const recent = withEntries(5, 6, 7)
    expect(recent.from(6)?.map(({ revision }) => revision)).toEqual([6, 7])
  })

  it('are absent where an older one is asked for', () => {
    expect(withEntries(5, 6, 7).from(4)).toBeUndefined()
  })

  it('are forgotten when all of them have been read', () => {
    const recent = withEntries(5, 6, 7)
    recent.forgetRead(7)
    expect(recent.from(5)).toBeUndefined()
  })

  it('are kept while one of them has not been read', () => {
    const recent = withEntries(5, 6, 7)
    recent.forgetRead(6)
    expect(recent.from(5)?.length).toBe(3)
  })

  it('go on after what was forgotten', () => {
    const recent = withEntries(5, 6)
    recent.forgetRead(6)
    recent.add(entry(7))
    expect(recent.from(7)?.map(({ revision }) => revision)).toEqual([7])
  })
})
