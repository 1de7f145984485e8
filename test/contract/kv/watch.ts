// A watch delivers everything after a revision, exactly once and in order, and holds up nobody.
import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/lib/errors.ts'
import { forEachOf, type KvContractOptions, type OpenSubject, type WatchRecorder } from './subject.ts'

export function watchRules(subject: OpenSubject, options: KvContractOptions): void {
  if (options.startsEmpty) {
    it('from the very beginning, before there is anything', async () => {
      const s = subject()
      const watch = s.watch({ after: 0 })
      const first = await s.write('a', '1')
      const second = await s.write('b', '1')
      await watch.seen(2)
      const late = s.watch({ after: 0 })
      await late.seen(2)
      expect([watch.revisions, late.revisions]).toEqual([
        [first, second],
        [first, second],
      ])
    })
  }

  it('from now on: what was before is not delivered', async () => {
    const s = subject()
    await s.write('before', 'x')
    const watch = s.watch({ after: await s.newest() })
    const first = await s.write('a', '1')
    const second = await s.write('b', '1')
    await watch.seen(2)
    expect(watch.revisions).toEqual([first, second])
  })

  it('from the past: what happened since comes first, then what happens', async () => {
    const s = subject()
    const start = await s.newest()
    const a = await s.write('a', '1')
    const b = await s.write('b', '1')
    const watch = s.watch({ after: start })
    await watch.seen(2)
    const c = await s.write('c', '1')
    await watch.seen(3)
    expect(watch.revisions).toEqual([a, b, c])
  })

  it('from each revision of the past: exactly what came after it', async () => {
    const s = subject()
    const revisions: number[] = []
    for (let i = 0; i < 10; i++) revisions.push(await s.write(`k${i}`, 'x'))
    for (const [index, after] of revisions.slice(0, -1).entries()) {
      const watch = s.watch({ after })
      await watch.seen(9 - index)
      expect(watch.revisions).toEqual(revisions.slice(index + 1))
    }
  })

  it('from the future: nothing up to that revision is delivered', async () => {
    const s = subject()
    const after = (await s.newest()) + 3
    const watch = s.watch({ after })
    const revisions: number[] = []
    for (let i = 0; i < 6; i++) revisions.push(await s.write(`k${i}`, 'x'))
    await watch.seen(3)
    expect(watch.revisions).toEqual(revisions.slice(3))
  })

  it('an event says what happened to the key', async () => {
    const s = subject()
    const key = `${s.prefix}a`
    const start = await s.newest()
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    const removed = await s.remove('a', updated)
    const again = await s.write('a', 'three')
    const watch = s.watch({ after: start })
    expect(await watch.seen(4)).toEqual([
      { kind: 'put', key, value: Buffer.from('one'), revision: created, createRevision: created },
      { kind: 'put', key, value: Buffer.from('two'), revision: updated, createRevision: created },
      { kind: 'delete', key, revision: removed },
      { kind: 'put', key, value: Buffer.from('three'), revision: again, createRevision: again },
    ])
  })

  it.each(['live', 'from history'])('what was there before is told where it was asked for, %s', async (when) => {
    const s = subject()
    const key = `${s.prefix}a`
    const start = await s.newest()
    const request = { after: start, withPrevious: true }
    const live = when === 'live' ? s.watch(request) : undefined
    const created = await s.write('a', 'one')
    const updated = await s.write('a', 'two', created)
    await s.remove('a', updated)
    const watch = live ?? s.watch(request)
    const [first, second, third] = await watch.seen(3)
    expect(first).not.toHaveProperty('previous')
    const one = { key, value: Buffer.from('one'), revision: created, createRevision: created }
    expect(second?.previous).toEqual(one)
    expect(third?.previous).toEqual({ ...one, value: Buffer.from('two'), revision: updated })
  })

  it('only what is under the prefix', async () => {
    const s = subject()
    const start = await s.newest()
    const watch = s.watch({ after: start, prefix: `${s.prefix}pods/` })
    for (const name of ['pods', 'pods/a', 'pods0', 'podsx/a', 'pod/a', 'pods/b/c', 'pods-x/y']) await s.write(name, 'x')
    await s.write('pods/last', 'x')
    await watch.seen(3)
    const names = watch.events.map((event) => event.key.slice(s.prefix.length))
    expect(names).toEqual(['pods/a', 'pods/b/c', 'pods/last'])
  })

  it('under many writers every revision is seen exactly once and in order, whenever the watch began', async () => {
    const s = subject()
    const start = await s.newest()
    const watches: WatchRecorder[] = [s.watch({ after: start })]
    await forEachOf(400, 8, async (index) => {
      if (index % 100 === 50) watches.push(s.watch({ after: start }))
      const created = await s.write(`k${index}`, 'x')
      if (index % 3 === 0) await s.remove(`k${index}`, created)
    })
    watches.push(s.watch({ after: start }))
    const total = 400 + 134
    const everyRevision = Array.from({ length: total }, (_, index) => start + 1 + index)
    for (const watch of watches) {
      await watch.seen(total)
      expect(watch.revisions).toEqual(everyRevision)
      expectWholeAndAscending(watch)
    }
  })

  it('progress on request tells how far the watch has come, other keys’ revisions included', async () => {
    const s = subject()
    const watch = s.watch({ after: await s.newest(), prefix: `${s.prefix}mine/` })
    const mine = await s.write('mine/a', 'x')
    await watch.seen(1)
    const other = await s.write('other', 'x')
    if (!watch.requestProgress()) return
    await watch.until(() => watch.batches.some((batch) => batch.revision >= other))
    expect(watch.revisions).toEqual([mine])
    expectWholeAndAscending(watch)
  })

  it('a watcher that does not read holds up no writer, and later sees all of it', async () => {
    const s = subject()
    const start = await s.newest()
    const iterator = s.kv.watch({ prefix: s.prefix, after: start }, s.signal)[Symbol.asyncIterator]()
    await s.write('first', 'x')
    const { value: first } = await iterator.next()
    expect(first.events).toHaveLength(1)
    await forEachOf(500, 16, async (index) => {
      await s.write(`k${index}`, Buffer.alloc(4096, 'x'))
    })
    const revisions: number[] = []
    while (revisions.length < 500) {
      const { value } = await iterator.next()
      for (const event of value.events) revisions.push(event.revision)
    }
    await iterator.return?.()
    expect(revisions).toEqual(Array.from({ length: 500 }, (_, index) => start + 2 + index))
  })

  it('the signal ends it with a cancellation, also while it waits', async () => {
    const s = subject()
    const stop = new AbortController()
    const watch = s.watch({ after: await s.newest() }, stop.signal)
    await s.write('a', 'x')
    await watch.seen(1)
    stop.abort()
    expect(await watch.ended).toBeInstanceOf(CancelledError)
    await s.write('b', 'x')
    expect(watch.events).toHaveLength(1)
  })

  it('a signal that has fired already ends it before it began', async () => {
    const s = subject()
    await s.write('a', 'x')
    const watch = s.watch({ after: 0 }, AbortSignal.abort())
    expect(await watch.ended).toBeInstanceOf(CancelledError)
    expect(watch.events).toEqual([])
  })

  it('watches that were cancelled or left leave nothing behind', async () => {
    const s = subject()
    const handles = s.store.liveHandles ?? (() => 0)
    const before = handles()
    const start = await s.newest()
    await s.write('a', 'x')
    const stop = new AbortController()
    const cancelled = Array.from({ length: 50 }, () => s.watch({ after: start }, stop.signal))
    for (const watch of cancelled) await watch.seen(1)
    stop.abort()
    for (const watch of cancelled) expect(await watch.ended).toBeInstanceOf(CancelledError)
    for (let i = 0; i < 50; i++) {
      for await (const batch of s.kv.watch({ prefix: s.prefix, after: start }, s.signal)) {
        expect(batch.events).toHaveLength(1)
        break
      }
    }
    expect(handles()).toBe(before)
    // The store is as good as before.
    const watch = s.watch({ after: start })
    await s.write('b', 'x')
    await watch.seen(2)
  })
}

/** Batches come in the order of revisions, and no revision is in two of them. */
function expectWholeAndAscending(watch: WatchRecorder): void {
  let reached = 0
  for (const batch of watch.batches) {
    const revisions = batch.events.map((event) => event.revision)
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
    if (revisions.length > 0) expect(revisions[0]).toBeGreaterThan(reached)
    expect(batch.revision).toBeGreaterThanOrEqual(Math.max(reached, ...revisions))
    reached = batch.revision
  }
}
