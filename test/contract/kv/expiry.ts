// A key with a time to live goes by itself, not early, as a delete like any other; a later write decides anew.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { OpenSubject, Subject, WatchRecorder } from './subject.ts'

/** The shortest that every engine can do. */
const TTL_SECONDS = 2

/** Engines look for what is due in intervals of their own. */
const LATEST_MS = 15_000

export function expiryRules(subject: OpenSubject): void {
  it('a watch sees the key go, not before its time, at a revision of its own', { timeout: LATEST_MS * 2 }, async () => {
    const s = subject()
    const start = await s.newest()
    const watch = s.watch({ after: start, withPrevious: true })
    const began = performance.now()
    const created = await s.write('a', 'x', 0, TTL_SECONDS)
    if (s.store.advance !== undefined) {
      s.store.advance(TTL_SECONDS * 1000 - 1)
      expect((await s.read('a'))?.revision).toBe(created)
    }
    await expired(s, watch, 2)
    if (s.store.advance === undefined) expect(performance.now() - began).toBeGreaterThanOrEqual(TTL_SECONDS * 1000 - 50)
    expect(watch.events[1]).toMatchObject({ kind: 'delete', key: `${s.prefix}a`, revision: created + 1 })
    expect(watch.events[1]?.previous?.revision).toBe(created)
    expect(await s.read('a')).toBeUndefined()
    expect(await s.read('a', created)).toMatchObject({ revision: created })
    expect(await s.newest()).toBe(created + 1)
  })

  it('a later write without one takes it off, a later one with one starts it anew', {
    timeout: LATEST_MS * 3,
  }, async () => {
    const s = subject()
    const watch = s.watch({ after: await s.newest() })
    const stays = await s.write('stays', 'x', 0, TTL_SECONDS)
    const renewed = await s.write('renewed', 'x', 0, TTL_SECONDS)
    await s.write('goes', 'x', 0, TTL_SECONDS)
    await s.write('stays', 'y', stays)
    await s.write('renewed', 'y', renewed, 600)
    await expired(s, watch, 6)
    expect(watch.events[5]).toMatchObject({ kind: 'delete', key: `${s.prefix}goes` })
    // One more round: what was taken off is not merely late.
    await s.write('goes too', 'x', 0, TTL_SECONDS)
    await expired(s, watch, 8)
    expect(watch.events[7]).toMatchObject({ kind: 'delete', key: `${s.prefix}goes too` })
    expect(await s.contents()).toEqual({ stays: 'y', renewed: 'y' })
  })

  it('a key that was deleted before its time is not deleted twice', { timeout: LATEST_MS * 2 }, async () => {
    const s = subject()
    const watch = s.watch({ after: await s.newest() })
    const early = await s.write('early', 'x', 0, TTL_SECONDS)
    await s.remove('early', early)
    const again = await s.write('early', 'made again')
    await s.write('sentinel', 'x', 0, TTL_SECONDS)
    await expired(s, watch, 5)
    expect(watch.events[4]).toMatchObject({ kind: 'delete', key: `${s.prefix}sentinel` })
    expect((await s.read('early'))?.revision).toBe(again)
  })

  it('many keys that are due together each go once, after the last of them was made', {
    timeout: LATEST_MS * 2,
  }, async () => {
    const s = subject()
    const start = await s.newest()
    const watch = s.watch({ after: start })
    for (let i = 0; i < 20; i++) await s.write(`k${i}`, 'x', 0, TTL_SECONDS)
    await expired(s, watch, 40)
    const gone = watch.events.slice(20)
    expect(new Set(gone.map((event) => event.key)).size).toBe(20)
    expect(gone.every((event) => event.kind === 'delete' && event.revision > start + 20)).toBe(true)
    expect(watch.revisions).toEqual(watch.revisions.toSorted((a, b) => a - b))
    expect(await s.contents()).toEqual({})
  })
}

/** Waits until the watch has seen so many events, moving the clock on where that is in our hands. */
async function expired(s: Subject, watch: WatchRecorder, events: number): Promise<void> {
  s.store.advance?.(TTL_SECONDS * 1000)
  const late = new AbortController()
  const deadline = sleep(LATEST_MS, undefined, { signal: late.signal }).then(
    () => Promise.reject(new Error(`only ${watch.events.length} of ${events} events after ${LATEST_MS} ms`)),
    () => undefined,
  )
  await Promise.race([watch.seen(events), deadline])
  late.abort()
}
