// A worker, from the supervisor's side. A connection belongs to the supervisor until the worker has confirmed it, and the worker confirms
// it before it reads. If the worker ends before that, its connection can be given to another worker.
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { inSources } from '../lib/source-places.ts'
import { callStackAt, DEBUGGER_FLAGS, DEBUGGER_SIGNAL, debuggerLine } from './call-stack.ts'
import { LastWords } from './last-words.ts'
import { type FromWorker, Questions, type ToWorker } from './messages.ts'
import { processState } from './process-state.ts'

export interface WorkerProcessOptions {
  /** The program for Node, and its arguments. */
  readonly program: string
  readonly args: readonly string[]
  /** Gets the standard error of the worker in whole lines. */
  readonly onStderr: (text: string) => void
  readonly onQuestion: (question: unknown, worker: WorkerProcess) => Promise<unknown>
  /** Called when the worker can take a connection. */
  readonly onFree: () => void
}

/** The stages from the start to the end. A `leaving` worker takes no more connections. */
export type Stage = 'starting' | 'listening' | 'ready' | 'leaving' | 'gone'

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines of its standard error, without a JSON log. */
  readonly lastWords: string
}

/** A worker that has not answered for this long gets no connection that another could take. */
const SLOW_MS = 100
/** The time to wait for the call stack of a stalled process. */
const CALL_STACK_WITHIN_MS = 5_000
/** The time to wait for the output of a process after its end. */
const READ_WITHIN_MS = 200

export class WorkerProcess {
  stage: Stage = 'starting'
  /** The reason why the supervisor killed the worker. Undefined: it did not. */
  killedFor: string | undefined
  /** Whether the supervisor killed the worker because it did not answer, or did not become ready in time. */
  hasStalled = false
  /** The innermost calls of a worker that was killed because it did not answer, if they are known. */
  callStack: readonly string[] | undefined
  /** The error that ended the start of the worker. */
  failure: string | undefined
  #name = ''
  #order: unknown
  #startedAt = performance.now()
  readonly ended: Promise<Ending>
  readonly #child: ChildProcess
  readonly #options: WorkerProcessOptions
  readonly #questions: Questions
  readonly #ready = Promise.withResolvers<void>()
  /** The address of the worker's debugger, once it is open. */
  readonly #debugger = Promise.withResolvers<string>()
  /** The connection that the worker was given and has not confirmed. */
  #given: Socket | undefined
  #connections = 0
  /** The time of the oldest ping or connection that the worker has not confirmed. */
  #unansweredSince: number | undefined

  constructor(options: WorkerProcessOptions) {
    this.#options = options
    this.#child = fork(options.program, options.args, {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      execArgv: [...process.execArgv, ...DEBUGGER_FLAGS],
    })
    this.#questions = new Questions(
      (message) => this.#send(message),
      (question) => options.onQuestion(question, this),
    )
    this.#child.on('message', (message) => this.#receive(message as FromWorker))
    this.ended = this.#end()
    this.#ready.promise.catch(() => {})
  }

  /** Starts the work. Until then the process loads its code and waits. */
  begin(name: string, order: unknown): void {
    this.#name = name
    this.#order = order
    this.#startedAt = performance.now()
    this.#send({ kind: 'start', order })
  }

  /** The name of the worker's place. Empty until `begin` is called. */
  get name(): string {
    return this.#name
  }

  get order(): unknown {
    return this.#order
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The time since `begin` was called. */
  get ageMs(): number {
    return performance.now() - this.#startedAt
  }

  /** Resolves when the worker can answer all requests. Rejects if it ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get takesConnections(): boolean {
    return this.stage === 'ready' || this.stage === 'listening'
  }

  /** Whether the worker has confirmed its last connection. Only one at a time is unconfirmed, because a stalled worker may lose it. */
  get isFree(): boolean {
    return this.#given === undefined
  }

  get isSlow(): boolean {
    return this.unansweredMs > SLOW_MS
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections
  }

  /** The time for which the worker has not answered. */
  get unansweredMs(): number {
    return this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince
  }

  /** Call this only for a free worker. */
  give(socket: Socket): void {
    this.#given = socket
    this.#unansweredSince ??= performance.now()
    this.#child.send({ kind: 'socket' } satisfies ToWorker, socket, { keepOpen: true }, () => {})
  }

  ping(): void {
    this.#unansweredSince ??= performance.now()
    this.#send({ kind: 'ping' })
  }

  /** Ignores the silence of the worker: the supervisor itself was delayed. */
  forgiveSilence(): void {
    if (this.#unansweredSince !== undefined) this.#unansweredSince = performance.now()
  }

  tell(news: unknown): void {
    this.#send({ kind: 'news', news })
  }

  ask(question: unknown, withinMs: number): Promise<unknown> {
    return this.#questions.ask(question, withinMs)
  }

  /** Tells the worker to finish its requests. It is killed if that takes too long. Resolves when the process has ended. */
  async stop(isLast: boolean, withinMs: number): Promise<void> {
    // When all workers stop, each takes connections to the end.
    if (this.stage !== 'gone' && !isLast) this.stage = 'leaving'
    this.#send({ kind: 'stop', isLast })
    const timer = setTimeout(() => this.kill('it did not stop in time'), withinMs)
    await this.ended
    clearTimeout(timer)
  }

  /** Kills a worker that does not answer, after an attempt to read its call stack. */
  async killStalled(): Promise<void> {
    if (this.killedFor !== undefined) return
    const state = processState(this.pid)
    const what = state === undefined ? '' : `; ${state}`
    this.hasStalled = true
    this.killedFor = `it did not answer for ${Math.round(this.unansweredMs)} ms${what}`
    if (state !== 'it was stopped by a signal') this.callStack = await this.#findCallStack().catch(() => undefined)
    this.kill(this.killedFor)
  }

  /** Kills a worker that takes too long to become ready. */
  killLate(): void {
    this.hasStalled = true
    this.kill('it did not become ready in time')
  }

  kill(why: string): void {
    this.killedFor ??= why
    this.#child.kill('SIGKILL')
  }

  /** Removes and returns the connection that the worker was given and has not confirmed. */
  takeBack(): Socket | undefined {
    const given = this.#given
    this.#given = undefined
    return given
  }

  async #findCallStack(): Promise<readonly string[] | undefined> {
    const signal = AbortSignal.timeout(CALL_STACK_WITHIN_MS)
    const tooLate = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
    this.#child.kill(DEBUGGER_SIGNAL)
    const address = await Promise.race([this.#debugger.promise, tooLate])
    const lines = address === undefined ? undefined : await callStackAt(address, signal)
    return lines === undefined ? undefined : inSources(lines.join('\n')).split('\n')
  }

  #send(message: ToWorker): void {
    // A process that has ended gets no messages. Its end is reported elsewhere.
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case 'taken':
        // The worker has a copy of the connection, so this one is closed.
        this.takeBack()?.destroy()
        this.#heard(message.connections)
        return this.#options.onFree()
      case 'pong':
        return this.#heard(message.connections)
      case 'listening':
        if (this.stage === 'starting') this.stage = 'listening'
        return this.#options.onFree()
      case 'ready':
        if (this.stage !== 'leaving') this.stage = 'ready'
        this.#ready.resolve()
        return this.#options.onFree()
      case 'failed':
        this.failure = message.message
        return
      default:
        return this.#questions.receive(message)
    }
  }

  /** Whether the debugger wrote the line, even if another process opened the debugger. The address of the debugger must not be shown. */
  #isOfDebugger(line: string): boolean {
    const said = debuggerLine(line)
    if (said?.address !== undefined) this.#debugger.resolve(said.address)
    return said !== undefined
  }

  #heard(connections: number): void {
    this.#connections = connections
    this.#unansweredSince = undefined
  }

  async #end(): Promise<Ending> {
    const child = this.#child
    const words = new LastWords(this.#options.onStderr, (line) => this.#isOfDebugger(line))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => words.add(text))
    const ending = await new Promise<Pick<Ending, 'code' | 'signal'>>((resolve) => {
      child.once('error', (error) => {
        this.failure ??= error.message
        // A process that could not be started does not exit.
        if (child.pid === undefined) resolve({ code: null, signal: null })
      })
      // All its output has been read when its pipes are closed. But its own child processes may hold them open.
      child.once('close', (code, signal) => resolve({ code, signal }))
      child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), READ_WITHIN_MS))
    })
    words.end()
    this.stage = 'gone'
    const why = this.failure ?? this.killedFor ?? ending.signal ?? `exit code ${ending.code}`
    this.#questions.end(`worker ${this.name} ended: ${why}`)
    this.#ready.reject(new Error(why))
    return { ...ending, lastWords: words.text }
  }
}
