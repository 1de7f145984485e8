import { expect, it } from 'vitest'
import { runInBackground } from '../../../src/lib/background.ts'

it('what runs in the background has ended when everything is closed, also where one part of it failed', async () => {
  const opened = new AsyncDisposableStack()
  let hasEnded = false
  const failed = runInBackground(opened, (stop) => [
    Promise.reject(new Error('broken')),
    new Promise<void>((resolve) => stop.addEventListener('abort', () => setImmediate(resolve))).then(() => {
      hasEnded = true
    }),
  ])
  await expect(failed).rejects.toThrow('broken')
  expect(hasEnded).toBe(false)
  await opened.disposeAsync()
  expect(hasEnded).toBe(true)
})
