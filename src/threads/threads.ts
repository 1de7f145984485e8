// Worker threads for requests with much to compute, so that the event loop stays free for other requests. A request runs in one thread,
// piece by piece: a piece ends where the request calls the main thread. This pool decides whose piece a thread runs next. The user whose
// pieces took the least time goes first. Of the requests of that user, the smallest goes first. A piece cannot be interrupted, so short
// requests have a thread of their own and never wait for a long piece.
import type { Worker } from 'node:worker_threads'
import { ApiError } from '../api/status.ts'
import { CancelledError } from '../lib/errors.ts'
import { errorOf, failureOf, type FromThread, type ToThread } from './messages.ts'

/** The time that threads wait for another request. The start of a thread takes a third of a second. */
const IDLE_MS = 30_000
/** If a piece lasts this long after its client has gone, the thread is ended. */
const ABANDONED_MS = 1000
/** If other requests are in the thread, the pool waits this many times longer, because their clients would have to send them again. */
const DEADLINE = 10
/** If a piece lasts longer, the thread is ended, even though the client waits. */
const PIECE_MS = 30_000
/** The time that a thread waits for the answer to a call, before it runs a piece of another request. Most calls are answered at once. */
const PATIENCE_MS = 5
/** Requests that are estimated to take up to this time, in milliseconds, are short. */
const SHORT_MS = 300
const MAX_HEAP_MB = 1024
const MAX_YOUNG_MB = 48
/** The largest total cost of the requests of one user that a thread has begun and not finished, because their objects are in memory. */
const MOST_COST = 4000

export interface Task {
  /** The user of the request. */
  readonly user: string
  /** An estimate of the work, in milliseconds. */
  readonly cost: number
  /** The input for the thread. `thread` is the same object for the life of a thread. */
  input(thread: object): unknown
  /** The functions of the main thread that the request can call. */
  readonly effects?: Readonly<Record<string, (argument: never) => unknown>>
  readonly onNote?: (note: never) => void
  readonly signal: AbortSignal
}

export interface ThreadOptions {
  readonly program: URL
  /** The settings for every thread at its start. */
  readonly settings: unknown
  /** The largest number of threads for long requests. */
  readonly most: number
  readonly abandonedMs?: number
  readonly pieceMs?: number
  /** Called with the time that a thread has worked for a user. */
  readonly onSpent?: (user: string, milliseconds: number) => void
}

export class Threads implements AsyncDisposable {
  readonly #options: ThreadOptions
  readonly #threads = new Set<Thread>()
  readonly #users = new Map<string, UserRuns>()
  #lastId = 0
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** The number of requests that wait for a thread. */
  get waiting(): number {
    const isWaiting = (run: Run): boolean => run.isReady && run.thread?.running !== run
    return this.#users.values().reduce((sum, { runs }) => sum + [...runs].filter(isWaiting).length, 0)
  }

  /** Resolves to the result of the task. Throws the errors of the task, and `CancelledError` when its signal fires. */
  async run(task: Task): Promise<unknown> {
    const { signal } = task
    if (signal.aborted || this.#isClosed) throw new CancelledError(signal.reason)
    clearTimeout(this.#idle)
    const run = new Run(++this.#lastId, task)
    const giveUp = (): void => this.#abandon(run)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#userOf(task.user).runs.add(run)
    this.#dispatch()
    try {
      return await run.result.promise
    } finally {
      signal.removeEventListener('abort', giveUp)
      this.#forget(run)
      this.#dispatch()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const { runs } of this.#users.values()) for (const run of runs) run.result.reject(new CancelledError())
    await this.#endThreads()
  }

  /** The requests of a user. A new user goes first, by only a millisecond, and so gets no more time than the others. */
  #userOf(name: string): UserRuns {
    let user = this.#users.get(name)
    if (user === undefined) {
      const least = Math.min(...this.#users.values().map(({ usedMs }) => usedMs))
      user = { runs: new Set(), usedMs: Number.isFinite(least) ? least - 1 : 0 }
      this.#users.set(name, user)
    }
    return user
  }

  #forget(run: Run): void {
    const { user: name } = run.task
    const user = this.#users.get(name)
    user?.runs.delete(run)
    run.thread?.runs.delete(run)
    if (user?.runs.size === 0) this.#users.delete(name)
    if (this.#users.size === 0 && !this.#isClosed) {
      this.#idle = setTimeout(() => void this.#endThreads(), IDLE_MS).unref()
    }
  }

  /** Gives every thread without work its next piece. */
  #dispatch(): void {
    if (this.#isClosed) return
    for (const thread of this.#threads) if (isFree(thread)) this.#giveNext(thread)
    for (const lane of LANES) {
      const isWorkLeft = this.#next(lane, undefined) !== undefined
      const started = [...this.#threads].filter((thread) => thread.lane === lane).length
      if (isWorkLeft && started < (lane === 'short' ? 1 : this.#options.most)) this.#giveNext(this.#startThread(lane))
    }
  }

  #giveNext(thread: Thread): void {
    const run = this.#next(thread.lane, thread)
    if (run === undefined) return
    run.thread = thread
    thread.runs.add(run)
    thread.running = run
    thread.heldFor = undefined
    run.startedAt = performance.now()
    thread.worker.postMessage(run.takeMessage(thread), [])
    thread.deadline = setTimeout(() => this.#expire(thread, run), this.#options.pieceMs ?? PIECE_MS).unref()
  }

  #expire(thread: Thread, run: Run): void {
    run.result.reject(new ApiError('Timeout', 'the request takes longer to compute than the server allows'))
    void this.#end(thread)
  }

  /** The run whose piece the thread runs next: one that it has started, or a new one. Without a thread: a new one. */
  #next(lane: Lane, thread: Thread | undefined): Run | undefined {
    for (const { runs } of [...this.#users.values()].sort((a, b) => a.usedMs - b.usedMs)) {
      let started = 0
      for (const run of runs) if (run.thread === thread && thread !== undefined) started += run.task.cost
      let best: Run | undefined
      for (const run of runs) {
        const isNew = run.thread === undefined
        if (
          run.lane !== lane ||
          !run.isReady ||
          (isNew ? started > 0 && started + run.task.cost > MOST_COST : run.thread !== thread)
        )
          continue
        if (best === undefined || comesBefore(run, best)) best = run
      }
      if (best !== undefined) return best
    }
    return undefined
  }

  #startThread(lane: Lane): Thread {
    const { program, settings } = this.#options
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const worker = new Worker(program, {
      name: lane,
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    })
    worker.unref()
    const thread: Thread = {
      lane,
      worker,
      runs: new Set(),
      running: undefined,
      deadline: undefined,
      heldFor: undefined,
    }
    this.#threads.add(thread)
    worker.on('message', (message: FromThread) => this.#take(thread, message))
    worker.on('error', (error) => this.#lost(thread, error))
    worker.on('exit', (code) => this.#lost(thread, new Error(`a worker thread ended with code ${code}`)))
    return thread
  }

  #take(thread: Thread, message: FromThread): void {
    const run = thread.running
    if (run === undefined || run.id !== message.id) return
    clearTimeout(thread.deadline)
    thread.running = undefined
    const user = this.#users.get(run.task.user)
    const spentMs = performance.now() - run.startedAt
    if (user !== undefined) user.usedMs += spentMs
    this.#options.onSpent?.(run.task.user, spentMs)
    if (message.kind === 'call') this.#hold(thread, run)
    run.take(message, () => this.#dispatch())
    this.#dispatch()
  }

  #hold(thread: Thread, run: Run): void {
    thread.heldFor = run
    const giveUp = (): void => {
      if (thread.heldFor !== run) return
      thread.heldFor = undefined
      this.#dispatch()
    }
    setTimeout(giveUp, PATIENCE_MS).unref()
  }

  #abandon(run: Run): void {
    run.result.reject(new CancelledError(run.task.signal.reason))
    const { thread } = run
    if (thread === undefined) return
    thread.worker.postMessage({ kind: 'abort', id: run.id } satisfies ToThread, [])
    if (thread.running !== run) return
    const { abandonedMs = ABANDONED_MS } = this.#options
    const deadline = performance.now() + DEADLINE * abandonedMs
    const check = (): void => {
      if (thread.running !== run) return
      // Until the deadline, the other requests in the thread count more than the processor time of this request.
      if (thread.runs.size === 0 || performance.now() >= deadline) void this.#end(thread)
      else setTimeout(check, abandonedMs).unref()
    }
    setTimeout(check, abandonedMs).unref()
  }

  /** The requests of a thread end with it. */
  #lost(thread: Thread, error: unknown): void {
    clearTimeout(thread.deadline)
    if (!this.#threads.delete(thread)) return
    for (const run of thread.runs) run.result.reject(run === thread.running ? causeOf(error) : interrupted())
    this.#dispatch()
  }

  async #end(thread: Thread): Promise<void> {
    this.#lost(thread, new CancelledError())
    await thread.worker.terminate()
  }

  async #endThreads(): Promise<void> {
    clearTimeout(this.#idle)
    const threads = [...this.#threads]
    this.#threads.clear()
    await Promise.all(threads.map(({ worker }) => worker.terminate()))
  }
}

type Lane = 'short' | 'long'
const LANES: readonly Lane[] = ['short', 'long']

interface UserRuns {
  readonly runs: Set<Run>
  /** The time that threads have spent on this user's requests since the user appeared. */
  usedMs: number
}

interface Thread {
  readonly lane: Lane
  readonly worker: Worker
  /** The runs that the thread has started and not finished. */
  readonly runs: Set<Run>
  running: Run | undefined
  /** The timeout of the piece that is running. */
  deadline: NodeJS.Timeout | undefined
  /** The thread waits a short while for the answer to the call of this run. */
  heldFor: Run | undefined
}

function isFree({ running, heldFor }: Thread): boolean {
  return running === undefined && (heldFor === undefined || heldFor.isReady)
}

/** One task, from its start to its result. */
class Run {
  readonly id: number
  readonly task: Task
  readonly result = Promise.withResolvers<unknown>()
  thread: Thread | undefined
  startedAt = 0
  /** The next message to the thread. Undefined before the start, and while an effect is under way. */
  #message: ToThread | undefined
  #isWaiting = false
  /** The last error that was sent to the thread. */
  #sent: unknown

  constructor(id: number, task: Task) {
    this.id = id
    this.task = task
  }

  get lane(): Lane {
    return this.task.cost <= SHORT_MS ? 'short' : 'long'
  }

  /** Whether a thread can continue the run. */
  get isReady(): boolean {
    return !this.#isWaiting
  }

  takeMessage(thread: Thread): ToThread {
    const message = this.#message ?? { kind: 'start', id: this.id, input: this.task.input(thread) }
    this.#message = undefined
    this.#isWaiting = true
    return message
  }

  take(message: FromThread, onReady: () => void): void {
    for (const note of message.notes) this.task.onNote?.(note as never)
    switch (message.kind) {
      case 'done':
        return this.result.resolve(message.result)
      case 'failed':
        return this.result.reject(message.failure.kind === 'returned' ? this.#sent : errorOf(message.failure))
      case 'call':
        void this.#perform(message.effect, message.argument).then((answer) => {
          this.#message = answer
          this.#isWaiting = false
          onReady()
        })
    }
  }

  async #perform(effect: string, argument: unknown): Promise<ToThread> {
    const { id } = this
    try {
      return { kind: 'reply', id, value: await this.task.effects![effect]!(argument as never) }
    } catch (error) {
      this.#sent = error
      return { kind: 'refuse', id, failure: failureOf(error) }
    }
  }
}

/** The smaller run comes first. Of two equal runs, the run that has begun comes first. */
function comesBefore(one: Run, other: Run): boolean {
  if (one.task.cost !== other.task.cost) return one.task.cost < other.task.cost
  return one.thread !== undefined && other.thread === undefined
}

function causeOf(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return error
  const message = 'the request needs more memory than the server has for one request'
  return new ApiError('RequestEntityTooLarge', message, { cause: error })
}

function interrupted(): ApiError {
  return new ApiError('ServiceUnavailable', 'the server had to interrupt the request, please try again', {
    details: { retryAfterSeconds: 1 },
  })
}
