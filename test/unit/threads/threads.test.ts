import { getPriority } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import { CancelledError } from '../../../src/lib/errors.ts'
import { type Task, Threads } from '../../../src/threads/threads.ts'
import type { Order } from '../../rigs/thread-program.ts'

const PROGRAM = new URL('../../rigs/thread-program.ts', import.meta.url)
const open = new Set<Threads>()
/** An estimate, in milliseconds. */
const LONG = 1000

function threads(most = 1): Threads {
  const made = new Threads({ program: PROGRAM, settings: undefined, most, abandonedMs: 50 })
  open.add(made)
  return made
}

afterEach(async () => {
  for (const each of open) await each[Symbol.asyncDispose]()
  open.clear()
})

function task(order: Order, more: Partial<Task> = {}): Task {
  const signal = new AbortController().signal
  return { user: 'a', cost: 1, input: () => order, effects: { next: () => {} }, onNote: () => {}, signal, ...more }
}

describe('a task', () => {
  it('gives its result, after its notes', async () => {
    const notes: string[] = []
    const onNote = (note: string): void => void notes.push(note)
    expect(await threads().run(task({ notes: ['x', 'y'], result: { n: 1n } }, { onNote }))).toEqual({ n: 1n })
    expect(notes).toEqual(['x', 'y'])
  })

  it('costs its user the time that it ran', async () => {
    const spent: (readonly [string, number])[] = []
    const onSpent = (user: string, milliseconds: number): void => void spent.push([user, milliseconds])
    const counted = new Threads({ program: PROGRAM, settings: undefined, most: 1, onSpent })
    open.add(counted)
    await counted.run(task({ result: 1 }, { user: 'writer' }))
    expect(spent).toEqual([['writer', expect.any(Number)]])
  })

  it('calls the main thread', async () => {
    const effects = { twice: (text: string) => Promise.resolve(text + text) }
    expect(await threads().run(task({ call: { effect: 'twice', argument: 'ab' } }, { effects }))).toBe('abab')
  })

  it('fails with the very error of an effect', async () => {
    const error = new TypeError('of the main thread')
    const effects = {
      break: () => {
        throw error
      },
    }
    await expect(threads().run(task({ call: { effect: 'break', argument: 0 } }, { effects }))).rejects.toBe(error)
  })

  it('fails with its own error', async () => {
    const own = threads()
    const error = await own.run(task({ fail: 'api' })).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ reason: 'Invalid', code: 422, message: 'not like this', details: { name: 'n' } })
    await expect(own.run(task({ fail: 'fault' }))).rejects.toThrow('a fault')
  })
})

describe('the threads', () => {
  it('let the user go first whose tasks took the least time', async () => {
    const own = threads()
    const done: string[] = []
    const run = (user: string, order: Order): Promise<unknown> =>
      own.run(task(order, { user })).then(() => done.push(user))
    const greedy = [1, 2, 3, 4].map(() => run('greedy', { pieces: [40, 40, 40, 40, 40] }))
    // The first piece of the first task is under way.
    await own.run(task({ result: 0 }, { user: 'first', cost: 0 }))
    const modest = run('modest', { pieces: [5, 5, 5, 5] })
    await modest
    expect(done).toEqual(['modest'])
    await Promise.all(greedy)
  })

  it('take the smallest of a user first', async () => {
    const own = threads()
    const done: number[] = []
    const run = (cost: number): Promise<unknown> =>
      own.run(task({ pieces: [10] }, { cost })).then(() => done.push(cost))
    await Promise.all([run(9), run(5), run(7), run(1)])
    // The first had started before the others came.
    expect(done).toEqual([9, 1, 5, 7])
  })

  it('are as many as are allowed, and work side by side', async () => {
    const own = threads(2)
    const seen = new Set<object>()
    const run = (): Promise<unknown> =>
      own.run({ ...task({}, { cost: LONG }), input: (thread) => (seen.add(thread), { pieces: [30] }) })
    await Promise.all([run(), run(), run(), run(), run()])
    expect(seen.size).toBe(2)
  })
})

describe('a short task', () => {
  it('does not wait for a long one', async () => {
    const own = threads()
    const done: string[] = []
    const long = own.run(task({ pieces: [400] }, { cost: LONG })).then(() => done.push('long'))
    await own.run(task({ pieces: [1, 1] })).then(() => done.push('short'))
    await long
    expect(done).toEqual(['short', 'long'])
  })
})

it('threads give way to the event loop, and long tasks to short ones', async () => {
  const own = threads()
  const short = await own.run(task({ asksNiceness: true }))
  const long = await own.run(task({ asksNiceness: true }, { cost: LONG }))
  const lower = process.platform === 'linux' ? [5, 10] : [0, 0]
  expect([short, long]).toEqual(lower.map((by) => Math.min(19, getPriority() + by)))
})

describe('a task that nobody waits for', () => {
  it('is not started', async () => {
    const own = threads()
    const first = own.run(task({ pieces: [50] }))
    const client = new AbortController()
    let isStarted = false
    const second = own.run({ ...task({}, { signal: client.signal }), input: () => ((isStarted = true), {}) })
    client.abort()
    await expect(second).rejects.toBeInstanceOf(CancelledError)
    await first
    await own.run(task({}))
    expect(isStarted).toBe(false)
  })

  it('ends at its next call, and its thread goes on', async () => {
    const own = threads()
    const seen = new Set<object>()
    const input = (thread: object): Order => (seen.add(thread), { pieces: [20, 20] })
    const client = new AbortController()
    const effects = { next: () => client.abort() }
    await expect(own.run({ ...task({}, { effects, signal: client.signal }), input })).rejects.toBeInstanceOf(
      CancelledError,
    )
    await own.run({ ...task({}), input })
    expect(seen.size).toBe(1)
  })

  it('is given up with its thread where it computes on', async () => {
    const own = threads()
    await own.run(task({}))
    const client = new AbortController()
    const endless = own.run(task({ pieces: [60_000] }, { signal: client.signal }))
    setImmediate(() => client.abort())
    await expect(endless).rejects.toBeInstanceOf(CancelledError)
    expect(await own.run(task({ result: 'another thread' }))).toBe('another thread')
  })
})

it('a task whose client has gone does not keep a thread from others that began in it', async () => {
  const own = threads()
  const waiting = Promise.withResolvers<void>()
  const effects = { wait: () => waiting.promise }
  const other = own.run(task({ call: { effect: 'wait', argument: 0 } }, { effects, user: 'b' }))
  const refused = expect(other).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  await own.run(task({}))
  const client = new AbortController()
  const endless = own.run(task({ pieces: [60_000] }, { signal: client.signal }))
  setImmediate(() => client.abort())
  await expect(endless).rejects.toBeInstanceOf(CancelledError)
  await refused
  expect(await own.run(task({ result: 'another thread' }))).toBe('another thread')
})

it('a task that computes for too long is given up though its client waits, and others that began in its thread are sent again', async () => {
  const options = { program: PROGRAM, settings: undefined, most: 1, pieceMs: 60_000 }
  const own = new Threads(options)
  open.add(own)
  const waiting = Promise.withResolvers<void>()
  const effects = { wait: () => waiting.promise }
  const other = own.run(task({ call: { effect: 'wait', argument: 0 } }, { effects, user: 'b' }))
  const refused = expect(other).rejects.toMatchObject({ code: 503, details: { retryAfterSeconds: 1 } })
  await own.run(task({}))
  options.pieceMs = 50
  const endless = own.run(task({ pieces: [60_000] }))
  options.pieceMs = 60_000
  await expect(endless).rejects.toMatchObject({ reason: 'Timeout', code: 504 })
  await refused
  expect(await own.run(task({ result: 'another thread' }))).toBe('another thread')
})

describe('a thread that ends', () => {
  it('fails the task that it runs, has the others retried, and is replaced', async () => {
    const own = threads()
    const waiting = Promise.withResolvers<void>()
    const effects = { wait: () => waiting.promise }
    const other = own.run(task({ call: { effect: 'wait', argument: 0 } }, { effects, user: 'b' }))
    const refused = expect(other).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
    await own.run(task({}))
    await expect(own.run(task({ fail: 'exit' }))).rejects.toThrow('ended with code 3')
    await refused
    waiting.resolve()
    expect(await own.run(task({ result: 1 }))).toBe(1)
  })
})

it('ended threads cancel their tasks, and take no more', async () => {
  const own = threads()
  const running = own.run(task({ pieces: [60_000] }))
  const ended = expect(running).rejects.toBeInstanceOf(CancelledError)
  await own[Symbol.asyncDispose]()
  await ended
  await expect(own.run(task({}))).rejects.toBeInstanceOf(CancelledError)
})
