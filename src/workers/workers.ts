// Worker processes behind one address. Start here: `Workers`. The supervisor accepts connections and hands each to the worker with the
// fewest connections. So no connection is refused while a worker is replaced, and a stalled worker gets at most one connection. Measured
// with two workers, a connection takes 65 µs more processor time than a connection that the worker itself accepts. Its TLS handshake takes
// a millisecond. With SO_REUSEPORT there would be no such cost, but connections in a worker's queue are lost with the worker, and a stalled
// worker would still get its share. Node cannot hold a shared listening socket open without accepting from it.
import type { Socket } from 'node:net'
import { Backoff } from '../lib/backoff.ts'
import type { Log } from '../lib/log.ts'
import { MemoryKills } from './memory-kills.ts'
import { type RestartCause, WorkerMeasures } from './measures.ts'
import { type Ending, type Stage, WorkerProcess, type WorkerProcessOptions } from './worker-process.ts'

export type { Stage, WorkerProcess }

export interface WorkersOptions extends Pick<WorkerProcessOptions, 'program' | 'args' | 'onStderr' | 'onQuestion'> {
  readonly count: number
  /** The order for a worker at its start. */
  readonly orderFor: (name: string) => unknown
  /** The time without an answer after which a worker is replaced. */
  readonly stallMs: number
  /** The time that a worker may take to finish its requests. */
  readonly graceMs: () => number
  /** Called when a worker was started or is gone. */
  readonly onChange: () => void
  readonly log: Log
}

/** The place of a worker. When the worker is gone, another takes its place. */
interface Seat {
  readonly name: string
  worker: WorkerProcess | undefined
  /** The number of failures in a row. */
  failures: number
  readonly backoff: Backoff
}

const PING_EVERY_MS = 250
/**
 * The time that connections wait for a ready worker. A worker that is not ready answers 503 with Retry-After, and some clients do not
 * retry. Most clients wait for ten seconds.
 */
const HOLD_MS = 8_000
/** When this many connections wait, further ones are refused. */
const LONGEST_LINE = 4096
/** The time that a worker may take to load the stored objects. */
const START_WITHIN_MS = 300_000
/** A worker that lived this long did not fail at its start. */
const SOUND_AFTER_MS = 10_000
const RESTART_BACKOFF = Object.freeze({ firstMs: 500, longestMs: 30_000 })

export class Workers {
  readonly measures = new WorkerMeasures()
  readonly #options: WorkersOptions
  readonly #seats: readonly Seat[]
  /** All workers that have not ended, also workers that have been replaced. */
  readonly #alive = new Set<WorkerProcess>()
  /**
   * A process that has loaded the code of a worker and waits for a place. It takes 36 MB of memory and 0.2 s of processor time. On two
   * cores with twenty busy processes, a dead worker was replaced after 0.8 to 1.5 s with it, and after 1.4 to 2.8 s without.
   */
  #spare: WorkerProcess | undefined
  /** Accepted connections that no worker can take yet. */
  #waiting: { readonly socket: Socket; readonly since: number }[] = []
  #pinging: NodeJS.Timeout | undefined
  readonly #life = new AbortController()
  /** Until this is set, `start` reports why a worker cannot start. After that, the log reports it. */
  #isStarted = false
  #replacing = Promise.resolve()
  readonly #memoryKills = new MemoryKills()
  #isReplacementDue = false

  /** Starts no process before `start`. */
  constructor(options: WorkersOptions) {
    this.#options = options
    this.#seats = Array.from({ length: options.count }, (_, i) => ({
      name: String(i + 1),
      worker: undefined,
      failures: 0,
      backoff: new Backoff(RESTART_BACKOFF),
    }))
  }

  /** All workers that have not ended. */
  get alive(): ReadonlySet<WorkerProcess> {
    return this.#alive
  }

  /** Resolves when all workers are ready. Throws an error of one line if one cannot start. Then call `stop` to end the others. */
  async start(): Promise<void> {
    this.#ping(performance.now())
    const starting = this.#seats.map((seat) => {
      seat.worker = this.#launch(seat)
      return seat.worker.ready
    })
    await Promise.all(starting)
    this.#isStarted = true
    for (const seat of this.#seats) this.#keep(seat)
    this.#prepareSpare()
  }

  /** Takes a connection that was accepted and not read from. */
  give(socket: Socket): void {
    socket.on('error', () => {})
    if (this.#waiting.length >= LONGEST_LINE) return void socket.destroy()
    this.#waiting.push({ socket, since: performance.now() })
    this.#distribute()
  }

  tellAll(news: unknown): void {
    for (const worker of this.#alive) worker.tell(news)
  }

  /**
   * Replaces the workers one by one: a new one starts, and when it is ready the old one finishes its requests. Resolves when all are
   * replaced.
   */
  replaceAll(): Promise<void> {
    if (this.#isReplacementDue) return this.#replacing
    this.#isReplacementDue = true
    this.#replacing = this.#replacing.then(() => {
      this.#isReplacementDue = false
      return this.#replaceEach()
    })
    return this.#replacing
  }

  /** Ends all workers. Resolves when all are gone. */
  async stop(): Promise<void> {
    clearTimeout(this.#pinging)
    this.#life.abort()
    this.#dropSpare()
    await Promise.all(Array.from(this.#alive, (worker) => worker.stop(true, this.#options.graceMs())))
    for (const { socket } of this.#waiting) socket.destroy()
  }

  /** Kills all workers at once, even in the middle of their work. */
  kill(): void {
    this.#dropSpare()
    for (const worker of this.#alive) worker.kill('the supervisor ends')
  }

  #launch(seat: Seat): WorkerProcess {
    const { name } = seat
    const order = this.#options.orderFor(name)
    const worker = this.#spare ?? this.#fork([])
    this.#spare = undefined
    worker.begin(name, order)
    this.#alive.add(worker)
    this.#options.onChange()
    const late = setTimeout(() => worker.killLate(), START_WITHIN_MS)
    void worker.ready.catch(() => {}).then(() => clearTimeout(late))
    void worker.ended.then((ending) => this.#onEnd(worker, ending))
    void worker.ready.then(
      () => this.#prepareSpare(),
      () => {},
    )
    return worker
  }

  #fork(more: readonly string[]): WorkerProcess {
    const { program, args, onStderr, onQuestion } = this.#options
    const onFree = (): void => this.#distribute()
    return new WorkerProcess({ program, args: [...args, ...more], onStderr, onQuestion, onFree })
  }

  #prepareSpare(): void {
    if (!this.#isStarted || this.#life.signal.aborted || this.#spare !== undefined) return
    const spare = this.#fork(['spare'])
    this.#spare = spare
    // If the spare process ends, the next worker that becomes ready has another one started.
    void spare.ended.then(() => {
      if (this.#spare === spare) this.#spare = undefined
    })
  }

  #dropSpare(): void {
    this.#spare?.kill('it is not needed')
    this.#spare = undefined
  }

  #onEnd(worker: WorkerProcess, ending: Ending): void {
    const { log, onChange } = this.#options
    const { name, killedFor, failure, callStack } = worker
    this.#alive.delete(worker)
    onChange()
    if (ending.code !== 0 && this.#isStarted) {
      const { code, signal, lastWords } = ending
      const why = failure ?? killedFor
      const known = { ...(why === undefined ? {} : { why }), ...(callStack === undefined ? {} : { callStack }) }
      log.error({ worker: name, code, signal, ...known, lastWords }, 'a worker ended')
    }
    const socket = worker.takeBack()
    if (socket !== undefined) this.#waiting.unshift({ socket, since: performance.now() })
    this.#distribute()
  }

  /** Starts another worker for the seat whenever its worker is gone, until everything stops. */
  #keep(seat: Seat): void {
    const { worker } = seat
    void worker?.ended.then(async (ending) => {
      if (seat.worker !== worker || this.#life.signal.aborted) return
      this.measures.restarts.of(this.#causeOf(worker, ending)).value++
      this.measures.miss(worker.hasStalled ? worker.unansweredMs : 0)
      const isSound = worker.ageMs > SOUND_AFTER_MS
      seat.failures = isSound ? 0 : seat.failures + 1
      seat.worker = undefined
      if (isSound) seat.backoff.reset()
      const { log } = this.#options
      const { name } = seat
      let next: WorkerProcess | undefined
      // After the first failure, which may have been chance, the next worker starts at once.
      for (let waits = seat.failures > 1; next === undefined; waits = true) {
        if (waits) await seat.backoff.wait(this.#life.signal).catch(() => {})
        // `replaceAll` may have filled the seat meanwhile.
        if (this.#life.signal.aborted || seat.worker !== undefined) return
        try {
          next = this.#launch(seat)
        } catch (error) {
          log.error({ worker: name, err: error }, 'could not start another worker; trying again')
        }
      }
      seat.worker = next
      this.#keep(seat)
      await next.ready.then(
        () => {
          this.#countComplete()
          log.info({ worker: name, milliseconds: Math.round(next.ageMs) }, 'another worker has taken its place')
        },
        // The code that waits for its end reports the failure.
        () => {},
      )
    })
  }

  #causeOf(worker: WorkerProcess, ending: Ending): RestartCause {
    // Called for every end of a worker, because each call compares its count with that of the last call.
    const wasMemory = this.#memoryKills.wasOne(ending)
    return worker.hasStalled ? 'stall' : wasMemory ? 'out_of_memory' : 'crash'
  }

  #countComplete(): void {
    if (this.#seats.every(({ worker }) => worker?.stage === 'ready')) this.measures.complete()
  }

  /** Never throws: a fault ends this round of replacements, and not the later ones. */
  async #replaceEach(): Promise<void> {
    const { log, graceMs } = this.#options
    for (const seat of this.#seats) {
      if (this.#life.signal.aborted) return
      try {
        // The files that the spare process has loaded may have been replaced meanwhile.
        this.#dropSpare()
        const next = this.#launch(seat)
        await next.ready
        const old = seat.worker
        seat.worker = next
        this.#keep(seat)
        this.#countComplete()
        await old?.stop(false, graceMs())
      } catch (error) {
        log.error({ worker: seat.name, err: error }, 'could not replace a worker; keeping the previous ones')
        return
      }
      this.measures.restarts.of('reload').value++
      log.info({ worker: seat.name }, 'replaced a worker')
    }
  }

  #distribute(): void {
    while (this.#waiting.length > 0) {
      const { socket, since } = this.#waiting[0]!
      // While the server itself starts, connections do not wait for a ready worker: probes must learn that it starts.
      const isHeld = this.#isStarted && performance.now() - since < HOLD_MS
      const next = this.#next(isHeld)
      if (next === undefined) return
      this.#waiting.shift()
      next.give(socket)
    }
  }

  /** The worker that gets the next connection. Undefined: no worker can take one. */
  #next(mustBeReady: boolean): WorkerProcess | undefined {
    const taking = [...this.#alive].filter(({ takesConnections }) => takesConnections)
    const ready = taking.filter(({ stage }) => stage === 'ready')
    const able = ready.length > 0 || mustBeReady ? ready : taking
    const quick = able.filter(({ isSlow }) => !isSlow)
    const free = (quick.length > 0 ? quick : able).filter(({ isFree }) => isFree)
    return free.reduce<WorkerProcess | undefined>(
      (least, worker) => (least === undefined || worker.connections < least.connections ? worker : least),
      undefined,
    )
  }

  /** Checks the health of all workers at intervals, and ends workers that have not answered for too long. */
  #ping(lastAt: number): void {
    const now = performance.now()
    const wasHeldUp = now - lastAt > 2 * PING_EVERY_MS
    for (const worker of this.#alive) {
      if (wasHeldUp) worker.forgiveSilence()
      else if (worker.stage !== 'starting' && worker.unansweredMs > this.#options.stallMs) {
        void worker.killStalled()
      }
      worker.ping()
    }
    this.#distribute()
    this.#pinging = setTimeout(() => this.#ping(now), PING_EVERY_MS)
  }
}
