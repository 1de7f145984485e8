import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { ABSENT, type Kv, KvError, putKey } from '../../../src/kv/kv.ts'
import { Compactor } from '../../../src/store/compactor.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()

describe('forgetting history (R-180)', () => {
  it('keeps an interval of it, and is done by one of the replicas', async () => {
    const kv = openMemory()
    const clock = new ManualClock()
    const options = { kv, prefix: '/registry', clock, intervalMs: 300_000, onError: () => {} }
    const replicas = [new Compactor(options), new Compactor(options)]
    let expected = ABSENT
    const revisions: number[] = []
    const rounds: (number | undefined)[][] = []
    for (let round = 0; round < 4; round++) {
      const { revision } = await putKey(
        kv,
        { key: '/registry/pods/d/a', value: Buffer.from(String(round)), expected },
        signal,
      )
      expected = revision
      revisions.push(revision)
      rounds.push([await replicas[0]?.tick(signal), await replicas[1]?.tick(signal)])
    }
    expect(rounds[0]).toEqual([undefined, undefined])
    for (const round of rounds.slice(1)) expect(round.filter((to) => to !== undefined)).toHaveLength(1)
    // What was written within the last interval is still there, what was before is not.
    await expect(kv.get('/registry/pods/d/a', { at: revisions[0]! }, signal)).rejects.toMatchObject({
      code: 'compacted',
    })
    await expect(kv.get('/registry/pods/d/a', { at: revisions[3]! }, signal)).resolves.toBeDefined()
    await kv.close()
  })

  it('tells how far it has come, and what went wrong last', async () => {
    const clock = new ManualClock()
    const kv = openMemory()
    const stop = new AbortController()
    const compactor = new Compactor({ kv, prefix: '/registry', clock, intervalMs: 1_000, onError: () => {} })
    expect(await compactor.status(signal)).toEqual({ intervalMs: 1_000 })
    const running = compactor.run(stop.signal)
    const round = async (): Promise<void> => {
      clock.advance(1_000)
      await setImmediate()
    }
    vi.spyOn(kv, 'compact').mockRejectedValueOnce(new KvError('unavailable', 'no leader'))
    await round()
    await round()
    expect(await compactor.status(signal)).toMatchObject({ revision: undefined, problem: 'no leader' })
    await round()
    const { revision, lastRoundAt, problem } = await compactor.status(signal)
    expect(revision).toBeGreaterThan(0)
    expect([lastRoundAt, problem]).toEqual([clock.timeOfDay(), undefined])
    stop.abort()
    await running
    await kv.close()
  })

  it('runs once an interval until it is told to stop, and goes on after a failure', async () => {
    const clock = new ManualClock()
    const kv = openMemory()
    const stop = new AbortController()
    const errors: unknown[] = []
    const compactor = new Compactor({
      kv,
      prefix: 'registry/',
      clock,
      intervalMs: 1_000,
      onError: (error) => errors.push(error),
    })
    const running = compactor.run(stop.signal)
    for (let round = 0; round < 3; round++) {
      clock.advance(1_000)
      await setImmediate()
    }
    const { item } = await kv.get('/registry/compact_rev_key', {}, signal)
    expect(Number(item?.value.toString())).toBeGreaterThan(0)
    await kv.close()
    clock.advance(1_000)
    await setImmediate()
    clock.advance(1_000)
    await setImmediate()
    expect(errors).toHaveLength(2)
    stop.abort()
    await running
    expect(clock.pending).toBe(0)
  })

  it('takes turns with kube-apiserver, by its key, and tells the replicas under their prefix', async () => {
    const kv = openMemory()
    const ours = new Compactor({ kv, prefix: '/registry', clock: new ManualClock(), intervalMs: 1, onError: () => {} })
    const first = await putKey(kv, { key: 'compact_rev_key', value: Buffer.from('0'), expected: ABSENT }, signal)
    // Its turn was taken before we came, and once more before the next round.
    expect(await ours.tick(signal)).toBeUndefined()
    await putKey(kv, { key: 'compact_rev_key', value: Buffer.from('1'), expected: first.revision }, signal)
    expect((await kv.get('/registry/compact_rev_key', {}, signal)).item).toBeUndefined()
    expect(await ours.tick(signal)).toBeUndefined()
    expect((await kv.get('/registry/compact_rev_key', {}, signal)).item?.value.toString()).toBe('1')
    const compacted = await ours.tick(signal)
    expect(compacted).toBeGreaterThan(first.revision)
    for (const key of ['compact_rev_key', '/registry/compact_rev_key']) {
      expect((await kv.get(key, {}, signal)).item?.value.toString()).toBe(String(compacted))
    }
    await kv.close()
  })

  it('takes turns under the prefix where it may not write elsewhere', async () => {
    const inner = openMemory()
    const kv = withCommit(inner, (commit, stop) => {
      if (commit.writes.some(({ key }) => !key.startsWith('/registry/'))) throw new KvError('denied', 'not this key')
      return inner.commit(commit, stop)
    })
    const options = { kv, prefix: '/registry', clock: new ManualClock(), intervalMs: 1, onError: () => {} }
    const replicas = [new Compactor(options), new Compactor(options)]
    const rounds: (number | undefined)[][] = []
    for (let round = 0; round < 3; round++) {
      rounds.push([await replicas[0]?.tick(signal), await replicas[1]?.tick(signal)])
    }
    for (const round of rounds.slice(1)) expect(round.filter((to) => to !== undefined)).toHaveLength(1)
    await inner.close()
  })

  it('goes on where nothing can be written for want of space: it is what makes some', async () => {
    const inner = openMemory()
    const { revision } = await putKey(inner, { key: '/registry/a', value: Buffer.from('1'), expected: ABSENT }, signal)
    const kv = withCommit(inner, () => Promise.reject(new KvError('full', 'no space')))
    const compactor = new Compactor({
      kv,
      prefix: '/registry',
      clock: new ManualClock(),
      intervalMs: 1,
      onError: () => {},
    })
    expect(await compactor.tick(signal)).toBeUndefined()
    await putKey(inner, { key: '/registry/a', value: Buffer.from('2'), expected: revision }, signal)
    expect(await compactor.tick(signal)).toBe(revision)
    await expect(inner.get('/registry/a', { at: revision - 1 }, signal)).rejects.toMatchObject({ code: 'compacted' })
    expect(await compactor.tick(signal)).toBe(revision + 1)
    await inner.close()
  })
})

function withCommit(kv: Kv, commit: Kv['commit']): Kv {
  return new Proxy(kv, { get: (target, name) => (name === 'commit' ? commit : Reflect.get(target, name).bind(target)) })
}
