import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { anySignal, LightSignal } from '../../../src/lib/light-signal.ts'

it('fires once, with its first reason, and tells everybody who listens', () => {
  const signal = new LightSignal()
  const [first, second] = [vi.fn(), vi.fn()]
  signal.addEventListener('abort', first)
  signal.addEventListener('abort', first)
  signal.addEventListener('abort', { handleEvent: second })
  signal.onabort = () => expect(signal.aborted).toBe(true)
  expect([signal.aborted, signal.reason]).toEqual([false, undefined])
  signal.throwIfAborted()
  signal.fire('why')
  signal.fire('why else')
  expect([signal.aborted, signal.reason]).toEqual([true, 'why'])
  expect([first, second].map((each) => each.mock.calls.length)).toEqual([1, 1])
  expect(() => signal.throwIfAborted()).toThrow('why')
})

it('does not tell those who left, came for something else, or came too late', () => {
  const signal = new LightSignal()
  const [left, other, late] = [vi.fn(), vi.fn(), vi.fn()]
  signal.addEventListener('abort', left)
  signal.addEventListener('close', other)
  signal.removeEventListener('abort', left)
  signal.removeEventListener('abort', late)
  signal.fire(undefined)
  signal.addEventListener('abort', late)
  for (const each of [left, other, late]) expect(each).not.toHaveBeenCalled()
})

it('tells the others also where one leaves meanwhile', () => {
  const signal = new LightSignal()
  const second = vi.fn()
  const first = (): void => signal.removeEventListener('abort', first)
  signal.addEventListener('abort', first)
  signal.addEventListener('abort', second)
  signal.fire('why')
  expect(second).toHaveBeenCalledOnce()
})

it('is taken by what Node waits with', async () => {
  const signal = new LightSignal()
  const waiting = [sleep(60_000, undefined, { signal }), once(process, 'never', { signal })]
  signal.fire(new Error('why'))
  for (const each of waiting) await expect(each).rejects.toThrow('aborted')
})

it('is one of several of which the first counts', () => {
  const signals = [new LightSignal(), new LightSignal()] as const
  const platform = new AbortController()
  const any = anySignal([...signals, platform.signal])
  expect(any.aborted).toBe(false)
  signals[1].fire('why')
  expect([any.aborted, any.reason]).toEqual([true, 'why'])
  expect(anySignal([signals[1]]).reason).toBe('why')
  expect(anySignal([platform.signal]).aborted).toBe(false)
})
