// Health, and the end: closing ends what is under way and refuses what comes after.
import { expect, it } from 'vitest'
import { failsWith, type OpenSubject } from './subject.ts'

export function lifeRules(subject: OpenSubject): void {
  it('a store that works is healthy', async () => {
    const s = subject()
    await expect(s.kv.checkHealth(s.signal)).resolves.toBeUndefined()
  })

  it('the size, where it is told, is a number of bytes', async () => {
    const s = subject()
    await s.write('a', Buffer.alloc(100_000, 'x'))
    const size = await s.kv.size(s.signal)
    if (size === undefined) return
    expect(size.inUseBytes).toBeGreaterThan(0)
    expect(size.bytes).toBeGreaterThanOrEqual(size.inUseBytes)
    if (size.limit === undefined) return
    expect(size.limit.availableBytes).toBeGreaterThan(0)
    expect(size.limit.quotaBytes).toBeGreaterThan(size.limit.availableBytes)
  })

  it('closing ends every watch as closed, the waiting and the unread', async () => {
    const s = subject()
    const waiting = s.watch({ after: await s.newest() })
    const unread = s.kv.watch({ prefix: s.prefix, after: await s.newest() }, s.signal)[Symbol.asyncIterator]()
    await s.write('a', 'x')
    await waiting.seen(1)
    await unread.next()
    await s.kv.close()
    expect(await waiting.ended).toMatchObject({ name: 'KvError', code: 'closed' })
    await failsWith('closed', unread.next())
    expect(s.store.liveHandles?.() ?? 0).toBe(0)
  })

  it('a closed store refuses everything as closed, and can be closed again', async () => {
    const s = subject()
    const revision = await s.write('a', 'x')
    await s.kv.close()
    await failsWith('closed', s.read('a'))
    await failsWith('closed', s.list())
    await failsWith('closed', s.put('b', 'x'))
    await failsWith('closed', s.delete('a', revision))
    await failsWith('closed', s.newest())
    await failsWith('closed', s.kv.compact(revision, s.signal))
    await failsWith('closed', s.kv.checkHealth(s.signal))
    expect(await s.watch({ after: revision }).ended).toMatchObject({ name: 'KvError', code: 'closed' })
    await s.kv.close()
  })

  it('writes under way when it is closed are done or refused, and none is left hanging', async () => {
    const s = subject()
    const writes = Array.from({ length: 50 }, (_, index) => s.put(`k${index}`, 'x'))
    await s.kv.close()
    for (const outcome of await Promise.allSettled(writes)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'KvError' })
      else expect(outcome.value.ok).toBe(true)
    }
  })
}
