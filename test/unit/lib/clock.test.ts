import { expect, it } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'

it('the system clock is the time of day', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000)
})

it('an alarm rings once, not before its time', async () => {
  const began = performance.now()
  await new Promise<void>((resolve) => {
    // An alarm does not keep the process alive by itself; the interval stands in for a server that does.
    const alive = setInterval(() => {}, 1000)
    systemClock.callAfter(20, () => {
      clearInterval(alive)
      resolve()
    })
  })
  expect(performance.now() - began).toBeGreaterThanOrEqual(19)
})

it('an alarm that is called off does not ring, and one a year ahead does not ring at once', async () => {
  let rang = 0
  const callOff = systemClock.callAfter(1, () => void rang++)
  callOff()
  const callOffLate = systemClock.callAfter(365 * 24 * 3600 * 1000, () => void rang++)
  await new Promise<void>((resolve) => {
    const alive = setInterval(() => {}, 1000)
    systemClock.callAfter(2, () => {
      clearInterval(alive)
      resolve()
    })
  })
  callOffLate()
  expect(rang).toBe(0)
})
