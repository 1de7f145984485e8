// Objects that are written together: each store shows all of them or none, and a watch that resumes loses none (D35).
import { expect, it } from 'vitest'
import type { FollowableStore } from '../../../src/store/kv-store.ts'
import { exact, nodes, type OpenSubject, pod, pods, type Subject } from './subject.ts'

export function commitRules(subject: OpenSubject): void {
  /** Makes or changes pods, given the ones that are there, and removes others. */
  async function commit(s: Subject, names: readonly string[], removed: readonly string[] = []): Promise<number> {
    const keys = [...names, ...removed].map((name) => ({ resource: pods, namespace: 'd', name }))
    const changes = await Promise.all(
      keys.map(async (key) => {
        const before = await s.get('d', key.name)
        const isRemoved = removed.includes(key.name)
        const object = pod('d', key.name, { spec: { after: before?.revision ?? 0 } })
        return { key, before, outcome: isRemoved ? ({ kind: 'remove' } as const) : ({ kind: 'put', object } as const) }
      }),
    )
    const result = await (s.store as FollowableStore).commit(changes, s.signal)
    expect(result.ok).toBe(true)
    return result.revision
  }

  it('share a revision, and are seen together', async () => {
    const s = subject()
    await s.put('d', 'x')
    const revision = await commit(s, ['a', 'b', 'c'], ['x'])
    for (const name of ['a', 'b', 'c']) expect((await s.get('d', name))?.revision).toBe(revision)
    expect(await s.get('d', 'x')).toBeUndefined()
    expect(await s.names(exact(revision - 1))).toEqual(['d/x'])
    expect(await s.names(exact(revision))).toEqual(['d/a', 'd/b', 'd/c'])
  })

  it('are not written where one of them has changed', async () => {
    const s = subject()
    await s.put('d', 'a')
    const before = await s.get('d', 'a')
    const last = await s.put('d', 'a', { spec: { v: 2 } }, s.other)
    const change = (name: string) => ({
      key: { resource: pods, namespace: 'd', name },
      before: name === 'a' ? before : undefined,
      outcome: { kind: 'put', object: pod('d', name) } as const,
    })
    const result = await (s.store as FollowableStore).commit([change('a'), change('b')], s.signal)
    expect(result).toEqual({ ok: false, revision: last })
    expect(await s.get('d', 'b')).toBeUndefined()
  })

  it('come again, all of them, to a watch that resumes from their revision', async () => {
    const s = subject()
    const first = await s.put('d', 'x')
    const revision = await commit(s, ['a', 'b'], ['x'])
    const next = await s.put('d', 'c')
    const all = [`ADDED d/a@${revision}`, `ADDED d/b@${revision}`, `DELETED d/x@${revision}`]
    const later = await s.put('d', 'later')
    const after = [`ADDED d/c@${next}`, `ADDED d/later@${later}`]
    for (const from of [first, revision]) {
      const watch = await s.watch({ kind: 'after', revision: from })
      const seen = await watch.take(5)
      expect([seen.slice(0, 3).toSorted(), seen.slice(3)]).toEqual([all, after])
      await watch.close()
    }
    const watch = await s.watch({ kind: 'after', revision: next })
    expect(await watch.take(1)).toEqual(after.slice(1))
  })

  it('come once to a watch that resumes before them, also where it reads in small steps', async () => {
    const s = subject()
    const first = await s.put('d', 'x')
    const names = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, '0')}`)
    const revision = await commit(s, names)
    const watch = await s.watch({ kind: 'after', revision: first })
    expect((await watch.take(40)).toSorted()).toEqual(names.map((name) => `ADDED d/${name}@${revision}`))
    const last = await s.put('d', 'x', { spec: { v: 2 } })
    expect(await watch.take(1)).toEqual([`MODIFIED d/x@${last}`])
  })

  it('are not repeated where only one of them is of the type', async () => {
    const s = subject()
    const node = { resource: nodes, namespace: '', name: 'n' }
    const object = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } }
    const changes = [
      { key: node, before: undefined, outcome: { kind: 'put', object } as const },
      {
        key: { resource: pods, namespace: 'd', name: 'a' },
        before: undefined,
        outcome: { kind: 'put', object: pod('d', 'a') } as const,
      },
    ]
    const { revision } = await (s.store as FollowableStore).commit(changes, s.signal)
    const watch = await s.watch({ kind: 'after', revision })
    const b = await s.put('d', 'b')
    expect(await watch.take(1)).toEqual([`ADDED d/b@${b}`])
  })

  it('are all on the pages of one list, or none is', async () => {
    const s = subject()
    await s.put('d', 'x')
    const names = ['a', 'b', 'c', 'e', 'f', 'g']
    const revision = await commit(s, names)
    await commit(s, ['a', 'g'], ['c'])
    const pages = await s.pages(exact(revision), { limit: 3 })
    expect(pages).toEqual([['d/a', 'd/b', 'd/c'], ['d/e', 'd/f', 'd/g'], ['d/x']])
  })
}
