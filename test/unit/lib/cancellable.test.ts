import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { cancellable } from '../../../src/lib/cancellable.ts'
import { CancelledError } from '../../../src/lib/errors.ts'

it('ends as the work does, and lets go of the signal', async () => {
  const { signal } = new AbortController()
  expect(await cancellable(Promise.resolve(7), signal)).toBe(7)
  await expect(cancellable(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
  await Promise.resolve()
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('is left as soon as the signal fires, and what comes of the work is nobody’s trouble', async () => {
  const stop = new AbortController()
  const { promise, reject } = Promise.withResolvers<void>()
  const left = cancellable(promise, stop.signal)
  stop.abort()
  await expect(left).rejects.toBeInstanceOf(CancelledError)
  reject(new Error('too late to matter'))
})

it('is not begun with a signal that has fired', async () => {
  await expect(cancellable(new Promise(() => {}), AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError)
})
