// To be loaded before anything else (`node --import`): the clocks, timers and chance of this process are those of the world that runs in
// it, and the system's where none does. With PLANT, a bug is planted in the sources as they are loaded.
import crypto from 'node:crypto'
import type NodeFs from 'node:fs'
import type NodeHooks from 'node:perf_hooks'
import { createRequire, registerHooks, syncBuiltinESMExports } from 'node:module'
import { currentLoop, currentProcess, type Happening, type Loop } from './loop.ts'
import { plantedSource } from './planted.ts'

const load = createRequire(import.meta.url)
/** By the clocks of all processes: when a world begins. */
const BEGIN_MS = Date.UTC(2030, 0, 1)
/** A process has run for a while when a world begins. */
const UPTIME_MS = 1_000_000
const MEMORY_BYTES = 2 ** 27

const real = {
  Date,
  now: performance.now.bind(performance),
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  random: Math.random,
}

function monotonicMs(): number {
  const loop = currentLoop()
  return loop === undefined ? real.now() : UPTIME_MS + loop.nowMs * currentProcess()!.rate
}

function timeOfDay(): number {
  const loop = currentLoop()
  if (loop === undefined) return real.Date.now()
  const { rate, skewMs } = currentProcess()!
  return Math.floor(BEGIN_MS + loop.nowMs * rate + skewMs)
}

/** The common part of Node's timers and immediates. A world does not end with its last timer, so references count nothing. */
abstract class Scheduled {
  abstract close(): void

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

class VirtualTimer extends Scheduled {
  #happening: Happening | undefined
  readonly #delayMs: number
  readonly #isRepeated: boolean
  readonly #callback: () => void

  constructor(callback: () => void, delayMs: number, isRepeated: boolean) {
    super()
    this.#callback = callback
    // As Node: at least a millisecond, and what is too long is short.
    this.#delayMs = delayMs >= 1 && delayMs <= 2 ** 31 - 1 ? delayMs : 1
    this.#isRepeated = isRepeated
    this.refresh()
  }

  refresh(): this {
    this.close()
    const loop = currentLoop()
    if (loop === undefined) return this
    const process = currentProcess()!
    this.#happening = loop.timer(this.#delayMs / process.rate, process, () => {
      this.#happening = undefined
      if (this.#isRepeated) this.refresh()
      this.#callback()
    })
    return this
  }

  override close(): this {
    if (this.#happening !== undefined) this.#happening.isOff = true
    this.#happening = undefined
    return this
  }
}

type Callback = (...args: unknown[]) => void

class VirtualImmediate extends Scheduled {
  #waiting: NodeJS.Immediate | undefined
  readonly #loop: Loop

  constructor(loop: Loop, callback: () => void) {
    super()
    this.#loop = loop
    this.#waiting = loop.immediate(() => {
      this.#waiting = undefined
      callback()
    })
  }

  override close(): void {
    if (this.#waiting === undefined) return
    real.clearImmediate(this.#waiting)
    this.#waiting = undefined
    this.#loop.immediateCleared()
  }
}

const timers = {
  setTimeout(callback: Callback, delayMs = 1, ...args: unknown[]) {
    if (currentLoop() === undefined) return real.setTimeout(callback, delayMs, ...args)
    return new VirtualTimer(() => callback(...args), delayMs, false)
  },
  setInterval(callback: Callback, delayMs = 1, ...args: unknown[]) {
    if (currentLoop() === undefined) return real.setInterval(callback, delayMs, ...args)
    return new VirtualTimer(() => callback(...args), delayMs, true)
  },
  setImmediate(callback: Callback, ...args: unknown[]) {
    const loop = currentLoop()
    if (loop === undefined) return real.setImmediate(callback, ...args)
    return new VirtualImmediate(loop, () => callback(...args))
  },
  clearTimeout(timer: unknown) {
    if (timer instanceof VirtualTimer) timer.close()
    else real.clearTimeout(timer as NodeJS.Timeout)
  },
  clearInterval(timer: unknown) {
    timers.clearTimeout(timer)
  },
  clearImmediate(immediate: unknown) {
    if (immediate instanceof VirtualImmediate) immediate.close()
    else real.clearImmediate(immediate as NodeJS.Immediate)
  },
}

interface Waiting {
  readonly signal?: AbortSignal
}

function waitFor<T>(begin: (done: () => void) => () => void, value: T, { signal }: Waiting = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): Error => {
      const error = new Error('The operation was aborted', { cause: signal?.reason })
      return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
    }
    if (signal?.aborted === true) return reject(aborted())
    const onAbort = (): void => {
      cancel()
      reject(aborted())
    }
    const cancel = begin(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(value)
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

const promises = {
  setTimeout: <T>(delayMs?: number, value?: T, options?: Waiting) =>
    waitFor(
      (done) => {
        const timer = timers.setTimeout(done, delayMs)
        return () => timers.clearTimeout(timer)
      },
      value,
      options,
    ),
  setImmediate: <T>(value?: T, options?: Waiting) =>
    waitFor(
      (done) => {
        const immediate = timers.setImmediate(done)
        return () => timers.clearImmediate(immediate)
      },
      value,
      options,
    ),
  async *setInterval<T>(delayMs?: number, value?: T, options?: Waiting) {
    for (;;) yield await promises.setTimeout(delayMs, value, options)
  },
}

const VirtualDate = new Proxy(Date, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [timeOfDay()] : args, newTarget) as Date,
  apply: () => new real.Date(timeOfDay()).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? timeOfDay : (Reflect.get(target, name, receiver === VirtualDate ? target : receiver) as unknown),
})

function fill<T extends NodeJS.ArrayBufferView>(view: T): T {
  currentProcess()!.dice.draw(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return view
}

function uuid(): string {
  const bytes = fill(Buffer.alloc(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const ending = new AbortController()
  const onAbort = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
    ending.abort(signals.find(({ aborted }) => aborted)?.reason)
  }
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true })
  if (signals.some(({ aborted }) => aborted)) onAbort()
  return ending.signal
}

/** In a world the virtual one, outside of it the system's. */
function within<F extends (...args: never[]) => unknown>(virtual: F, system: F): F {
  return ((...args: Parameters<F>) => (currentLoop() === undefined ? system(...args) : virtual(...args))) as F
}

type Done<T> = (error: null, value: T) => void

function replaceChance(): void {
  const { randomBytes, randomFillSync, randomInt, randomUUID } = crypto
  Object.assign(crypto, {
    randomUUID: within(uuid as never, randomUUID),
    randomFillSync: within(fill as never, randomFillSync as never),
    randomBytes: within(
      ((size: number, done?: Done<Buffer>) => {
        const bytes = fill(Buffer.alloc(size))
        return done === undefined ? bytes : void timers.setImmediate(() => done(null, bytes))
      }) as never,
      randomBytes as never,
    ),
    randomInt: within(
      ((...args: (number | Done<number>)[]) => {
        const bounds = args.filter((one) => typeof one === 'number')
        const [least, limit] = bounds.length === 1 ? [0, bounds[0]!] : [bounds[0]!, bounds[1]!]
        const done = args.find((one) => typeof one === 'function')
        const drawn = least + Math.floor(currentProcess()!.dice.share() * (limit - least))
        return done === undefined ? drawn : void timers.setImmediate(() => done(null, drawn))
      }) as never,
      randomInt as never,
    ),
  })
  const { webcrypto } = crypto
  const system = webcrypto.getRandomValues.bind(webcrypto)
  Object.defineProperty(webcrypto, 'getRandomValues', { value: within(fill as never, system as never) })
  Object.defineProperty(webcrypto, 'randomUUID', { value: crypto.randomUUID })
  Math.random = () => currentProcess()?.dice.share() ?? real.random()
}

function replaceTime(): void {
  Object.assign(globalThis, timers, { Date: VirtualDate })
  Object.assign(load('node:timers'), timers)
  Object.assign(load('node:timers/promises'), promises)
  Object.defineProperty(performance, 'now', { value: monotonicMs })
  Object.defineProperty(performance, 'timeOrigin', { value: BEGIN_MS - UPTIME_MS })
  const usage = { user: 0, system: 0 }
  process.threadCpuUsage = within(() => usage, process.threadCpuUsage.bind(process))
  process.cpuUsage = within(() => usage, process.cpuUsage.bind(process))
  process.uptime = () => monotonicMs() / 1000
  AbortSignal.timeout = (delayMs: number) => {
    const ending = new AbortController()
    timers.setTimeout(() => {
      ending.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    }, delayMs)
    return ending.signal
  }
}

/** What the system would go on with after the world has ended, and keep all of the world for: nobody closes what a killed process has open. */
function replaceSystem(): void {
  const fs = load('node:fs') as typeof NodeFs
  const noChanges = { on: () => noChanges, close() {} }
  fs.watch = within((() => noChanges) as never, fs.watch)
  const hooks = load('node:perf_hooks') as typeof NodeHooks
  const noDelays = { enable: () => true, disable: () => true, reset() {}, max: 0 }
  hooks.monitorEventLoopDelay = within((() => noDelays) as never, hooks.monitorEventLoopDelay)
  process.memoryUsage.rss = within(() => MEMORY_BYTES, process.memoryUsage.rss.bind(process))
  // Node keeps such signals while they have listeners.
  AbortSignal.any = within(anySignal as never, AbortSignal.any.bind(AbortSignal))
}

replaceTime()
replaceChance()
replaceSystem()
syncBuiltinESMExports()

const plant = process.env['PLANT']
if (plant !== undefined) {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const source = plantedSource(plant, url, () => Buffer.from(loaded.source as Uint8Array).toString())
      return source === undefined ? loaded : { ...loaded, source }
    },
  })
}
