// The side of a worker thread: runs requests, and calls the main thread for everything that has effects.
import { parentPort, threadName } from 'node:worker_threads'
import { CancelledError } from '../lib/errors.ts'
import { lowerThreadPriority } from '../lib/runtime/thread-priority.ts'
import { errorOf, type Failure, failureOf, type FromThread, type ToThread } from './messages.ts'

/** Threads have a higher niceness than the event loop, so it need not wait for them. Long requests yield to short ones in the same way. */
const SHORT_NICENESS = 5
const LONG_NICENESS = 10

/** The main thread, as one request sees it. */
export interface MainThread {
  /** Resolves to the result of the effect. Throws the errors of the effect. */
  call(effect: string, argument?: unknown): Promise<unknown>
  /** The main thread gets the note before the next call, and before the result. */
  note(note: unknown): void
  /** Fires when the client no longer waits for the answer. */
  readonly signal: AbortSignal
}

export type RunRequest = (input: unknown, main: MainThread) => Promise<unknown>

export function serveMainThread(run: RunRequest): void {
  const port = parentPort
  if (port === null) throw new Error('this is the main thread')
  lowerThreadPriority(threadName === 'short' ? SHORT_NICENESS : LONG_NICENESS)
  const underWay = new Map<number, RequestSide>()
  port.on('message', (message: ToThread) => {
    const { id } = message
    if (message.kind !== 'start') return underWay.get(id)?.take(message)
    const side = new RequestSide(id, (answer) => port.postMessage(answer, []))
    underWay.set(id, side)
    void side.run(run, message.input).finally(() => underWay.delete(id))
  })
}

class RequestSide implements MainThread {
  readonly #id: number
  readonly #post: (message: FromThread) => void
  readonly #abort = new AbortController()
  #notes: unknown[] = []
  #waiting: PromiseWithResolvers<unknown> | undefined
  /** The last error that the main thread sent. */
  #received: Error | undefined

  constructor(id: number, post: (message: FromThread) => void) {
    this.#id = id
    this.#post = post
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  async run(run: RunRequest, input: unknown): Promise<void> {
    try {
      this.#send({ kind: 'done', result: await run(input, this) })
    } catch (error) {
      this.#send({ kind: 'failed', failure: this.#failureOf(error) })
    }
  }

  call(effect: string, argument?: unknown): Promise<unknown> {
    this.#waiting = Promise.withResolvers()
    if (this.signal.aborted) this.#waiting.reject(this.signal.reason)
    else this.#send({ kind: 'call', effect, argument })
    return this.#waiting.promise
  }

  note(note: unknown): void {
    this.#notes.push(note)
  }

  take(message: Exclude<ToThread, { readonly kind: 'start' }>): void {
    switch (message.kind) {
      case 'reply':
        return this.#waiting?.resolve(message.value)
      case 'refuse':
        this.#received = errorOf(message.failure)
        return this.#waiting?.reject(this.#received)
      case 'abort':
        this.#abort.abort(new CancelledError())
        this.#waiting?.reject(this.signal.reason)
    }
  }

  #failureOf(error: unknown): Failure {
    return error === this.#received ? { kind: 'returned' } : failureOf(error)
  }

  #send(message: WithoutHead<FromThread>): void {
    const notes = this.#notes
    this.#notes = []
    this.#post({ id: this.#id, notes, ...message })
  }
}

type WithoutHead<T> = T extends FromThread ? Omit<T, 'id' | 'notes'> : never
