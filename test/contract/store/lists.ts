// List: the cells of the specification's second table as far as they come down here, order, pages, selections.
import { describe, expect, it } from 'vitest'
import { decodeContinue } from '../../../src/api/continue-token.ts'
import type { ListAt } from '../../../src/api/read.ts'
import { ANY, exact, LATEST, namesIn, nodes, notOlderThan, objectsIn, type OpenSubject, refusal } from './subject.ts'

export function listRules(subject: OpenSubject): void {
  describe('as of', () => {
    it('latest: everything that was written before, also through another replica (R-090)', async () => {
      for (let round = 0; round < 10; round++) {
        const revision = await subject().put('d', `p${round}`, {}, subject().other)
        const page = await subject().list(LATEST)
        expect(page.revision).toBeGreaterThanOrEqual(revision)
        expect(await namesIn(page)).toHaveLength(round + 1)
      }
    })

    it('any: what is at hand, with a version (R-091)', async () => {
      const revision = await subject().put('d', 'a')
      await subject().get('d', 'a')
      const page = await subject().list(ANY)
      expect(page.revision).toBeGreaterThanOrEqual(revision)
      expect(await namesIn(page)).toEqual(['d/a'])
    })

    it('not older than a version: at least that (R-092)', async () => {
      await subject().put('d', 'a')
      const revision = await subject().put('d', 'b', {}, subject().other)
      const page = await subject().list(notOlderThan(revision))
      expect(page.revision).toBeGreaterThanOrEqual(revision)
      expect(await namesIn(page)).toEqual(['d/a', 'd/b'])
    })

    it('exactly a version: what was there then, also where another type was written (R-099)', async () => {
      const first = await subject().put('d', 'a', { spec: { v: 1 } })
      const elsewhere = await subject().putNode('n')
      await subject().put('d', 'a', { spec: { v: 2 } })
      await subject().put('d', 'b')
      const gone = await subject().remove('d', 'a')
      for (const [at, names] of [
        [first, ['d/a']],
        [elsewhere, ['d/a']],
        [elsewhere + 2, ['d/a', 'd/b']],
        [gone, ['d/b']],
      ] as const) {
        const page = await subject().list(exact(at))
        expect(page.revision).toBe(at)
        expect(await namesIn(page)).toEqual(names)
      }
      const [object] = await objectsIn(await subject().list(exact(elsewhere)))
      expect(object?.object()['spec']).toEqual({ v: 1 })
    })

    it('a version of the future: 504 after a wait (R-073, R-103, D18)', async () => {
      await subject().put('d', 'a')
      for (const at of [exact(999_999_999), notOlderThan(999_999_999)]) {
        const error = refusal(subject().list(at))
        await subject().advance(3_000)
        expect(await error).toMatchObject({ reason: 'Timeout', code: 504 })
        expect((await error).details?.causes?.[0]?.reason).toBe('ResourceVersionTooLarge')
      }
    })

    it('a version that was forgotten: 410, and no token (R-006, R-102, R-127)', async () => {
      const first = await subject().put('d', 'a')
      await subject().put('d', 'b')
      const last = await subject().put('d', 'c')
      await subject().forgetBefore(last)
      await subject().put('d', 'd')
      const error = await refusal(subject().list(exact(first)))
      expect(error).toMatchObject({ reason: 'Expired', code: 410, continueToken: undefined })
      expect(error.message).toBe('The resourceVersion for the provided list is too old.')
    })
  })

  describe('pages', () => {
    it('show one moment, whatever is written meanwhile, and count down (R-093, R-123, R-124)', async () => {
      for (let i = 0; i < 7; i++) await subject().put('d', `p${i}`)
      const first = await subject().list(LATEST, { limit: 3 })
      expect(await namesIn(first)).toEqual(['d/p0', 'd/p1', 'd/p2'])
      expect(first.remaining).toBe(4)
      await subject().remove('d', 'p3')
      await subject().put('d', 'p31')
      await subject().put('d', 'p5', { spec: { v: 2 } })
      const second = await subject().list({ kind: 'continuation', position: first.next! }, { limit: 3 })
      expect(second).toMatchObject({ revision: first.revision, remaining: 1 })
      expect(await namesIn(second)).toEqual(['d/p3', 'd/p4', 'd/p5'])
      const third = await subject().list({ kind: 'continuation', position: second.next! }, { limit: 3 })
      expect(third).toMatchObject({ revision: first.revision, remaining: undefined, next: undefined })
      expect(await namesIn(third)).toEqual(['d/p6'])
    })

    it('reach everything once, in every scope and from every start', async () => {
      for (const namespace of ['a', 'a-b', 'b'])
        for (const name of ['x', 'y', 'z']) await subject().put(namespace, name)
      const revision = (await subject().list()).revision
      const all = await subject().names()
      for (const at of [LATEST, ANY, notOlderThan(revision), exact(revision)]) {
        expect((await subject().pages(at, { limit: 2 })).flat()).toEqual(all)
        expect((await subject().pages(at, { limit: 2, namespace: 'a' })).flat()).toEqual(['a/x', 'a/y', 'a/z'])
      }
    })

    it('end without a token where the limit is exactly met', async () => {
      await subject().put('d', 'a')
      await subject().put('d', 'b')
      expect(await subject().list(LATEST, { limit: 2 })).toMatchObject({ next: undefined, remaining: undefined })
      expect(await subject().list(LATEST, { limit: Number.MAX_SAFE_INTEGER })).toMatchObject({ next: undefined })
    })

    it('may change their size, and lose the limit (R-124, R-129)', async () => {
      for (let i = 0; i < 6; i++) await subject().put('d', `p${i}`)
      const first = await subject().list(LATEST, { limit: 1 })
      const second = await subject().list({ kind: 'continuation', position: first.next! }, { limit: 2 })
      expect(await namesIn(second)).toEqual(['d/p1', 'd/p2'])
      const rest = await subject().list({ kind: 'continuation', position: second.next! })
      expect(await namesIn(rest)).toEqual(['d/p3', 'd/p4', 'd/p5'])
      expect(rest.next).toBeUndefined()
    })

    it('hand out a new token where their version was forgotten, and go on from there at the newest (R-006, R-029, R-125, R-126)', async () => {
      for (let i = 0; i < 4; i++) await subject().put('d', `p${i}`)
      const first = await subject().list(LATEST, { limit: 2 })
      await subject().remove('d', 'p2')
      const last = await subject().put('d', 'p9')
      await subject().forgetBefore(last)
      await subject().put('d', 'p8')
      const error = await refusal(subject().list({ kind: 'continuation', position: first.next! }, { limit: 2 }))
      expect(error).toMatchObject({ reason: 'Expired', code: 410 })
      expect(error.message).toMatch(/^The provided continue parameter is too old to display a consistent list result\./)
      const position = decodeContinue(error.continueToken ?? '')
      expect(position).toEqual({ revision: undefined, start: first.next!.start })
      const rest = await subject().list({ kind: 'continuation', position }, { limit: 5 })
      expect(await namesIn(rest)).toEqual(['d/p3', 'd/p8', 'd/p9'])
      expect(rest.revision).toBeGreaterThan(first.revision)
    })

    it('of a version of the future: 504 (R-122)', async () => {
      await subject().put('d', 'a')
      const at: ListAt = { kind: 'continuation', position: { revision: 999_999_999, start: 'd/a\0' } }
      const error = refusal(subject().list(at, { limit: 1 }))
      await subject().advance(3_000)
      expect(await error).toMatchObject({ reason: 'Timeout', code: 504 })
    })
  })

  describe('order and scope', () => {
    it('is that of the keys: all of a-b before all of a (R-112)', async () => {
      await subject().put('a', 'x')
      await subject().put('a-b', 'x')
      await subject().put('a.b', 'x')
      await subject().put('ab', 'x')
      expect(await subject().names()).toEqual(['a-b/x', 'a.b/x', 'a/x', 'ab/x'])
    })

    it('keeps a namespace from those whose names begin alike, and a type from others (R-182)', async () => {
      await subject().put('a', 'x')
      await subject().put('ab', 'x')
      await subject().putNode('a')
      expect(await subject().names(LATEST, { namespace: 'a' })).toEqual(['a/x'])
      expect(await subject().names(LATEST, { resource: nodes })).toEqual(['/a'])
      expect(await subject().names(LATEST, { namespace: '..' })).toEqual([])
    })

    it('is empty where there is nothing, with a version all the same', async () => {
      const page = await subject().list()
      expect(page.revision).toBeGreaterThan(0)
      expect(await namesIn(page)).toEqual([])
    })
  })

  describe('selections', () => {
    const parts = [
      { labels: { app: 'web', tier: 'x' }, spec: { nodeName: 'n1' }, status: { phase: 'Running' } },
      { labels: { app: 'db' }, spec: { nodeName: 'n2', hostNetwork: true }, status: { phase: 'Pending' } },
      { labels: { 'my/app': 'web' }, spec: { nodeName: 'n1' } },
      {},
    ]
    const rows: Record<string, { labels?: string; fields?: string; names: readonly string[] }> = {
      'a label': { labels: 'app=web', names: ['d/p0'] },
      'not a label': { labels: 'app!=web', names: ['d/p1', 'd/p2', 'd/p3', 'e/q'] },
      'one of some labels': { labels: 'app in (web,db)', names: ['d/p0', 'd/p1'] },
      'a label that is there': { labels: 'app', names: ['d/p0', 'd/p1'] },
      'a label that is not there': { labels: '!app', names: ['d/p2', 'd/p3', 'e/q'] },
      'a key with a slash': { labels: 'my/app=web', names: ['d/p2'] },
      'two labels': { labels: 'app=web,tier=x', names: ['d/p0'] },
      'a name': { fields: 'metadata.name=p1', names: ['d/p1'] },
      'a name that nobody has': { fields: 'metadata.name=nope', names: [] },
      'not a name': { fields: 'metadata.name!=p1', names: ['d/p0', 'd/p2', 'd/p3', 'e/q'] },
      'a namespace': { fields: 'metadata.namespace=e', names: ['e/q'] },
      'a name in a namespace': { fields: 'metadata.name=q,metadata.namespace=e', names: ['e/q'] },
      'an indexed field': { fields: 'spec.nodeName=n1', names: ['d/p0', 'd/p2'] },
      'an indexed field that is not set': { fields: 'spec.nodeName=', names: ['d/p3', 'e/q'] },
      'an indexed field and a label': { fields: 'spec.nodeName=n1', labels: 'app=web', names: ['d/p0'] },
      'another field': { fields: 'status.phase=Running', names: ['d/p0'] },
      'a flag that is not set': { fields: 'spec.hostNetwork=false', names: ['d/p0', 'd/p2', 'd/p3', 'e/q'] },
      'a flag that is set': { fields: 'spec.hostNetwork=true', names: ['d/p1'] },
    }
    it.each(Object.entries(rows))('by %s (R-123, R-130, R-132)', async (_, { names, ...wanted }) => {
      for (const [i, part] of parts.entries()) await subject().put('d', `p${i}`, part)
      await subject().put('e', 'q')
      const { revision } = await subject().list()
      for (const at of [LATEST, ANY, exact(revision)]) expect(await subject().names(at, wanted)).toEqual(names)
      expect((await subject().pages(LATEST, { ...wanted, limit: 1 })).flat()).toEqual(names)
      const page = await subject().list(LATEST, { ...wanted, limit: 1 })
      expect(page.remaining).toBeUndefined()
    })

    it('fill a page from further on, and may end with an empty one (R-124)', async () => {
      for (let i = 0; i < 5; i++) await subject().put('d', `p${i}`, i === 1 ? { labels: { a: 'b' } } : {})
      expect(await subject().pages(LATEST, { labels: 'a=b', limit: 1 })).toEqual([['d/p1'], []])
    })

    it('keep to the namespace on every page (R-114)', async () => {
      for (const namespace of ['d', 'e', 'f']) for (const name of ['x', 'y']) await subject().put(namespace, name)
      const pages = await subject().pages(LATEST, { fields: 'metadata.namespace=e', limit: 1 })
      expect(pages.flat()).toEqual(['e/x', 'e/y'])
    })
  })
}
