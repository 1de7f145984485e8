// What only the durable engine promises; what it has in common with the others is in test/contract.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { damageOf } from '../../src/kv/damaged-value.ts'
import { type EmbeddedKv, type EmbeddedOptions, openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { Tables } from '../../src/kv/embedded/tables.ts'
import { ABSENT, prefixRange, type Revision, putKey, removeKey } from '../../src/kv/kv.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const never = new AbortController().signal

async function open(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedKv> {
  return openEmbedded({ dataDir, ...options }, never)
}

async function put(
  kv: EmbeddedKv,
  key: string,
  value: string | Buffer,
  expected: Revision = ABSENT,
): Promise<Revision> {
  const result = await putKey(kv, { key, value: Buffer.from(value), expected }, never)
  expect(result.ok).toBe(true)
  return result.revision
}

async function contents(kv: EmbeddedKv, at?: Revision): Promise<Record<string, string>> {
  const { items } = await kv.list({ ...prefixRange('/'), ...(at === undefined ? {} : { at }) }, never)
  return Object.fromEntries(items.map((item) => [item.key, item.value.toString()]))
}

describe('closed and opened again', () => {
  it('everything is there: state, history, revisions, and a watch from the past', async () => {
    const dataDir = await tempFolder()
    const first = await open(dataDir)
    const one = await put(first, '/a', 'one')
    const two = await put(first, '/a', 'two', one)
    await put(first, '/b', 'x')
    const { revision: gone } = await removeKey(first, { key: '/a', expected: two }, never)
    await first.close()

    const kv = await open(dataDir)
    expect(await kv.newestRevision(never)).toBe(gone)
    expect(await contents(kv)).toEqual({ '/b': 'x' })
    expect(await contents(kv, two)).toEqual({ '/a': 'two' })
    expect(await put(kv, '/c', 'x')).toBe(gone + 1)
    const seen: Revision[] = []
    for await (const batch of kv.watch({ prefix: '/', after: 0 }, never)) {
      seen.push(...batch.events.map((event) => event.revision))
      if (seen.length === 5) break
    }
    expect(seen).toEqual([2, 3, 4, 5, 6])
    await kv.close()
  })

  it('keys whose time came meanwhile go, the others keep their time', async () => {
    const dataDir = await tempFolder()
    const clock = new ManualClock()
    const first = await open(dataDir, { clock })
    for (const [key, ttlSeconds] of [
      ['/soon', 10],
      ['/late', 100],
    ] as const) {
      await putKey(first, { key, value: Buffer.from('x'), expected: ABSENT, ttlSeconds }, never)
    }
    await first.close()
    expect(clock.pending).toBe(0)
    clock.advance(60_000)
    const kv = await open(dataDir, { clock })
    clock.advance(0)
    const stop = new AbortController()
    for await (const { events } of kv.watch({ prefix: '/', after: 3 }, stop.signal)) {
      expect(events).toEqual([{ kind: 'delete', key: '/soon', revision: 4 }])
      break
    }
    expect(await contents(kv)).toEqual({ '/late': 'x' })
    clock.advance(40_000)
    for await (const { events } of kv.watch({ prefix: '/', after: 4 }, stop.signal)) {
      expect(events).toEqual([{ kind: 'delete', key: '/late', revision: 5 }])
      break
    }
    await kv.close()
  })

  it('what was compacted stays compacted, and nothing of it is left on the disk', async () => {
    const dataDir = await tempFolder()
    const first = await open(dataDir)
    let revision = ABSENT
    for (let i = 0; i < 30; i++) revision = await put(first, '/a', String(i), revision)
    const gone = await put(first, '/gone', 'x')
    const { revision: deleted } = await removeKey(first, { key: '/gone', expected: gone }, never)
    const last = await put(first, '/b', 'x')
    await first.compact(last, never)
    await first.close()

    const tables = new Tables(dataDir)
    const everything = { start: Buffer.from([0]), end: Buffer.from([0xff]), limit: 100 }
    expect([...tables.past(everything)]).toEqual([])
    expect([...tables.garbage(last, 100)]).toEqual([])
    expect([...tables.log({ revision: 0, sub: 0 }, 100)].map((entry) => entry.revision)).toEqual([revision, last])
    expect(tables.counters()).toEqual({ newest: last, oldest: last })
    await tables.close()

    const kv = await open(dataDir)
    await expect(contents(kv, deleted)).rejects.toMatchObject({ code: 'compacted', compactRevision: last })
    expect(await contents(kv, last)).toEqual({ '/a': '29', '/b': 'x' })
    await kv.close()
  })

  it('a compaction that was cut off is brought to its end', async () => {
    const dataDir = await tempFolder()
    const first = await open(dataDir)
    const writes = Array.from({ length: 3000 }, (_, index) => put(first, `/${index}`, 'x'))
    const revisions = await Promise.all(writes)
    await Promise.all(revisions.map((expected, index) => removeKey(first, { key: `/${index}`, expected }, never)))
    const newest = await first.newestRevision(never)
    const compacting = first.compact(newest, never)
    await new Promise((resolve) => setTimeout(resolve, 3))
    await first.close()
    await compacting.catch(() => undefined)

    const kv = await open(dataDir)
    // Compactions come one after the other: this one ends when the one before it has.
    await kv.compact(await put(kv, '/last', 'x'), never)
    await kv.close()
    const tables = new Tables(dataDir)
    expect([...tables.log({ revision: 0, sub: 0 }, 10_000)].map((entry) => entry.key)).toEqual(['/last'])
    await tables.close()
  })
})

it('compactions that come together keep the furthest, whatever their order', async () => {
  const dataDir = await tempFolder()
  const first = await open(dataDir)
  const revisions: Revision[] = [ABSENT]
  for (let i = 0; i < 20; i++) revisions.push(await put(first, '/a', String(i), revisions.at(-1)))
  await Promise.all([5, 18, 9].map((upTo) => first.compact(upTo, never)))
  await first.close()
  const kv = await open(dataDir)
  await expect(contents(kv, 17)).rejects.toMatchObject({ code: 'compacted', compactRevision: 18 })
  expect(await contents(kv, 18)).toEqual({ '/a': '16' })
  await kv.close()
})

it('a second one is refused the folder while the first has it', async () => {
  const dataDir = await tempFolder()
  const kv = await open(dataDir)
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'unavailable', message: /is in use by process/ })
  await kv.close()
  const again = await open(dataDir)
  await again.close()
})

it('a damaged value says that it is, by every way to it, and the others are as good as before', async () => {
  const dataDir = await tempFolder()
  const first = await open(dataDir)
  const revision = await put(first, '/damaged', 'MARK'.repeat(200))
  await put(first, '/good', 'x')
  await first.close()
  const file = join(dataDir, 'data.mdb')
  const bytes = await readFile(file)
  for (let at = bytes.indexOf('MARKMARK'); at >= 0; at = bytes.indexOf('MARKMARK', at + 8)) bytes[at] = 0x20
  await writeFile(file, bytes)

  const kv = await open(dataDir)
  const problem = `the record of revision ${revision} is damaged`
  const { item } = await kv.get('/damaged', {}, never)
  expect([item?.key, item?.revision, damageOf(item!.value)]).toEqual(['/damaged', revision, problem])
  const { items } = await kv.list({ start: '/', end: '0' }, never)
  expect(items.map(({ key, value }) => [key, damageOf(value)])).toEqual([
    ['/damaged', problem],
    ['/good', undefined],
  ])
  const lost = await putKey(kv, { key: '/damaged', value: Buffer.from(''), expected: 99 }, never)
  expect(lost.ok ? undefined : damageOf(lost.current!.value)).toBe(problem)
  const corrupt = { name: 'KvError', code: 'corrupt' }
  await expect(kv.watch({ prefix: '/', after: 1 }, never)[Symbol.asyncIterator]().next()).rejects.toMatchObject(corrupt)
  expect((await kv.get('/good', {}, never)).item?.value.toString()).toBe('x')
  await put(kv, '/damaged', 'mended', revision)
  expect(await contents(kv)).toEqual({ '/damaged': 'mended', '/good': 'x' })
  await kv.close()
})

it('a damaged key, behind which others would seem to be missing, is told of before anything is read', async () => {
  const dataDir = await tempFolder()
  const first = await open(dataDir)
  for (let i = 100; i < 400; i++) await put(first, `/keys/${i}`, 'x')
  await first.close()
  const file = join(dataDir, 'data.mdb')
  const bytes = await readFile(file)
  for (let at = bytes.indexOf('/keys/250'); at >= 0; at = bytes.indexOf('/keys/250', at + 1)) bytes[at]! ^= 0x80
  await writeFile(file, bytes)
  await expect(open(dataDir)).rejects.toMatchObject({
    code: 'corrupt',
    message: /data\.mdb: of 300 keys only \d+ can be read in order: the file is damaged; restore a backup$/,
  })
})

it('a file that is not a store is refused in one line', async () => {
  const dataDir = await tempFolder()
  const first = await open(dataDir)
  await first.close()
  await writeFile(join(dataDir, 'data.mdb'), Buffer.alloc(64 * 1024, 'not a store'))
  await expect(open(dataDir)).rejects.toMatchObject({ code: 'corrupt', message: /is not a store of this program/ })
})

it('a full store refuses puts, keeps what it has, lets deletes through, and takes puts again when there is room', async () => {
  const kv = await open(await tempFolder(), { maxBytes: 3_000_000 })
  const value = Buffer.alloc(100_000, 'x')
  const kept: { key: string; revision: Revision }[] = []
  const fill = async (name: string): Promise<unknown> => {
    for (let i = 0; i < 100; i++) {
      const key = `/${name}${i}`
      kept.push({ key, revision: await put(kv, key, value) })
    }
    return undefined
  }
  await expect(fill('a')).rejects.toMatchObject({ code: 'full' })
  expect(kept.length).toBeGreaterThan(10)
  await expect(put(kv, '/one more', value)).rejects.toMatchObject({ code: 'full' })
  expect(Object.keys(await contents(kv)).length).toBe(kept.length)
  for (const { key, revision } of kept.splice(0)) await removeKey(kv, { key, expected: revision }, never)
  await kv.compact(await kv.newestRevision(never), never)
  await expect(fill('b')).rejects.toMatchObject({ code: 'full' })
  expect(kept.length).toBeGreaterThan(10)
  await kv.close()
})

it('keys are limited in length, and longer ones are simply not there', async () => {
  const kv = await open(await tempFolder())
  const zeros = `/${'\0'.repeat(949)}`
  await put(kv, zeros, 'y', await put(kv, zeros, 'x'))
  await expect(put(kv, `${zeros}\0`, 'x')).rejects.toMatchObject({ code: 'too-large' })
  const longest = `/${'k'.repeat(1899)}`
  const revision = await put(kv, longest, 'x')
  const again = await put(kv, longest, 'y', revision)
  expect((await kv.get(longest, { at: revision }, never)).item?.value.toString()).toBe('x')
  for (const key of [`${longest}k`, `/${'k'.repeat(10_000)}`, `/k${'\0'.repeat(1500)}`]) {
    await expect(put(kv, key, 'x')).rejects.toMatchObject({ code: 'too-large' })
    expect((await kv.get(key, {}, never)).item).toBeUndefined()
    expect((await kv.get(key, { at: again }, never)).item).toBeUndefined()
    expect((await kv.list({ start: key, end: `${key}z`, at: revision, countAll: true }, never)).count).toBe(0)
    expect(await removeKey(kv, { key, expected: 5 }, never)).toMatchObject({ ok: false, current: undefined })
  }
  await kv.close()
})

it('past reads over more versions than one piece holds are exact', async () => {
  const kv = await open(await tempFolder())
  const hot: Revision[] = [ABSENT]
  await put(kv, '/a', 'before')
  for (let i = 0; i < 12; i++) {
    // Many of the versions in each commit: the time goes into commits.
    const { promise } = chain(kv, '/hot', hot, 120)
    await promise
    await put(kv, `/k${i}`, 'x')
  }
  await put(kv, '/z', 'after')
  const newest = await kv.newestRevision(never)
  for (const at of [2, 3, 500, 1000, 1001, 1300, newest - 1, newest]) {
    const state = await contents(kv, at)
    const expected = hot.findLast((revision) => revision <= at)
    const { item } = await kv.get('/hot', { at }, never)
    expect(item?.revision ?? ABSENT).toBe(expected)
    expect(state['/hot']).toBe(item?.value.toString())
    expect('/a' in state).toBe(true)
    expect('/z' in state).toBe(at >= newest)
    const { count } = await kv.list({ ...prefixRange('/'), at, limit: 1, countAll: true }, never)
    expect(count).toBe(Object.keys(state).length)
  }
  await kv.close()
})

/** Updates of one key, each of the revision that the one before it will have. */
function chain(kv: EmbeddedKv, key: string, revisions: Revision[], count: number): { promise: Promise<unknown> } {
  const puts: Promise<Revision>[] = []
  const first = revisions.at(-1)!
  let next = first
  return {
    promise: (async () => {
      next = await put(kv, key, `v${revisions.length}`, first)
      revisions.push(next)
      for (let i = 1; i < count; i++) {
        puts.push(put(kv, key, `v${revisions.length}`, next))
        revisions.push(++next)
      }
      await Promise.all(puts)
    })(),
  }
}
