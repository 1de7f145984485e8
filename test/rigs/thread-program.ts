// A program for worker threads: it does what its input says.
import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../src/api/status.ts'
import { serveMainThread } from '../../src/threads/thread-side.ts'

export interface Order {
  /** Computes for so long, then calls `next` for each piece but the last. */
  readonly pieces?: readonly number[]
  readonly call?: { readonly effect: string; readonly argument: unknown }
  readonly notes?: readonly string[]
  readonly fail?: 'api' | 'fault' | 'exit'
  readonly result?: unknown
  readonly asksNiceness?: boolean
}

serveMainThread(async (input, main) => {
  const { pieces = [], call, notes = [], fail, result, asksNiceness } = input as Order
  for (const note of notes) main.note(note)
  for (const [i, milliseconds] of pieces.entries()) {
    if (i > 0) await main.call('next')
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  }
  if (call !== undefined) return main.call(call.effect, call.argument)
  switch (fail) {
    case 'api':
      throw new ApiError('Invalid', 'not like this', { details: { name: 'n' } })
    case 'fault':
      throw new TypeError('a fault')
    case 'exit':
      // The message of another request may still be on its way.
      await sleep(20)
      process.exit(3)
  }
  return asksNiceness === true ? niceness() : result
})

/** Of this thread; elsewhere than on Linux of the process. */
function niceness(): number {
  return getPriority(process.platform === 'linux' ? Number(readlinkSync('/proc/thread-self').split('/').at(-1)) : 0)
}
