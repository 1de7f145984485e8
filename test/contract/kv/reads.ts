// Reads of the newest state: in the order of the keys' bytes, in pages, and never older than what was acknowledged.
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/lib/errors.ts'
import { prefixRange } from '../../../src/kv/kv.ts'
import type { OpenSubject, Subject } from './subject.ts'

const ODD_NAMES = [
  'A',
  'B',
  'Z',
  '_',
  'a',
  'a b',
  'a!',
  'a-',
  'a-b',
  'a.b',
  'a/',
  'a/b',
  'a0',
  'a\u0001',
  'a~',
  'aa',
  'a\u007f',
  'aé',
  'aߺ',
  'a中',
  'a\ud7ff',
  'a\ue000',
  'a\ufffd',
  'a\uffff',
  'a\u{10000}',
  'a\u{1f600}',
  'a\u{10ffff}',
  '~',
]

export function readRules(subject: OpenSubject): void {
  it('a key that is not there is nothing, as of the newest revision', async () => {
    const s = subject()
    const revision = await s.write('other', 'x')
    expect(await s.kv.get(`${s.prefix}a`, {}, s.signal)).toEqual({ revision, item: undefined })
  })

  it('an empty range is a list of nothing', async () => {
    const s = subject()
    const revision = await s.newest()
    expect(await s.list({ countAll: true })).toEqual({ revision, items: [], more: false, count: 0 })
  })

  it('a list is in the order of the keys’ UTF-8 bytes', async () => {
    const s = subject()
    const shuffled = ODD_NAMES.toSorted((a, b) => (a.length * 7 + b.length * 3) % 5 || (a < b ? 1 : -1))
    for (const name of shuffled) await s.write(name, name)
    const inOrder = ODD_NAMES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const { items, revision } = await s.list()
    expect(items.map((item) => item.key.slice(s.prefix.length))).toEqual(inOrder)
    expect(items.map((item) => item.value.toString())).toEqual(inOrder)
    expect(revision).toBe(await s.newest())
    for (const [index, name] of inOrder.entries()) {
      const { items: rest } = await s.list({ start: s.prefix + name })
      expect(rest.map((item) => item.value.toString())).toEqual(inOrder.slice(index))
    }
  })

  it('a range holds its start and not its end', async () => {
    const s = subject()
    await writeNames(s, ['a', 'b', 'c', 'd'])
    const { items } = await s.list({ start: `${s.prefix}b`, end: `${s.prefix}d` })
    expect(Object.keys(s.byName(items))).toEqual(['b', 'c'])
  })

  it('a range that ends before it begins is empty', async () => {
    const s = subject()
    await writeNames(s, ['a', 'b', 'c', 'd'])
    for (const [start, end] of [
      ['c', 'b'],
      ['b', 'b'],
    ] as const) {
      const result = await s.list({ start: s.prefix + start, end: s.prefix + end, countAll: true })
      expect(result).toMatchObject({ items: [], more: false, count: 0 })
    }
  })

  it('a prefix does not take in its neighbours', async () => {
    const s = subject()
    await writeNames(s, ['pods', 'pods/', 'pods/a', 'pods/a/b', 'pods0', 'pods-x/a', 'podsx/a', 'pod/a'])
    const { items } = await s.list(prefixRange(`${s.prefix}pods/`))
    expect(Object.keys(s.byName(items))).toEqual(['pods/', 'pods/a', 'pods/a/b'])
  })

  it.each([
    ['fewer than there are', 3, 3, true],
    ['as many as there are', 5, 5, false],
    ['more than there are', 6, 5, false],
  ])('a limit of %s', async (_, limit, length, more) => {
    const s = subject()
    await writeNames(s, ['a', 'b', 'c', 'd', 'e'])
    const result = await s.list({ limit })
    expect(result.items).toHaveLength(length)
    expect(result.more).toBe(more)
  })

  it('the count is that of the whole range, whatever the limit', async () => {
    const s = subject()
    await writeNames(s, ['a', 'b', 'c', 'd', 'e'])
    expect((await s.list({ limit: 2, countAll: true })).count).toBe(5)
    expect((await s.list({ start: `${s.prefix}b`, limit: 2, countAll: true })).count).toBe(4)
    expect((await s.list({ countAll: true })).count).toBe(5)
  })

  it('pages that start behind the last key together are the whole list', async () => {
    const s = subject()
    const names = Array.from({ length: 23 }, (_, index) => `k${String(index).padStart(3, '0')}`)
    await writeNames(s, names)
    expect(await pagedNames(s, 5)).toEqual(names)
  })

  it('a read that begins after a write was acknowledged sees it', async () => {
    const s = subject()
    let revision = 0
    for (let i = 0; i < 50; i++) {
      revision = await s.write('a', String(i), revision)
      const [got, listed, newest] = await Promise.all([s.read('a'), s.list(), s.newest()])
      expect(got?.revision).toBe(revision)
      expect(listed.items[0]?.revision).toBe(revision)
      expect(newest).toBe(revision)
    }
  })

  it('what a list holds is never newer than the revision it says', async () => {
    const s = subject()
    const writing = (async () => {
      for (let i = 0; i < 150; i++) await s.write(`k${i}`, 'x')
    })()
    for (let i = 0; i < 30; i++) {
      const { items, revision } = await s.list()
      expect(items.every((item) => item.revision <= revision)).toBe(true)
      // Every write here makes a key, so the list at a revision has one item for each revision since the first.
      if (items.length > 0) expect(items.length).toBe(revision - Math.min(...items.map((item) => item.revision)) + 1)
    }
    await writing
  })

  it('a read whose signal has fired already is given up', async () => {
    const s = subject()
    await expect(s.kv.get(`${s.prefix}a`, {}, AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError)
    await expect(s.kv.list(prefixRange(s.prefix), AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError)
    await expect(s.kv.newestRevision(AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError)
  })
}

async function writeNames(s: Subject, names: readonly string[]): Promise<void> {
  for (const name of names) await s.write(name, name)
}

export async function pagedNames(s: Subject, limit: number, at?: number): Promise<string[]> {
  const names: string[] = []
  let start = s.prefix
  for (;;) {
    const page = await s.list({ start, limit, ...(at === undefined ? {} : { at }) })
    names.push(...page.items.map((item) => item.key.slice(s.prefix.length)))
    if (!page.more) return names
    start = `${page.items.at(-1)!.key}\0`
  }
}
