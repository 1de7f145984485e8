// Reads at a past revision are that revision's exact state, however much is written meanwhile.
import { expect, it } from 'vitest'
import { failsWith, type OpenSubject, type Subject } from './subject.ts'
import { pagedNames } from './reads.ts'

export function pastReadRules(subject: OpenSubject): void {
  it('every revision of a busy history can be read back exactly', async () => {
    const s = subject()
    const states = await busyHistory(s, 120)
    for (const [revision, state] of states) {
      expect(await s.contents(revision)).toEqual(state)
    }
  })

  it('one key at every revision of a busy history', async () => {
    const s = subject()
    const states = await busyHistory(s, 120)
    for (const [revision, state] of states) {
      const { item, revision: newest } = await s.kv.get(`${s.prefix}k3`, { at: revision }, s.signal)
      expect(item?.value.toString()).toBe(state['k3'])
      expect(newest).toBe(await s.newest())
      if (item !== undefined) expect(item.revision).toBeLessThanOrEqual(revision)
    }
  })

  it('a past item has the revisions it had then', async () => {
    const s = subject()
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    const removed = await s.remove('a', updated)
    const again = await s.write('a', 'three')
    expect(await s.read('a', created - 1)).toBeUndefined()
    expect(await s.read('a', created)).toMatchObject({ revision: created, createRevision: created })
    expect(await s.read('a', updated)).toMatchObject({ revision: updated, createRevision: created })
    expect(await s.read('a', removed)).toBeUndefined()
    expect(await s.read('a', again)).toMatchObject({ revision: again, createRevision: again })
  })

  it('a past list has the limit, the rest and the count of then, and the newest revision of now', async () => {
    const s = subject()
    await s.write('a', '1')
    const b = await s.write('b', '1')
    const c = await s.write('c', '1')
    await s.remove('b', b)
    const now = await s.write('d', '1')
    const page = await s.list({ at: c, limit: 2, countAll: true })
    expect(s.byName(page.items)).toEqual({ a: '1', b: '1' })
    expect(page).toMatchObject({ more: true, count: 3, revision: now })
    expect(await s.list({ at: c, limit: 3 })).toMatchObject({ more: false })
  })

  it('the newest revision can be asked for by its number', async () => {
    const s = subject()
    const revision = await s.write('a', '1')
    expect(await s.contents(revision)).toEqual({ a: '1' })
    expect((await s.read('a', revision))?.revision).toBe(revision)
  })

  it('a revision that has not happened yet is refused as such', async () => {
    const s = subject()
    const newest = await s.write('a', '1')
    await failsWith('future', s.list({ at: newest + 1 }))
    await failsWith('future', s.read('a', newest + 1))
  })

  it('pages at one revision are its exact state while others write', async () => {
    const s = subject()
    const revisions = new Map<string, number>()
    for (let i = 0; i < 60; i++) revisions.set(name(i), await s.write(name(i), 'before'))
    const at = await s.newest()
    const writing = (async () => {
      for (let i = 0; i < 60; i++) {
        if (i % 3 === 0) await s.remove(name(i), revisions.get(name(i))!)
        else await s.write(name(i), 'after', revisions.get(name(i)))
        await s.write(`${name(i)}-new`, 'after')
      }
    })()
    for (let round = 0; round < 5; round++) expect(await pagedNames(s, 7, at)).toEqual([...revisions.keys()])
    await writing
    expect(await pagedNames(s, 7, at)).toEqual([...revisions.keys()])
    const { items } = await s.list({ at })
    expect(new Set(items.map((item) => item.value.toString()))).toEqual(new Set(['before']))
  })
}

function name(index: number): string {
  return `n${String(index).padStart(3, '0')}`
}

/** Creates, updates and deletes of a few keys in turn; gives the contents after each revision. */
async function busyHistory(s: Subject, writes: number): Promise<Map<number, Record<string, string>>> {
  const states = new Map([[await s.newest(), {} as Record<string, string>]])
  const current = new Map<string, { revision: number; value: string }>()
  for (let i = 0; i < writes; i++) {
    const key = `k${(i * 7 + (i >> 3)) % 9}`
    const known = current.get(key)
    let revision: number
    if (known !== undefined && i % 4 === 0) {
      revision = await s.remove(key, known.revision)
      current.delete(key)
    } else {
      revision = await s.write(key, `v${i}`, known?.revision ?? 0)
      current.set(key, { revision, value: `v${i}` })
    }
    states.set(revision, Object.fromEntries([...current].map(([k, { value }]) => [k, value])))
  }
  return states
}
