// Commits of several keys: all in one revision, or nothing.
import { expect, it } from 'vitest'
import { CancelledError, InvariantError } from '../../../src/lib/errors.ts'
import { failsWith, forEachOf, type OpenSubject } from './subject.ts'

export function commitRules(subject: OpenSubject): void {
  it('a commit writes all of its keys in one revision', async () => {
    const s = subject()
    const [changed, gone] = [await s.write('changed', '1'), await s.write('gone', '1')]
    const before = await s.newest()
    const expected = { new: 0, changed, gone }
    const committed = await s.commit(expected, { new: '2', changed: '2', gone: null })
    expect(committed).toEqual({ ok: true, revision: before + 1 })
    expect(await s.newest()).toBe(before + 1)
    expect(await s.contents()).toEqual({ new: '2', changed: '2' })
    expect(await s.read('new')).toMatchObject({ revision: before + 1, createRevision: before + 1 })
    expect(await s.read('changed')).toMatchObject({ revision: before + 1, createRevision: changed })
    expect(await s.contents(before)).toEqual({ changed: '1', gone: '1' })
  })

  it.each(['a', 'b', 'c'])(
    'a commit of which %s is not as expected writes nothing, and says what is there',
    async (lost) => {
      const s = subject()
      const expected: Record<string, number> = { a: await s.write('a', '1'), b: await s.write('b', '1'), c: 0 }
      if (lost === 'c') await s.write('c', 'theirs')
      else await s.write(lost, 'theirs', expected[lost])
      const [before, newest] = [await s.contents(), await s.newest()]
      const current = await s.read(lost)
      expect(await s.commit(expected, { a: '2', b: null, c: '2' })).toEqual({ ok: false, revision: newest, current })
      expect(await s.contents()).toEqual(before)
      expect(await s.newest()).toBe(newest)
    },
  )

  it('a commit that expects a key that is gone loses and finds nothing', async () => {
    const s = subject()
    const gone = await s.write('gone', '1')
    await s.remove('gone', gone)
    expect(await s.commit({ a: 0, gone }, { a: '1', gone: '2' })).toMatchObject({ ok: false, current: undefined })
    expect(await s.contents()).toEqual({})
  })

  it('a commit can expect more than it writes', async () => {
    const s = subject()
    const seen = await s.write('seen', '1')
    expect(await s.commit({ seen, other: 0, a: 0 }, { a: '1' })).toMatchObject({ ok: true })
    await s.write('other', 'theirs')
    expect(await s.commit({ seen, other: 0, b: 0 }, { b: '1' })).toMatchObject({
      ok: false,
      current: { value: Buffer.from('theirs') },
    })
    await s.write('seen', '2', seen)
    expect(await s.commit({ seen, b: 0 }, { b: '1' })).toMatchObject({
      ok: false,
      current: { value: Buffer.from('2') },
    })
    expect(await s.contents()).toEqual({ seen: '2', other: 'theirs', a: '1' })
  })

  it('a commit can expect that another key was not written after a revision', async () => {
    const s = subject()
    const commit = (name: string, notAfter: number, expected = 0) =>
      s.kv.commit(
        {
          expected: [
            { key: s.prefix + name, revision: expected },
            { key: `${s.prefix}mark`, notAfter },
          ],
          writes: [{ key: s.prefix + name, value: Buffer.from('1') }],
        },
        s.signal,
      )
    const start = await s.newest()
    expect(await commit('absent', start)).toMatchObject({ ok: true })
    const first = await s.write('mark', 'first')
    expect(await commit('same', first)).toMatchObject({ ok: true })
    const newest = await s.write('other', '1')
    expect(await commit('later', newest)).toMatchObject({ ok: true })
    const updated = (await s.read('later'))!.revision
    expect(await commit('later', first, updated)).toMatchObject({ ok: true })
    const marked = await s.write('mark', 'second', first)
    const before = await s.contents()
    for (const notAfter of [start, first, marked - 1]) {
      expect(await commit('new', notAfter)).toMatchObject({
        ok: false,
        revision: marked,
        current: await s.read('mark'),
      })
    }
    const { revision } = (await s.read('later'))!
    expect(await commit('later', first, revision)).toMatchObject({ ok: false, current: { key: `${s.prefix}mark` } })
    expect(await commit('same', marked, 0)).toMatchObject({ ok: false, current: { key: `${s.prefix}same` } })
    expect(await s.contents()).toEqual(before)
    await s.remove('mark', marked)
    expect(await commit('new', first)).toMatchObject({ ok: true })
  })

  it('a commit without writes only compares', async () => {
    const s = subject()
    const a = await s.write('a', '1')
    const newest = await s.write('b', '1')
    expect(await s.commit({ a, c: 0 }, {})).toEqual({ ok: true, revision: newest })
    expect(await s.commit({ a, c: 0 }, { c: null })).toEqual({ ok: true, revision: newest })
    expect(await s.commit({ a: newest, c: 0 }, {})).toMatchObject({ ok: false, revision: newest })
    expect(await s.newest()).toBe(newest)
  })

  it('a removal of a key that is expected to be absent is left out of a commit', async () => {
    const s = subject()
    const before = await s.newest()
    const watch = s.watch({ after: before })
    expect(await s.commit({ a: 0, b: 0 }, { a: '1', b: null })).toEqual({ ok: true, revision: before + 1 })
    expect(await watch.seen(1)).toMatchObject([{ kind: 'put', key: `${s.prefix}a` }])
  })

  it('a watch gets a commit whole, in one batch, with what was there before', async () => {
    const s = subject()
    const old = await s.write('x50', 'old')
    const names = Array.from({ length: 100 }, (_, i) => `x${String(i).padStart(2, '0')}`)
    const live = s.watch({ after: old, withPrevious: true })
    const { revision } = await s.commit(
      Object.fromEntries(names.map((name) => [name, name === 'x50' ? old : 0])),
      Object.fromEntries(names.map((name) => [name, `new ${name}`])),
    )
    for (const watch of [live, s.watch({ after: old, withPrevious: true })]) {
      const events = await watch.seen(100)
      expect(new Set(events.map((event) => event.key))).toEqual(new Set(names.map((name) => s.prefix + name)))
      expect(events.every((event) => event.revision === revision)).toBe(true)
      expect(watch.batches.filter(({ events }) => events.length > 0)).toHaveLength(1)
      const changed = events.find(({ key }) => key === `${s.prefix}x50`)
      expect(changed?.previous).toMatchObject({ revision: old, value: Buffer.from('old') })
    }
  })

  it('keys of a commit expire on their own', async () => {
    const s = subject()
    await s.commit({ stays: 0, goes: 0 }, { stays: '1', goes: '1' })
    const { revision } = (await s.read('goes'))!
    await s.kv.commit(
      {
        expected: [
          { key: `${s.prefix}stays`, revision },
          { key: `${s.prefix}goes`, revision },
        ],
        writes: [
          { key: `${s.prefix}stays`, value: Buffer.from('2') },
          { key: `${s.prefix}goes`, value: Buffer.from('2'), ttlSeconds: 1 },
        ],
      },
      s.signal,
    )
    const watch = s.watch({ after: revision + 1 })
    s.store.advance?.(10_000)
    expect(await watch.seen(1)).toMatchObject([{ kind: 'delete', key: `${s.prefix}goes` }])
    expect(await s.contents()).toEqual({ stays: '2' })
  })

  it('a commit of which one value is too large writes nothing', async () => {
    const s = subject()
    const before = await s.newest()
    await failsWith('too-large', s.commit({ a: 0, b: 0 }, { a: '1', b: 'x'.repeat(2_000_000) }))
    expect(await s.contents()).toEqual({})
    expect(await s.newest()).toBe(before)
  })

  it('of commits that share a key exactly one wins, and none is seen in parts', async () => {
    const s = subject()
    let expected = 0
    for (let round = 0; round < 10; round++) {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          s.commit({ shared: expected, [`${round}-${i}`]: 0 }, { shared: `${round}-${i}`, [`${round}-${i}`]: 'x' }),
        ),
      )
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
      expected = results.find(({ ok }) => ok)!.revision
      const { shared, ...others } = await s.contents()
      expect(Object.keys(others)).toHaveLength(round + 1)
      expect(others[shared!]).toBe('x')
    }
  })

  it('money that many move between accounts is neither made nor lost', async () => {
    const s = subject()
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await s.write(name, '100')
    await forEachOf(40, 8, async (i) => {
      const [from, to] = [names[i % 4]!, names[(i + 1 + (i % 3)) % 4]!]
      for (;;) {
        const [one, other] = [(await s.read(from))!, (await s.read(to))!]
        const moved = await s.commit(
          { [from]: one.revision, [to]: other.revision },
          { [from]: String(Number(one.value) - 1), [to]: String(Number(other.value) + 1) },
        )
        if (moved.ok) return
      }
    })
    const total = Object.values(await s.contents()).reduce((sum, value) => sum + Number(value), 0)
    expect(total).toBe(400)
  })

  it('a commit whose signal has fired already is not done', async () => {
    const s = subject()
    const before = await s.newest()
    const expected = [{ key: `${s.prefix}a`, revision: 0 }]
    const commit = s.kv.commit(
      { expected, writes: [{ key: `${s.prefix}a`, value: Buffer.from('1') }] },
      AbortSignal.abort(),
    )
    await expect(commit).rejects.toBeInstanceOf(CancelledError)
    expect(await s.newest()).toBe(before)
  })

  it('a commit that names a key twice, or writes one without its expected revision, is a bug', async () => {
    const { kv, prefix, signal } = subject()
    const [key, other] = [`${prefix}a`, `${prefix}b`]
    const value = Buffer.from('1')
    const a = { key, revision: 0 }
    for (const commit of [
      { expected: [a, a], writes: [] },
      { expected: [a], writes: [{ key, value }, { key }] },
      { expected: [a], writes: [{ key: other, value }] },
      { expected: [], writes: [{ key, value }] },
      { expected: [{ key, notAfter: 1 }], writes: [{ key, value }] },
      { expected: [a, { key, notAfter: 1 }], writes: [] },
    ]) {
      await expect(kv.commit(commit, signal)).rejects.toBeInstanceOf(InvariantError)
    }
  })
}
