// Work that runs side by side: nothing of it goes on once the caller has an answer.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CancelledError } from '../../../src/lib/errors.ts'
import { forEachAtOnce, together } from '../../../src/lib/together.ts'

const NEVER = new AbortController().signal

describe('together', () => {
  it('stops the others at the first failure, and throws it when all have ended', async () => {
    const ended: string[] = []
    const running = together(NEVER, (until) => [
      Promise.reject(new Error('first')),
      new Promise<void>((resolve) => until.addEventListener('abort', () => resolve()))
        .then(() => setImmediate())
        .then(() => {
          ended.push('second')
          throw new CancelledError()
        }),
    ])
    await expect(running).rejects.toThrow('first')
    expect(ended).toEqual(['second'])
  })

  it('passes the signal of its caller on', async () => {
    const stop = new AbortController()
    const running = together(stop.signal, (until) => [
      new Promise<void>((resolve) => until.addEventListener('abort', () => resolve())),
    ])
    stop.abort()
    await running
  })
})

describe('forEachAtOnce', () => {
  it('works on so many at a time, and on all', async () => {
    let [underWay, most] = [0, 0]
    const done: number[] = []
    await forEachAtOnce([1, 2, 3, 4, 5].values(), { most: 2 }, async (item) => {
      most = Math.max(most, ++underWay)
      await setImmediate()
      underWay--
      done.push(item)
    })
    expect([done, most]).toEqual([[1, 2, 3, 4, 5], 2])
  })

  it('begins nothing after a failure, and throws when nothing is under way', async () => {
    const [begun, ended]: [number[], number[]] = [[], []]
    const working = forEachAtOnce([1, 2, 3, 4, 5], { most: 2 }, async (item) => {
      begun.push(item)
      if (item === 1) throw new Error('one')
      await setImmediate()
      await setImmediate()
      ended.push(item)
    })
    await expect(working).rejects.toThrow('one')
    expect([begun, ended]).toEqual([[1, 2], [2]])
  })

  it('begins nothing once its signal has fired', async () => {
    const stop = new AbortController()
    const begun: number[] = []
    const working = forEachAtOnce([1, 2, 3], { most: 1, signal: stop.signal }, async (item) => {
      begun.push(item)
      stop.abort()
    })
    await expect(working).rejects.toThrow(CancelledError)
    expect(begun).toEqual([1])
  })
})
