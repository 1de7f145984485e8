import { expect, it } from 'vitest'
import { CancelledError } from '../../../src/lib/errors.ts'
import { Slots } from '../../../src/lib/slots.ts'

const never = new AbortController().signal

it('slots are taken at once while there are any, and then in the order of asking', async () => {
  const slots = new Slots(2)
  const order: string[] = []
  expect(slots.take(never)).toBeUndefined()
  expect(slots.take(never)).toBeUndefined()
  const waiting = ['first', 'second', 'third'].map(async (name) => {
    await slots.take(never)
    order.push(name)
  })
  slots.give()
  await waiting[0]
  expect(order).toEqual(['first'])
  slots.give()
  slots.give()
  await Promise.all(waiting)
  expect(order).toEqual(['first', 'second', 'third'])
  slots.give()
  slots.give()
  expect(slots.take(never)).toBeUndefined()
  expect(slots.take(never)).toBeUndefined()
  expect(slots.take(never)).toBeInstanceOf(Promise)
})

it('who gives up waiting takes no slot', async () => {
  const slots = new Slots(1)
  const stop = new AbortController()
  expect(slots.take(never)).toBeUndefined()
  const given = slots.take(stop.signal)
  const next = slots.take(never)
  stop.abort()
  await expect(given).rejects.toBeInstanceOf(CancelledError)
  await expect(slots.take(stop.signal)).rejects.toBeInstanceOf(CancelledError)
  slots.give()
  await expect(next).resolves.toBeUndefined()
})
