// Time as a dependency, so that tests can control it.
import type { MaybePromise } from './maybe-promise.ts'

export interface Clock {
  /** Milliseconds since 1970. Never goes back within a process, even if the machine's clock is set. */
  now(): number
  /** Milliseconds since 1970 by the machine's clock, which may be set back. For times that people and other machines see. */
  timeOfDay(): number
  /**
   * Calls `callback` once, not before `delayMs` from now. Only a very long delay may end early. Returns a function that cancels the call. A
   * test that moves the time waits for the callback's promise.
   */
  callAfter(delayMs: number, callback: () => MaybePromise<void>): () => void
  /**
   * A random number from 0 to 1 that spreads waits. Only the clock of a simulated run that can be repeated has this member. All waits of
   * such a run use its clock, and none uses the system's.
   */
  readonly chance?: () => number
}

/** The clock for waits that must end even if a test does not move the time. */
export function waitClockOf(clock: Clock): Clock {
  return clock.chance === undefined ? systemClock : clock
}

/** Calls `callback` at every interval until the returned function is called. */
export function repeat(clock: Clock, intervalMs: number, callback: () => void): () => void {
  let cancel = clock.callAfter(intervalMs, again)
  function again(): void {
    cancel = clock.callAfter(intervalMs, again)
    callback()
  }
  return () => cancel()
}

/** Returns a function for the time of day in RFC 3339, in whole seconds. The text is made once a second, not once a request. */
export function inWholeSeconds(clock: Clock): () => string {
  let second = 0
  let text = ''
  return () => {
    const now = Math.floor(clock.timeOfDay() / 1000)
    if (now !== second) {
      second = now
      text = `${new Date(now * 1000).toISOString().slice(0, 19)}Z`
    }
    return text
  }
}

/** Longer delays than this overflow a Node timer, which then fires at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

const { timeOrigin } = performance

/** The timers of this clock do not keep the process alive. */
export const systemClock: Clock = {
  now: () => timeOrigin + performance.now(),
  timeOfDay: Date.now,
  callAfter: (delayMs, callback) => {
    const timer = timerFor(delayMs, callback).unref()
    return () => clearTimeout(timer)
  },
}

/** The same clock for programs: its timers keep the process alive. */
export const programClock: Clock = {
  ...systemClock,
  callAfter: (delayMs, callback) => {
    const timer = timerFor(delayMs, callback)
    return () => clearTimeout(timer)
  },
}

function timerFor(delayMs: number, callback: () => MaybePromise<void>): NodeJS.Timeout {
  return setTimeout(() => void callback(), Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS))
}
