// A process of an extension, from the server's side. It may read the extension's folder and our code, and nothing else of the machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import path from 'node:path'
import { asMap } from '../api/members.ts'
import { isList, type Value } from '../api/value.ts'
import type { Log } from '../lib/log.ts'
import type { Order, Report, Source } from './process.ts'
import type { Description } from './registration.ts'

export interface ExtensionSource {
  /** The name in the log, which is the name of the extension's file. */
  readonly name: string
  /** The URL of the file, which is among the sources. */
  readonly entry: string
  readonly sources: readonly Source[]
  /** All paths of the folder that the process may read. */
  readonly folder: readonly string[]
  /** Whether the process may use the network. */
  readonly network: boolean
}

const LOAD_WITHIN_MS = 30_000
const HEAP_MB = 128
/** The limit for the descriptions of all functions of an extension. */
const DESCRIPTION_BYTES = 1024 * 1024
const MOST_FUNCTIONS = 256

/** The largest answer, as for webhooks: this many bytes, or a few times the size of the review. */
const ANSWER_BYTES = 16 * 1024 * 1024
const ANSWER_FACTOR = 4
/** A function that runs longer gets a lower priority than all other work. */
const QUICK_MS = 100
const SLOW_PRIORITY = 10
/** A process gets the same priority if it takes more processor time than its calls last, in threads or between calls. */
const LOOK_EVERY_MS = 1000
const BESIDE_CALLS_MS = 200
/** The server reads the output in pieces, with a pause after each. The log gets the beginning of each piece, and of each error. */
const PRINT_EVERY_MS = 100
const LOGGED_BYTES = 8192

const IS_SOURCE = import.meta.url.endsWith('.ts')
/** The folder of our code, which the process loads. */
const CODE = path.resolve(import.meta.dirname, IS_SOURCE ? '..' : '.')
const PROGRAM = path.join(import.meta.dirname, IS_SOURCE ? 'process.ts' : 'extension-process.js')

type Streams = [orders: Writable, stdout: Readable, stderr: Readable, reports: Readable]

interface Asked {
  readonly kind: Order['kind']
  readonly resolve: (report: Report) => void
  readonly reject: (error: Error) => void
  /** The largest answer in bytes. */
  readonly most: number
}

export class ExtensionProcess {
  readonly #source: ExtensionSource
  readonly #child: ChildProcess
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  #asked: Asked | undefined
  /** The beginning of the call, or the time up to which it is counted in `#answeringMs`. */
  #askedAt = 0
  /** The time spent in calls since the last look. */
  #answeringMs = 0
  #usedMs = 0
  readonly #log: Log
  /** The received bytes of a report, at the beginning of a buffer with room for more. */
  #received = Buffer.alloc(0)
  #length = 0
  #endedBy: Error | undefined
  #isAlive = true

  /** Starts a process, which does nothing before the first order. */
  constructor(source: ExtensionSource, log: Log) {
    this.#source = source
    this.#log = log
    const { folder, name } = source
    const readable = [...folder, CODE].map((each) => `--allow-fs-read=${each}/`)
    // The process starts its watchdog thread, and then drops the right to start threads.
    const warnings = ['--disable-warning=SecurityWarning', '--disable-warning=ExperimentalWarning']
    const flags = ['--permission', '--allow-worker', ...warnings, ...readable]
    this.#child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...flags, PROGRAM], {
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      // A process that could not be started does not exit.
      this.#child.once('error', () => this.#child.pid === undefined && resolve())
    })
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
    void this.ended.then(() => clearInterval(looking))
    // The streams are absent if the server has too many open files.
    const [orders, stdout, stderr, reports] = (this.#child.stdio ?? []) as unknown as Partial<Streams>
    // If writing fails, the process ends, and its end is reported.
    orders?.on('error', () => {})
    reports?.on('data', (piece: Buffer) => this.#onReport(piece))
    for (const output of [stdout, stderr]) {
      output?.on('data', (piece: Buffer) => {
        log.info({ extension: name, text: piece.toString('utf8', 0, LOGGED_BYTES) }, 'extension printed')
        output.pause()
        setTimeout(() => output.resume(), PRINT_EVERY_MS).unref()
      })
    }
    this.#child.on('error', (error) => this.#onEnd(error))
    this.#child.on('exit', (code, signal) =>
      this.#onEnd(new Error(`its process ended with ${signal ?? `code ${code}`}`)),
    )
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Loads the extension and returns its functions. Throws an error that says why it cannot be loaded. */
  async load(): Promise<readonly Description[]> {
    const { entry, sources, network } = this.#source
    const late = new Error(`takes longer than ${LOAD_WITHIN_MS} ms to load`)
    const timer = setTimeout(() => void this.end(late), LOAD_WITHIN_MS)
    try {
      const report = await this.#ask({ kind: 'load', entry, sources, network })
      return report.kind === 'loaded' ? report.descriptions : []
    } catch (error) {
      await this.end()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** The answer of a function. Only one call may be under way. Throws the function's error, or an error if the process ends. */
  async call(index: number, review: string): Promise<string> {
    const slow = setTimeout(() => this.#yield(), QUICK_MS)
    try {
      const report = await this.#ask({ kind: 'call', index, review })
      return report.kind === 'answer' ? report.review : ''
    } finally {
      clearTimeout(slow)
    }
  }

  /** Ends the process at once. A call under way fails with the error. Resolves when the process has ended. */
  async end(error?: Error): Promise<void> {
    this.#endedBy ??= error
    this.#isAlive = false
    this.#child.kill('SIGKILL')
    await this.ended
  }

  /** Lowers the priority for good: only a privileged server could raise it again. Later threads inherit it. */
  #yield(): void {
    try {
      for (const thread of threadsOf(this.#child.pid)) setPriority(thread, Math.max(SLOW_PRIORITY, getPriority(thread)))
    } catch {
      // The process has ended.
    }
  }

  #look(): void {
    this.#noteTime()
    const used = processorMs(this.#child.pid)
    if (used - this.#usedMs > this.#answeringMs + BESIDE_CALLS_MS) this.#yield()
    this.#usedMs = used
    this.#answeringMs = 0
  }

  #noteTime(): void {
    const now = performance.now()
    if (this.#asked !== undefined) this.#answeringMs += now - this.#askedAt
    this.#askedAt = now
  }

  async #ask(order: Order): Promise<Report> {
    const { promise, resolve, reject } = Promise.withResolvers<Report>()
    const line = `${JSON.stringify(order)}\n`
    const most = order.kind === 'load' ? DESCRIPTION_BYTES : Math.max(ANSWER_BYTES, ANSWER_FACTOR * line.length)
    this.#asked = { kind: order.kind, resolve, reject, most }
    this.#askedAt = performance.now()
    if (this.#isAlive) this.#child.stdin?.write(line)
    else reject(this.#endedBy ?? new Error('its process has ended'))
    const report = await promise
    if (report.kind !== 'fault') return report
    const error = new Error(report.message)
    if (report.stack !== undefined) error.stack = report.stack
    throw error
  }

  /** Expects one line for each order. Everything else ends the process. */
  #onReport(piece: Buffer): void {
    const asked = this.#asked
    if (!this.#isAlive) return
    if (asked === undefined) return this.#endUnasked()
    const length = this.#length + piece.length
    if (length > asked.most) return void this.end(new Error(`its answer is larger than ${asked.most} bytes`))
    if (length > this.#received.length) this.#received = Buffer.concat([this.#received], 2 * length)
    piece.copy(this.#received, this.#length)
    this.#length = length
    const end = piece.indexOf('\n')
    if (end < 0) return
    const line = this.#received.toString('utf8', 0, length - piece.length + end)
    this.#received = Buffer.alloc(0)
    this.#length = 0
    try {
      asked.resolve(readReport(line, asked.kind))
      this.#noteTime()
      this.#asked = undefined
    } catch (error) {
      const { message } = error as Error
      return void this.end(new Error(`its process sent a report that cannot be read: ${message}`, { cause: error }))
    }
    if (end < piece.length - 1) this.#endUnasked()
  }

  /** Ends the process, and logs the error here because no request fails with it. */
  #endUnasked(): void {
    const unasked = new Error('its process sent a report without being asked')
    this.#log.error({ err: unasked, extension: this.#source.name }, 'ended extension process')
    void this.end(unasked)
  }

  #onEnd(error: Error): void {
    this.#isAlive = false
    this.#endedBy ??= error
    this.#asked?.reject(this.#endedBy)
  }
}

/** The threads of a process. On systems other than Linux, they all share the priority of the process. Throws if the process has ended. */
function threadsOf(pid = 0): readonly number[] {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
}

/** The processor time of all threads, in milliseconds. 0: the system does not tell. */
function processorMs(pid = 0): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}

/** Throws if the text is not an answer to an order of the kind: any code of the extension may have written it. */
function readReport(line: string, kind: Order['kind']): Report {
  const { kind: said, message, stack, descriptions, review } = asMap(JSON.parse(line) as Value)
  if (said === 'fault' && typeof message === 'string') {
    const shown = typeof stack === 'string' ? stack.slice(0, LOGGED_BYTES) : undefined
    return { kind: said, message: message.slice(0, LOGGED_BYTES), stack: shown }
  }
  if (kind === 'call' && said === 'answer' && typeof review === 'string') return { kind: said, review }
  if (kind !== 'load' || said !== 'loaded' || !isList(descriptions)) throw new TypeError('it does not answer an order')
  if (descriptions.length > MOST_FUNCTIONS) throw new TypeError(`it has more than ${MOST_FUNCTIONS} functions`)
  // `register` checks the descriptions.
  return { kind: said, descriptions: descriptions.map((each) => asMap(each) as unknown as Description) }
}
