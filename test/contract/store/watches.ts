// Watch: the cells of the specification's third table, selections entered and left, and what events carry.
import { describe, expect, it } from 'vitest'
import { ANY, inShort, LATEST, nodes, notOlderThan, type OpenSubject, refusal } from './subject.ts'

export function watchRules(subject: OpenSubject): void {
  describe('begins', () => {
    it.each([LATEST, ANY])(
      'with the state in key order and then what changes, from %j (R-143, R-144, R-159)',
      async (at) => {
        const b = await subject().put('d', 'b')
        const a = await subject().put('d', 'a')
        await subject().get('d', 'a')
        const watch = await subject().watch({ kind: 'state', at })
        const c = await subject().put('d', 'c')
        expect(await watch.take(3)).toEqual([`ADDED d/a@${a}`, `ADDED d/b@${b}`, `ADDED d/c@${c}`])
      },
    )

    it('with a state that is not older than a version (R-152)', async () => {
      const a = await subject().put('d', 'a', {}, subject().other)
      const watch = await subject().watch({ kind: 'state', at: notOlderThan(a) })
      expect(await watch.take(1)).toEqual([`ADDED d/a@${a}`])
    })

    it('not at all with the state of a version of the future: 504 (R-152)', async () => {
      await subject().put('d', 'a')
      const error = refusal(subject().watch({ kind: 'state', at: notOlderThan(999_999_999) }))
      await subject().advance(3_000)
      expect(await error).toMatchObject({ reason: 'Timeout', code: 504 })
    })

    it('with a bookmark that ends the state, where bookmarks are wanted (R-153)', async () => {
      const a = await subject().put('d', 'a')
      const watch = await subject().watch({ kind: 'state', at: LATEST }, { bookmarks: true })
      expect(await watch.take(1)).toEqual([`ADDED d/a@${a}`])
      const bookmark = await watch.next()
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
      expect('revision' in bookmark && bookmark.revision).toBeGreaterThanOrEqual(a)
      const b = await subject().put('d', 'b')
      expect(await watch.take(1)).toEqual([`ADDED d/b@${b}`])
    })

    it('with that bookmark where there is no state (R-153)', async () => {
      await subject().putNode('n')
      const watch = await subject().watch({ kind: 'state', at: LATEST }, { bookmarks: true })
      expect(await watch.next()).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
    })

    it.each([LATEST, ANY])('without a state, with what changes from now on, from %j (R-152)', async (at) => {
      await subject().put('d', 'a')
      await subject().get('d', 'a')
      const watch = await subject().watch({ kind: 'changes', at })
      const b = await subject().put('d', 'b')
      expect(await watch.take(1)).toEqual([`ADDED d/b@${b}`])
    })

    it('after a version, with every change since, each once and in order (R-145)', async () => {
      const a1 = await subject().put('d', 'a')
      const b = await subject().put('d', 'b')
      await subject().putNode('n')
      const a2 = await subject().put('d', 'a', { spec: { v: 2 } })
      const gone = await subject().remove('d', 'b')
      const a3 = await subject().put('d', 'b', { spec: { v: 3 } })
      const all = [`ADDED d/a@${a1}`, `ADDED d/b@${b}`, `MODIFIED d/a@${a2}`, `DELETED d/b@${gone}`, `ADDED d/b@${a3}`]
      const revisions = [a1, b, a2, gone]
      for (const [i, revision] of revisions.entries()) {
        const watch = await subject().watch({ kind: 'after', revision })
        expect(await watch.take(all.length - i - 1)).toEqual(all.slice(i + 1))
        await watch.close()
      }
    })

    it('after a version of the future, with nothing until it has passed (R-148)', async () => {
      const a = await subject().put('d', 'a')
      const watch = await subject().watch({ kind: 'after', revision: a + 2 })
      await subject().put('d', 'b')
      await subject().put('d', 'c')
      const d = await subject().put('d', 'd')
      expect(await watch.take(1)).toEqual([`ADDED d/d@${d}`])
    })
  })

  describe('events', () => {
    it('carry the object as it is then; DELETED the last one, with the version of its removal (R-158, W-319)', async () => {
      const a = await subject().put('d', 'a', { spec: { v: 1 } })
      const watch = await subject().watch({ kind: 'after', revision: a })
      await subject().put('d', 'a', { spec: { v: 2 } })
      const gone = await subject().remove('d', 'a')
      const modified = await watch.next()
      const deleted = await watch.next()
      if (modified.type === 'BOOKMARK' || deleted.type === 'BOOKMARK') throw new Error('bookmark')
      expect(modified.object.object()['spec']).toEqual({ v: 2 })
      expect(deleted.object.object()).toMatchObject({ metadata: { resourceVersion: String(gone) }, spec: { v: 2 } })
      expect(deleted.object.bytes.toString()).toContain(`"resourceVersion":"${gone}"`)
    })

    it('keep what is encoded once', async () => {
      const a = await subject().put('d', 'a')
      const watch = await subject().watch({ kind: 'state', at: notOlderThan(a) })
      const event = await watch.next()
      if (event.type === 'BOOKMARK') throw new Error('bookmark')
      const encoded = event.memo.get('x', () => Buffer.from('first'))
      expect(event.memo.get('x', () => Buffer.from('second'))).toBe(encoded)
    })

    it('come from another replica too', async () => {
      const watch = await subject().watch({ kind: 'changes', at: LATEST })
      const a = await subject().put('d', 'a', {}, subject().other)
      expect(await watch.take(1)).toEqual([`ADDED d/a@${a}`])
    })
  })

  describe('scope', () => {
    it('is a namespace and not those whose names begin alike, a type and not the others', async () => {
      const watch = await subject().watch({ kind: 'changes', at: LATEST }, { namespace: 'a' })
      const ofNodes = await subject().watch({ kind: 'changes', at: LATEST }, { resource: nodes })
      await subject().put('ab', 'x')
      await subject().put('b', 'x')
      const node = await subject().putNode('a')
      const x = await subject().put('a', 'x')
      expect(await watch.take(1)).toEqual([`ADDED a/x@${x}`])
      expect(await ofNodes.take(1)).toEqual([`ADDED /a@${node}`])
    })

    it.each([{ namespace: 'd' }, {}])('can be one name, in %j (R-157)', async (scope) => {
      const watch = await subject().watch({ kind: 'state', at: LATEST }, { ...scope, fields: 'metadata.name=x' })
      await subject().put('d', 'y')
      const x = await subject().put('d', 'x')
      expect(await watch.take(1)).toEqual([`ADDED d/x@${x}`])
    })

    it('with labels: entering is ADDED, leaving is DELETED with what was last seen and the new version (R-156)', async () => {
      const watch = await subject().watch({ kind: 'state', at: LATEST }, { labels: 'a=1' })
      const r1 = await subject().put('d', 'p', { labels: { a: '2' } })
      const r2 = await subject().put('d', 'p', { labels: { a: '1' } })
      const r3 = await subject().put('d', 'p', { labels: { a: '1', b: 'x' } })
      const r4 = await subject().put('d', 'p', { labels: { a: '2' } })
      const r5 = await subject().put('d', 'p', { labels: { a: '1' } })
      const r6 = await subject().remove('d', 'p')
      expect(r1).toBeLessThan(r2)
      expect(await watch.take(2)).toEqual([`ADDED d/p@${r2}`, `MODIFIED d/p@${r3}`])
      const left = await watch.next()
      expect(inShort(left)).toBe(`DELETED d/p@${r4}`)
      if (left.type === 'BOOKMARK') throw new Error('bookmark')
      expect(left.object.object().metadata['labels']).toEqual({ a: '1', b: 'x' })
      expect(left.object.object().metadata['resourceVersion']).toBe(String(r4))
      expect(await watch.take(2)).toEqual([`ADDED d/p@${r5}`, `DELETED d/p@${r6}`])
    })

    it('with an indexed field: an object that moves leaves one watcher and enters another', async () => {
      const one = await subject().watch({ kind: 'state', at: LATEST }, { fields: 'spec.nodeName=n1' })
      const two = await subject().watch({ kind: 'state', at: LATEST }, { fields: 'spec.nodeName=n2' })
      const r1 = await subject().put('d', 'p', { spec: { nodeName: 'n1' } })
      const r2 = await subject().put('d', 'p', { spec: { nodeName: 'n2' } })
      const r3 = await subject().remove('d', 'p')
      expect(await one.take(2)).toEqual([`ADDED d/p@${r1}`, `DELETED d/p@${r2}`])
      expect(await two.take(2)).toEqual([`ADDED d/p@${r2}`, `DELETED d/p@${r3}`])
    })
  })

  describe('ends', () => {
    it('before it begins where the version was forgotten: 410 (R-146, D5)', async () => {
      const first = await subject().put('d', 'a')
      for (let i = 0; i < 5; i++) await subject().put('d', 'a', { spec: { i } })
      const last = await subject().put('d', 'b')
      await subject().kv.compact(last, subject().signal)
      const error = await refusal(subject().watch({ kind: 'after', revision: 1 }))
      expect(error).toMatchObject({ reason: 'Expired', code: 410 })
      expect(first).toBeGreaterThan(1)
    })

    it('by itself when the reader leaves, and takes nothing along', async () => {
      const watch = await subject().watch({ kind: 'changes', at: LATEST })
      const another = await subject().watch({ kind: 'changes', at: LATEST })
      const a = await subject().put('d', 'a')
      expect(await watch.take(1)).toEqual([`ADDED d/a@${a}`])
      await watch.close()
      const b = await subject().put('d', 'b')
      expect(await another.take(2)).toEqual([`ADDED d/a@${a}`, `ADDED d/b@${b}`])
    })
  })
}
