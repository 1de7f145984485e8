import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../../src/http/http.ts'
import { ABSENT, type Kv, putKey } from '../../../src/kv/kv.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { Activity } from '../../../src/library/activity.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()

function put(kv: Kv, key: string, ttlSeconds?: number): Promise<unknown> {
  const value = Buffer.from('x')
  return putKey(kv, { key, value, expected: ABSENT, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }, signal)
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn()
}

describe('what a server does', () => {
  it('is waited for as long as one thing leads to another', async () => {
    const activity = new Activity()
    const kv = activity.around(openMemory())
    let done = false
    const work = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await put(kv, `/${i}`)
        await turns(5)
      }
      done = true
    }
    void work()
    await activity.settled()
    expect(done).toBe(true)
  })

  it('is waited for while the store takes its time', async () => {
    const activity = new Activity()
    const memory = openMemory()
    const answer = Promise.withResolvers<number>()
    const kv = activity.around({ ...activity.around(memory), newestRevision: () => answer.promise })
    void kv.newestRevision(signal)
    let settled = false
    void activity.settled().then(() => (settled = true))
    await turns(200)
    expect(settled).toBe(false)
    answer.resolve(1)
    await expect.poll(() => settled).toBe(true)
  })

  it.each([
    ['a store that never answers', (kv: Kv) => void kv.newestRevision(signal)],
    [
      'somebody who never stops asking',
      async (kv: Kv) => {
        for (let i = 0; i < 10_000; i++) await Promise.all([kv.get('/a', {}, signal), nextTurn()])
      },
    ],
  ])('is not waited for without end: %s', async (_name, ask) => {
    const activity = new Activity(50)
    void ask(activity.around({ ...activity.around(openMemory()), newestRevision: () => new Promise(() => {}) }))
    await activity.settled()
    const answer = activity.inOrder(() => ({ status: 200 }) as HttpResponse)
    expect((await answer({} as HttpRequest)).status).toBe(200)
  })

  it('is also what follows from something that has expired', async () => {
    const activity = new Activity()
    const clock = new ManualClock()
    const kv = activity.around(openMemory({ clock }))
    let done = false
    const follow = async (): Promise<void> => {
      for await (const { events } of kv.watch({ prefix: '/', after: 1 }, signal)) {
        if (!events.some(({ kind }) => kind === 'delete')) continue
        // Longer than anything that is not set off by the store is waited for.
        await turns(15)
        await put(kv, '/after')
        done = true
      }
    }
    void follow()
    await put(kv, '/a', 1)
    await activity.settled()
    clock.advance(2_000)
    await activity.settled()
    expect(done).toBe(true)
  })

  it('leaves nothing behind of a watch that is left', async () => {
    const memory = openMemory()
    const kv = new Activity().around(memory)
    await put(kv, '/a')
    for await (const _ of kv.watch({ prefix: '/', after: 1 }, signal)) break
    expect(memory.liveHandles).toBe(0)
  })

  it('has every request wait for what those before it have started', async () => {
    const activity = new Activity()
    const kv = activity.around(openMemory())
    const seen: string[] = []
    const handler = activity.inOrder(async ({ path }) => {
      seen.push(`${path} begins`)
      const afterwards = async (): Promise<void> => {
        await turns(10)
        await put(kv, path)
        seen.push(`${path} is done`)
      }
      await put(kv, `${path}/first`)
      void afterwards()
      return {} as HttpResponse
    })
    await Promise.all(['/1', '/2', '/3'].map(async (path) => handler({ path } as HttpRequest)))
    await activity.settled()
    expect(seen).toEqual(['/1', '/2', '/3'].flatMap((path) => [`${path} begins`, `${path} is done`]))
  })
})
