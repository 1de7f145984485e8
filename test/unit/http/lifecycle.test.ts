import { expect, it, vi } from 'vitest'
import { Lifecycle } from '../../../src/http/lifecycle.ts'

it('whoever waits for the start is told when it is complete', async () => {
  const lifecycle = new Lifecycle(0)
  const waiting = lifecycle.whenStarted(new AbortController().signal)
  lifecycle.stage = 'serving'
  await waiting
  expect(lifecycle.isStarting()).toBe(false)
})

it('nobody waits who has gone', async () => {
  const lifecycle = new Lifecycle(0)
  const client = new AbortController()
  const waiting = lifecycle.whenStarted(client.signal)
  client.abort()
  await waiting
  expect(lifecycle.isStarting()).toBe(true)
})

it('nobody waits for ever', async () => {
  const timeout = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal)
  const waiting = new Lifecycle(0).whenStarted(new AbortController().signal)
  vi.restoreAllMocks()
  timeout.abort()
  await waiting
})
