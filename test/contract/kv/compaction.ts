// Compaction forgets history before a revision: that revision and all after it stay exact, all before it is refused as gone.
import { expect, it } from 'vitest'
import type { KvError } from '../../../src/kv/kv.ts'
import { failsWith, type OpenSubject } from './subject.ts'

export function compactionRules(subject: OpenSubject): void {
  it('the revision and all after it can still be read, those before it are gone', async () => {
    const s = subject()
    const one = await s.write('a', 'one')
    const two = await s.write('a', 'two', one)
    const three = await s.write('a', 'three', two)
    await s.kv.compact(two, s.signal)
    expect((await failsWith('compacted', s.read('a', one))).compactRevision).toBe(two)
    expect((await failsWith('compacted', s.list({ at: one }))).compactRevision).toBe(two)
    expect(await s.contents(two)).toEqual({ a: 'two' })
    expect(await s.contents(three)).toEqual({ a: 'three' })
    expect(await s.contents()).toEqual({ a: 'three' })
  })

  it('what is there stays, however old, and what was deleted stays away', async () => {
    const s = subject()
    const old = await s.write('old', 'x')
    const gone = await s.write('gone', 'x')
    const removed = await s.remove('gone', gone)
    await s.write('new', 'x')
    await s.kv.compact(removed, s.signal)
    expect(await s.contents(removed)).toEqual({ old: 'x' })
    await s.kv.compact(await s.newest(), s.signal)
    expect(await s.contents()).toEqual({ old: 'x', new: 'x' })
    expect(await s.read('old')).toMatchObject({ revision: old, createRevision: old })
    expect(await s.write('old', 'y', old)).toBe((await s.read('old'))?.revision)
    expect((await s.read('old'))?.createRevision).toBe(old)
    expect(await s.read('gone')).toBeUndefined()
  })

  it('compacting makes no revision', async () => {
    const s = subject()
    const revision = await s.write('a', 'x')
    await s.kv.compact(revision, s.signal)
    expect(await s.newest()).toBe(revision)
  })

  it('compacting again to the same or an older revision does nothing', async () => {
    const s = subject()
    const one = await s.write('a', 'one')
    const two = await s.write('a', 'two', one)
    await s.kv.compact(two, s.signal)
    await s.kv.compact(two, s.signal)
    await s.kv.compact(one, s.signal)
    expect(await s.contents(two)).toEqual({ a: 'two' })
    await failsWith('compacted', s.read('a', one))
  })

  it('a revision that has not happened yet cannot be compacted to', async () => {
    const s = subject()
    const revision = await s.write('a', 'x')
    await failsWith('future', s.kv.compact(revision + 1, s.signal))
    expect(await s.contents(revision)).toEqual({ a: 'x' })
  })

  it('a watch from before it ends as compacted and says from where history is kept', async () => {
    const s = subject()
    const start = await s.newest()
    for (let i = 0; i < 5; i++) await s.write(`k${i}`, 'x')
    const upTo = await s.newest()
    await s.kv.compact(upTo, s.signal)
    const watch = s.watch({ after: start })
    const error = (await watch.ended) as KvError
    expect(error).toMatchObject({ name: 'KvError', code: 'compacted', compactRevision: upTo })
    expect(watch.events).toEqual([])
  })

  it('a watch from the revision on sees everything after it', async () => {
    const s = subject()
    await s.write('a', 'x')
    const upTo = await s.write('b', 'x')
    const later = await s.write('c', 'x')
    await s.kv.compact(upTo, s.signal)
    const watch = s.watch({ after: upTo })
    const live = await s.write('d', 'x')
    await watch.seen(2)
    expect(watch.revisions).toEqual([later, live])
  })

  it('a running watch that is up to date does not notice', async () => {
    const s = subject()
    const start = await s.newest()
    const watch = s.watch({ after: start })
    const quiet = s.watch({ after: start, prefix: `${s.prefix}quiet/` })
    await s.write('quiet/first', 'x')
    await quiet.seen(1)
    for (let i = 0; i < 40; i++) {
      await s.write(`k${i}`, 'x')
      await watch.seen(i + 2)
      if (i % 4 === 3) await s.kv.compact(watch.revisions.at(-1)!, s.signal)
    }
    expect(watch.revisions).toEqual(Array.from({ length: 41 }, (_, index) => start + 1 + index))
  })

  it('a watcher that fell behind sees all of it or is told, and never skips', async () => {
    const s = subject()
    const start = await s.newest()
    const iterator = s.kv.watch({ prefix: s.prefix, after: start }, s.signal)[Symbol.asyncIterator]()
    await s.write('first', 'x')
    await iterator.next()
    for (let i = 0; i < 50; i++) await s.write(`k${i}`, 'x')
    await s.kv.compact(await s.newest(), s.signal)
    let next = start + 2
    try {
      while (next < start + 52) {
        const { value } = await iterator.next()
        for (const event of value.events) expect(event.revision).toBe(next++)
      }
    } catch (error) {
      expect(error).toMatchObject({ name: 'KvError', code: 'compacted' })
    }
    await iterator.return?.()
  })

  it('pages at a revision that is compacted between two of them end with being told', async () => {
    const s = subject()
    for (let i = 0; i < 6; i++) await s.write(`k${i}`, 'x')
    const at = await s.newest()
    const first = await s.list({ at, limit: 3 })
    expect(first.more).toBe(true)
    const upTo = await s.write('another', 'x')
    await s.kv.compact(upTo, s.signal)
    await failsWith('compacted', s.list({ at, start: `${first.items.at(-1)!.key}\0`, limit: 3 }))
  })

  it('history behind many compactions stays exact', async () => {
    const s = subject()
    const revisions = new Map<string, number>()
    const states = new Map<number, Record<string, string>>()
    const state: Record<string, string> = {}
    for (let i = 0; i < 100; i++) {
      const name = `k${(i * 5) % 7}`
      const known = revisions.get(name) ?? 0
      let revision: number
      if (known !== 0 && i % 5 === 0) {
        revision = await s.remove(name, known)
        revisions.delete(name)
        delete state[name]
      } else {
        revision = await s.write(name, `v${i}`, known)
        revisions.set(name, revision)
        state[name] = `v${i}`
      }
      states.set(revision, { ...state })
      if (i % 10 !== 9) continue
      const upTo = revision - 5
      await s.kv.compact(upTo, s.signal)
      await failsWith('compacted', s.list({ at: upTo - 1 }))
      for (let at = upTo; at <= revision; at++) expect(await s.contents(at)).toEqual(states.get(at))
    }
  })
}
