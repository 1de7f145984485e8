import { describe, expect, it } from 'vitest'
import type { Maintenance, Member, Members } from '../../../src/kv/maintenance.ts'
import { isFragmented, nextToDefragment, recoverSpace } from '../../../src/store/space-recovery.ts'

const { signal } = new AbortController()
const isDue = (one: Member): boolean => isFragmented(one, { freeShare: 0.5, minBytes: 1000 })

interface Sizes {
  readonly bytes?: number
  readonly inUseBytes?: number
  readonly quotaBytes?: number
}

function member(id: string, sizes: Sizes = {}, more: Partial<Member> = {}): Member {
  const { bytes = 2000, inUseBytes = 500, quotaBytes } = sizes
  const limit = quotaBytes === undefined ? undefined : { quotaBytes, availableBytes: Math.max(0, quotaBytes - bytes) }
  return { url: `http://${id}`, id, isLeader: false, problems: [], ...more, size: { bytes, inUseBytes, limit } }
}

function all(...answering: readonly Member[]): Members {
  return { answering, silent: [] }
}

describe('which member is defragmented next', () => {
  it.each<[string, Members, unknown]>([
    ['a follower before the leader', all(member('a', {}, { isLeader: true }), member('b')), 'b'],
    ['the same one for everybody, whatever the order of the URLs', all(member('c'), member('b')), 'b'],
    [
      'the leader when no follower needs it',
      all(member('a', {}, { isLeader: true }), member('b', { bytes: 999 })),
      'a',
    ],
    ['none with little free', all(member('a', { inUseBytes: 1000 })), undefined],
    ['none that is small', all(member('a', { bytes: 999, inUseBytes: 1 })), undefined],
  ])('%s', (_, members, id) => {
    const next = nextToDefragment(members, isDue)
    expect(next.kind === 'member' ? next.member.id : undefined).toBe(id)
  })

  it('none while another does not answer or complains', () => {
    const silent = { answering: [member('a')], silent: ['http://b'] }
    expect(nextToDefragment(silent, isDue)).toEqual({ kind: 'unwell', problem: 'http://b does not answer' })
    const sick = all(member('a'), member('b', {}, { problems: ['it has no leader'] }))
    expect(nextToDefragment(sick, isDue)).toEqual({ kind: 'unwell', problem: 'http://b: it has no leader' })
  })

  it('nothing is said of members that are unwell where there is nothing to do', () => {
    expect(nextToDefragment({ answering: [member('a', { inUseBytes: 2000 })], silent: ['http://b'] }, isDue)).toEqual({
      kind: 'none',
    })
  })
})

const FIRST = { isFirstTry: true }
const AGAIN = { isFirstTry: false }

/** Defragmenting a member leaves what is in use, or what the test says. */
class Cluster implements Maintenance {
  state: Members
  readonly done: string[] = []

  readonly #left: number | undefined

  constructor(state: Members, left?: number) {
    this.state = state
    this.#left = left
  }

  members(): Promise<Members> {
    return Promise.resolve(this.state)
  }

  forgetHistory(): Promise<void> {
    this.done.push('compact')
    return Promise.resolve()
  }

  defragment({ id }: Member): Promise<void> {
    this.done.push(`defragment ${id}`)
    const answering = this.state.answering.map((one) =>
      one.id === id ? { ...one, size: { ...one.size, bytes: this.#left ?? one.size.inUseBytes } } : one,
    )
    this.state = { ...this.state, answering }
    return Promise.resolve()
  }

  disarmNoSpace(): Promise<void> {
    this.done.push('disarm')
    return Promise.resolve()
  }
}

describe('recovering from an alarm for space', () => {
  it('forgets history, defragments one after the other, the leader last, and disarms', async () => {
    const cluster = new Cluster(all(member('a', {}, { isLeader: true }), member('b'), member('c')))
    expect(await recoverSpace(cluster, FIRST, signal)).toEqual({ kind: 'recovered', freedBytes: 4500 })
    expect(cluster.done).toEqual(['compact', 'defragment b', 'defragment c', 'defragment a', 'disarm'])
  })

  it('disarms at once where the quota was raised', async () => {
    const cluster = new Cluster(all(member('a', { inUseBytes: 1990, quotaBytes: 4000 })))
    expect(await recoverSpace(cluster, FIRST, signal)).toMatchObject({ kind: 'recovered' })
    expect(cluster.done).toEqual(['compact', 'disarm'])
  })

  it('leaves the alarm where what is in use nearly fills the quota', async () => {
    const cluster = new Cluster(all(member('a', { bytes: 2000, inUseBytes: 1700, quotaBytes: 2000 })))
    expect(await recoverSpace(cluster, FIRST, signal)).toEqual({ kind: 'still-full' })
    expect(cluster.done).toEqual(['compact', 'defragment a'])
  })

  it('does not believe at first that everything is in use, which etcd says until the next write', async () => {
    const full = () => all(member('a', { inUseBytes: 1990 }), member('b', { inUseBytes: 1990, quotaBytes: 2000 }))
    const cluster = new Cluster(full(), 500)
    expect(await recoverSpace(cluster, FIRST, signal)).toEqual({ kind: 'recovered', freedBytes: 3000 })
    expect(cluster.done).toEqual(['compact', 'defragment a', 'defragment b', 'disarm'])
    const again = new Cluster(full(), 500)
    expect(await recoverSpace(again, AGAIN, signal)).toEqual({ kind: 'still-full' })
    expect(again.done).toEqual(['compact'])
  })

  it('defragments no member twice that stays as large as it was', async () => {
    const cluster = new Cluster(all(member('a', { quotaBytes: 2000 }), member('b', { quotaBytes: 2000 })), 2000)
    expect(await recoverSpace(cluster, FIRST, signal)).toEqual({ kind: 'still-full' })
    expect(cluster.done).toEqual(['compact', 'defragment a', 'defragment b'])
  })

  it('holds nobody up while a member is away', async () => {
    const cluster = new Cluster({ answering: [member('a'), member('b')], silent: ['http://c'] })
    expect(await recoverSpace(cluster, FIRST, signal)).toEqual({ kind: 'unwell', problem: 'http://c does not answer' })
    expect(cluster.done).toEqual(['compact'])
  })
})
