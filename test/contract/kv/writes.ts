// Every write is conditional on the key's revision; losing writes nothing and says what is there.
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/lib/errors.ts'
import { failsWith, forEachOf, type KvContractOptions, type OpenSubject } from './subject.ts'
import { putKey } from '../../../src/kv/kv.ts'

export function writeRules(subject: OpenSubject, options: KvContractOptions): void {
  if (options.startsEmpty) {
    it('the first write of an empty store makes revision 2', async () => {
      expect(await subject().newest()).toBe(1)
      expect(await subject().write('a', '1')).toBe(2)
    })
  }

  it('each write makes the next revision, whatever its key', async () => {
    const s = subject()
    const before = await s.newest()
    const a = await s.write('a', '1')
    const b = await s.write('b', '1')
    const a2 = await s.write('a', '2', a)
    const gone = await s.remove('b', b)
    expect([a, b, a2, gone]).toEqual([before + 1, before + 2, before + 3, before + 4])
    expect(await s.newest()).toBe(gone)
  })

  it('a create stores the value under the revision that made it', async () => {
    const s = subject()
    const revision = await s.write('a', 'one')
    expect(await s.read('a')).toEqual({
      key: `${s.prefix}a`,
      value: Buffer.from('one'),
      revision,
      createRevision: revision,
    })
  })

  it('a create on a key that exists loses, says what is there and writes nothing', async () => {
    const s = subject()
    const revision = await s.write('a', 'one')
    const lost = await s.put('a', 'two')
    expect(lost).toEqual({ ok: false, revision, current: await s.read('a') })
    expect((await s.read('a'))?.value.toString()).toBe('one')
    expect(await s.newest()).toBe(revision)
  })

  it('an update at the key’s revision wins and keeps the revision it was created at', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    expect(await s.read('a')).toMatchObject({ revision: updated, createRevision: created, value: Buffer.from('two') })
  })

  it('an update at another revision loses, says what is there and writes nothing', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    for (const expected of [created, updated + 1]) {
      expect(await s.put('a', 'three', expected)).toEqual({ ok: false, revision: updated, current: await s.read('a') })
    }
    expect(await s.newest()).toBe(updated)
  })

  it('an update of a key that is not there loses and finds nothing', async () => {
    const s = subject()
    const other = await s.write('other', 'x')
    expect(await s.put('a', 'one', other)).toEqual({ ok: false, revision: other, current: undefined })
    expect(await s.read('a')).toBeUndefined()
  })

  it('a delete at the key’s revision takes the key away at a revision of its own', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const removed = await s.remove('a', created)
    expect(removed).toBe(created + 1)
    expect(await s.read('a')).toBeUndefined()
    expect(await s.contents()).toEqual({})
  })

  it('a delete at another revision loses, says what is there and writes nothing', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    expect(await s.delete('a', created)).toEqual({ ok: false, revision: updated, current: await s.read('a') })
    expect(await s.newest()).toBe(updated)
  })

  it('a delete of a key that is not there loses and finds nothing', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const removed = await s.remove('a', created)
    expect(await s.delete('a', created)).toEqual({ ok: false, revision: removed, current: undefined })
    expect(await s.newest()).toBe(removed)
  })

  it('a delete that expects nothing loses where there is something, and writes nothing where there is not', async () => {
    const s = subject()
    const revision = await s.write('a', 'one')
    expect(await s.delete('a', 0)).toEqual({ ok: false, revision, current: await s.read('a') })
    expect(await s.delete('b', 0)).toEqual({ ok: true, revision })
    expect(await s.newest()).toBe(revision)
  })

  it('a key made again after a delete is a new key', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    await s.remove('a', created)
    const again = await s.write('a', 'two')
    expect(await s.read('a')).toMatchObject({ revision: again, createRevision: again })
    expect((await s.put('a', 'three', created)).ok).toBe(false)
  })

  it('a put of the value that is there already is a write', async () => {
    const s = subject()
    const created = await s.write('a', 'same')
    expect(await s.write('a', 'same', created)).toBe(created + 1)
  })

  it.each([
    ['no bytes at all', Buffer.alloc(0)],
    ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['1.5 MB', Buffer.alloc(1_500_000, 'Quarterdeck ')],
  ])('a value of %s comes back as it went in, by get, list and watch', async (_, value) => {
    const s = subject()
    const revision = await s.write('a', value)
    const watch = s.watch({ after: revision - 1 })
    expect((await s.read('a'))?.value.equals(value)).toBe(true)
    expect((await s.list()).items[0]?.value.equals(value)).toBe(true)
    const [event] = await watch.seen(1)
    expect(event?.kind === 'put' && event.value.equals(value)).toBe(true)
  })

  it('a value that is too large is refused as such, and nothing is written', async () => {
    const s = subject()
    const before = await s.newest()
    await failsWith('too-large', s.put('a', Buffer.alloc(2_000_000)))
    expect(await s.read('a')).toBeUndefined()
    expect(await s.newest()).toBe(before)
  })

  it('of many writers on one key exactly one wins each round, and the others learn who', async () => {
    const s = subject()
    let revision = 0
    for (let round = 0; round < 25; round++) {
      const results = await Promise.all(
        Array.from({ length: 16 }, (_, writer) => s.put('a', `${round}/${writer}`, revision)),
      )
      const winners = results.flatMap((result, writer) => (result.ok ? [{ ...result, writer }] : []))
      expect(winners).toHaveLength(1)
      const { writer, revision: won } = winners[0]!
      for (const result of results) {
        if (!result.ok) {
          expect(result.current).toMatchObject({ revision: won, value: Buffer.from(`${round}/${writer}`) })
        }
      }
      revision = won
    }
    expect((await s.read('a'))?.revision).toBe(revision)
  })

  it('an update and a delete of one revision cannot both win', async () => {
    const s = subject()
    for (let round = 0; round < 20; round++) {
      const revision = await s.write(`k${round}`, 'x')
      const results = await Promise.all([s.put(`k${round}`, 'y', revision), s.delete(`k${round}`, revision)])
      expect(results.filter((result) => result.ok)).toHaveLength(1)
    }
  })

  it('a counter raised by many at once counts every raise', async () => {
    const s = subject()
    let losses = 0
    await forEachOf(100, 10, async () => {
      for (;;) {
        const current = await s.read('counter')
        const next = String(Number(current?.value.toString() ?? '0') + 1)
        if ((await s.put('counter', next, current?.revision ?? 0)).ok) return
        losses++
      }
    })
    expect((await s.read('counter'))?.value.toString()).toBe('100')
    expect(losses).toBeGreaterThan(0)
  })

  it('a write whose signal has fired already is not done', async () => {
    const s = subject()
    const before = await s.newest()
    const put = putKey(s.kv, { key: `${s.prefix}a`, value: Buffer.from('x'), expected: 0 }, AbortSignal.abort())
    await expect(put).rejects.toBeInstanceOf(CancelledError)
    expect(await s.newest()).toBe(before)
  })
}
