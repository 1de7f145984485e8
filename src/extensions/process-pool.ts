// The processes of one extension. A process answers one review at a time: a function that loops or takes too much memory fails its own
// request, and no other. Worker threads are no alternative: V8 ends the whole server if a thread takes much memory at once.
import { parseJsonText } from '../api/json-text.ts'
import type { Value } from '../api/value.ts'
import { CancelledError, throwIfCancelled } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { DEADLINE_TEXT, OutgoingCallError } from '../outgoing/failure.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import { ExtensionProcess, type ExtensionSource } from './extension-process.ts'
import { FAULT_TEXT } from './in-process.ts'
import type { Description } from './registration.ts'

/** The number of reviews that are answered at a time. Some endless loops do not keep other functions from running. */
const MOST_PROCESSES = 12
/** Another process is started only if a call has waited this long. Most calls take less. */
const PATIENCE_MS = 20
/** The longest wait of a call for a process. The time limit of the call begins after this wait. */
const MOST_WAITING_MS = 30_000
/** After this time, all idle processes but one end. */
const IDLE_MS = 10_000

interface Job {
  readonly index: number
  readonly review: string
  readonly timeoutMs: number
  /** Ends the wait for a process. */
  readonly timer: NodeJS.Timeout
  readonly resolve: (answer: Value) => void
  readonly reject: (error: Error) => void
}

export class ProcessPool {
  readonly #source: ExtensionSource
  readonly #log: Log
  readonly #waiting: Job[] = []
  /** All processes, including those that are starting. */
  readonly #all = new Set<ExtensionProcess>()
  #idle: ExtensionProcess[] = []
  #starting = 0
  #isRetired = false
  #growing: NodeJS.Timeout | undefined
  #shrinking: NodeJS.Timeout | undefined

  constructor(source: ExtensionSource, log: Log) {
    this.#source = source
    this.#log = log
  }

  /** Loads the extension and returns its functions. Throws an error that says why it cannot be loaded. */
  async open(): Promise<readonly Description[]> {
    const process = this.#newProcess()
    const descriptions = await process.load()
    this.#idle.push(process)
    return descriptions
  }

  /** Returns a function that answers reviews by the function with this index in the result of `open`. */
  answeredBy(index: number): ReviewFunction {
    return (review, timeoutMs, signal) => this.#answer({ index, review, timeoutMs }, signal)
  }

  /** Answers the waiting and the running calls, and then ends the processes. Resolves when all processes have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true
    this.#next()
    while (this.#all.size > 0) await Promise.all([...this.#all].map(({ ended }) => ended))
  }

  /** Fails all calls and ends at once. */
  async end(): Promise<void> {
    const stopping = new OutgoingCallError('broken', 'the server is stopping')
    while (this.#waiting.length > 0) this.#withdraw(this.#waiting[0]!, stopping)
    for (const process of this.#all) void process.end(stopping)
    await this.retire()
  }

  async #answer(asked: Pick<Job, 'index' | 'review' | 'timeoutMs'>, signal: AbortSignal): Promise<Value> {
    throwIfCancelled(signal)
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const timer = setTimeout(() => this.#withdraw(job, lateError()), MOST_WAITING_MS)
    const job: Job = { ...asked, resolve, reject, timer }
    // A call that has begun goes on until its deadline.
    const onAbort = (): void => this.#withdraw(job, new CancelledError(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(job)
    this.#next()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Rejects a job. A waiting job is not begun. */
  #withdraw(job: Job, error: Error): void {
    job.reject(error)
    const place = this.#waiting.indexOf(job)
    if (place < 0) return
    this.#waiting.splice(place, 1)
    clearTimeout(job.timer)
  }

  /** Gives waiting jobs to idle processes, and starts more processes if there are too few. */
  #next(): void {
    this.#idle = this.#idle.filter(({ isAlive }) => isAlive)
    clearTimeout(this.#shrinking)
    while (this.#waiting.length > 0 && this.#idle.length > 0) void this.#run(this.#idle.pop()!, this.#waiting.shift()!)
    if (this.#all.size === 0 && this.#waiting.length > 0) void this.#start()
    else if (this.#waiting.length > 0 && this.#growing === undefined) {
      this.#growing = setTimeout(() => this.#grow(), PATIENCE_MS).unref()
    }
    if (this.#isRetired && this.#waiting.length === 0) this.#keepIdle(0)
    else if (this.#idle.length > 1) this.#shrinking = setTimeout(() => this.#keepIdle(1), IDLE_MS).unref()
  }

  #grow(): void {
    this.#growing = undefined
    if (this.#starting < this.#waiting.length && this.#all.size < MOST_PROCESSES) void this.#start()
    this.#next()
  }

  #keepIdle(most: number): void {
    for (const process of this.#idle.splice(most)) void process.end()
  }

  async #run(process: ExtensionProcess, job: Job): Promise<void> {
    const onDeadline = (): void => {
      job.reject(lateError())
      void process.end(new Error(`took longer than ${Math.round(job.timeoutMs)} ms: its process was ended`))
    }
    clearTimeout(job.timer)
    let check: NodeJS.Immediate | undefined
    // Checks again after pending input: if the server was busy, the answer may have arrived.
    const timer = setTimeout(() => (check = setImmediate(onDeadline)), job.timeoutMs)
    try {
      job.resolve(parseJsonText(await process.call(job.index, job.review)))
    } catch (error) {
      this.#log.error({ err: error, extension: this.#source.name }, 'extension function failed')
      job.reject(new OutgoingCallError('broken', FAULT_TEXT, { cause: error }))
    }
    clearTimeout(timer)
    clearImmediate(check)
    this.#idle.push(process)
    this.#next()
    if (this.#all.size === 0 && !this.#isRetired) void this.#start()
  }

  #newProcess(): ExtensionProcess {
    const process = new ExtensionProcess(this.#source, this.#log)
    this.#all.add(process)
    void process.ended.then(() => this.#all.delete(process))
    return process
  }

  async #start(): Promise<void> {
    const process = this.#newProcess()
    this.#starting++
    try {
      await process.load()
      this.#idle.push(process)
    } catch (error) {
      this.#log.error({ err: error, extension: this.#source.name }, 'extension process failed to start')
      const broken = new OutgoingCallError('broken', FAULT_TEXT, { cause: error })
      // Waiting calls fail only if no other process is left to answer them.
      while (this.#all.size === 0 && this.#waiting.length > 0) this.#withdraw(this.#waiting[0]!, broken)
    }
    this.#starting--
    this.#next()
  }
}

function lateError(): OutgoingCallError {
  return new OutgoingCallError('deadline', DEADLINE_TEXT)
}
