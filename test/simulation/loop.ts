// The one loop of a simulated world: it takes the earliest event, lets it happen in the process that it is for, drains microtasks and
// immediates, and goes on. Processes share the thread; each has its own clock, chance and fate. Invariant: nothing of a process that is
// dead runs again, and nothing of one that is frozen runs until it is thawed.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Dice } from './dice.ts'

const realSetImmediate = globalThis.setImmediate

export class Process {
  readonly loop: Loop
  readonly name: string
  readonly dice: Dice
  state: 'running' | 'frozen' | 'dead' = 'running'
  /** How far its time of day is from that of the world. */
  skewMs = 0
  /** How fast its clocks go. */
  rate = 1
  readonly held: Happening[] = []
  /** Of timers that are due at the same time, those of the lower rank come first. */
  readonly rank: number
  /** Runs it in this process. Its context is made once: `AsyncLocalStorage.run` would make it again for each event. */
  readonly run: <T>(act: () => T) => T

  constructor(loop: Loop, name: string, dice: Dice) {
    this.loop = loop
    this.name = name
    this.dice = dice
    this.rank = dice.next()
    this.run = processes.run(this, () => AsyncLocalStorage.snapshot())
  }
}

export interface Happening {
  atMs: number
  /** Of two at the same time, the lower one comes first. */
  tie: number
  readonly number: number
  readonly process: Process
  readonly act: () => void
  isOff: boolean
}

const processes = new AsyncLocalStorage<Process>()
let current: Loop | undefined

function begin(loop: Loop): void {
  current = loop
}

/** The loop of the running code. Undefined outside of worlds. Code of a world that has ended stays in it, where nothing happens any more. */
export function currentLoop(): Loop | undefined {
  return processes.getStore()?.loop ?? current
}

export function currentProcess(): Process | undefined {
  return processes.getStore() ?? current?.host
}

/** Ties of what comes before everything else that is due. */
const EARLIEST = 2 ** 40

/** A run has about 10,000 events. A world that does not end is a finding, too. */
const MOST_EVENTS = 60_000
/** Code that waits by turns of the event loop has time pass: after so many of them the next event happens. */
const SPIN_TURNS = 64

export class StuckError extends Error {
  override readonly name = 'StuckError'
}

export class Loop {
  readonly seed: string
  /** Whoever stands outside: the director of a run, and its clients' books. */
  readonly host: Process
  nowMs: number
  events = 0
  /** A number that any difference between two runs changes. */
  fingerprint = 0x811c9dc5
  readonly #processes: Process[] = []
  #numbers = 0
  #turns = 0
  #immediates = 0
  readonly #ties: Dice
  readonly #heap: Happening[] = []

  /** `nowMs`: when it begins. */
  constructor(seed: string, nowMs = 0) {
    this.seed = seed
    this.nowMs = nowMs
    this.host = this.process('host')
    this.#ties = new Dice(seed, 'ties')
  }

  process(name: string): Process {
    const process = new Process(this, name, new Dice(this.seed, name))
    this.#processes.push(process)
    return process
  }

  at(delayMs: number, process: Process, act: () => void): Happening {
    const happening = {
      atMs: this.nowMs + Math.max(0, delayMs),
      tie: this.#ties.next(),
      number: this.#numbers++,
      process,
      act,
      isOff: false,
    }
    push(this.#heap, happening)
    return happening
  }

  /** In the same process, what was asked for first happens first where both are due at the same time: so Node's timers do. */
  timer(delayMs: number, process: Process, act: () => void): Happening {
    const { rank: tie } = process
    const happening = { atMs: this.nowMs + delayMs, tie, number: this.#numbers++, process, act, isOff: false }
    push(this.#heap, happening)
    return happening
  }

  immediate(act: () => void): NodeJS.Immediate {
    const process = processes.getStore() ?? this.host
    this.#immediates++
    return realSetImmediate(() => {
      this.#immediates--
      if (process.state !== 'dead') act()
    })
  }

  immediateCleared(): void {
    this.#immediates--
  }

  within<T>(process: Process, act: () => T): T {
    return process.run(act)
  }

  kill(process: Process): void {
    process.state = 'dead'
    process.held.length = 0
  }

  freeze(process: Process): void {
    if (process.state === 'running') process.state = 'frozen'
  }

  thaw(process: Process): void {
    if (process.state !== 'frozen') return
    process.state = 'running'
    // All at once, in the order in which they came, before anything that comes now. A timer is still what its owner can call off.
    for (const [i, held] of process.held.splice(0).entries()) {
      push(this.#heap, Object.assign(held, { atMs: this.nowMs, tie: i - EARLIEST }))
    }
  }

  note(text: string): void {
    let hash = this.fingerprint
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    this.fingerprint = hash >>> 0
  }

  /** Until `main` is settled. */
  run<T>(main: () => Promise<T>): Promise<T> {
    if (current !== undefined) throw new Error('a world is running already')
    begin(this)
    return new Promise<T>((resolve, reject) => {
      let isOver = false
      const end = (settle: () => void): void => {
        isOver = true
        current = undefined
        for (const process of this.#processes) this.kill(process)
        this.#heap.length = 0
        settle()
      }
      this.within(this.host, main).then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      )
      const turn = (): void => {
        if (isOver) return
        try {
          if (this.#immediates === 0) this.#turns = 0
          if (this.#immediates === 0 || ++this.#turns % SPIN_TURNS === 0) this.#next()
        } catch (error) {
          return end(() => reject(error))
        }
        realSetImmediate(turn)
      }
      realSetImmediate(turn)
    })
  }

  #next(): void {
    for (;;) {
      const next = pop(this.#heap)
      if (next === undefined) throw new StuckError('nothing is due any more, and the world waits')
      const { process, act } = next
      if (next.isOff || process.state === 'dead') continue
      this.nowMs = Math.max(this.nowMs, next.atMs)
      if (process.state === 'frozen') {
        process.held.push(next)
        continue
      }
      if (++this.events > MOST_EVENTS) throw new StuckError('too many events')
      this.fingerprint = Math.imul(this.fingerprint ^ (next.number + Math.round(next.atMs * 1000)), 0x01000193) >>> 0
      process.run(act)
      return
    }
  }
}

function isBefore(one: Happening, other: Happening): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs
  return one.tie === other.tie ? one.number < other.number : one.tie < other.tie
}

function push(heap: Happening[], happening: Happening): void {
  let at = heap.push(happening) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(happening, heap[parent]!)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = happening
}

function pop(heap: Happening[]): Happening | undefined {
  const [first] = heap
  const last = heap.pop()
  if (first === last || last === undefined) return first
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) break
    const child = left + 1 < heap.length && isBefore(heap[left + 1]!, heap[left]!) ? left + 1 : left
    if (!isBefore(heap[child]!, last)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = last
  return first
}
