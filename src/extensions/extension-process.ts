// A process of an extension, from the server's side. It may read the extension's folder, and nothing else of the machine is open to it.
import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import path from 'node:path'
import type { Log } from '../lib/log.ts'
import type { Order, Report, Source } from './process.ts'
import type { Description } from './registration.ts'

export interface ExtensionSource {
  /** For the log: `owner.ts`. */
  readonly name: string
  /** The URL of the file, which is among the sources. */
  readonly entry: string
  readonly sources: readonly Source[]
  /** The folder that it may read, by all of its paths. */
  readonly folder: readonly string[]
  /** Whether it may use the network. */
  readonly network: boolean
}

const LOAD_WITHIN_MS = 30_000
const HEAP_MB = 128

/** The largest answer, as of a webhook: this much, or a few times what was asked. */
const ANSWER_BYTES = 16 * 1024 * 1024
const ANSWER_FACTOR = 4
/** A function that runs longer than this yields the processors to all others. */
const QUICK_MS = 100
const SLOW_PRIORITY = 10
/** What it prints is read a piece at a time, and the log gets the beginning of each. */
const PRINT_EVERY_MS = 100
const LOGGED_BYTES = 8192

const IS_SOURCE = import.meta.url.endsWith('.ts')
/** The code of ours that it loads. */
const CODE = path.resolve(import.meta.dirname, IS_SOURCE ? '..' : '.')
const PROGRAM = path.join(import.meta.dirname, IS_SOURCE ? 'process.ts' : 'extension-process.js')

type Streams = [orders: Writable, stdout: Readable, stderr: Readable, reports: Readable]

interface Asked {
  readonly resolve: (report: Report) => void
  readonly reject: (error: Error) => void
  /** Of the answer, in bytes. */
  readonly most: number
}

export class ExtensionProcess {
  readonly #source: ExtensionSource
  readonly #child: ChildProcess
  /** Resolves when it is gone. */
  readonly ended: Promise<void>
  #asked: Asked | undefined
  /** What has come of a report. */
  #pieces: Buffer[] = []
  #endedBy: Error | undefined
  #isAlive = true

  /** Inert until it is told to load something. */
  constructor(source: ExtensionSource, log: Log) {
    this.#source = source
    const { folder, name } = source
    const readable = [...folder, CODE].map((each) => `--allow-fs-read=${each}/`)
    // The process takes the right to start threads from itself, once it has the one that watches it.
    const flags = ['--permission', '--allow-worker', '--disable-warning=SecurityWarning', ...readable]
    this.#child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...flags, PROGRAM], {
      env: {},
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      // One that could not be started does not exit.
      this.#child.once('error', () => this.#child.pid === undefined && resolve())
    })
    // There are none where the server has too many files open.
    const [orders, stdout, stderr, reports] = (this.#child.stdio ?? []) as unknown as Partial<Streams>
    // Where writing fails the process ends, which is told.
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

  /** The functions that the extension adds. Throws what is wrong with it. */
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

  /** The answer of one of its functions; one at a time. Throws what the function throws, and where the process ends. */
  async call(index: number, review: string): Promise<string> {
    const slow = setTimeout(() => this.#yield(), QUICK_MS)
    try {
      const report = await this.#ask({ kind: 'call', index, review })
      return report.kind === 'answer' ? report.review : ''
    } finally {
      clearTimeout(slow)
    }
  }

  /** Ends it, whatever it does; a call under way fails with the error. Resolves when it is gone. */
  async end(error?: Error): Promise<void> {
    this.#endedBy ??= error
    this.#isAlive = false
    this.#child.kill('SIGKILL')
    await this.ended
  }

  /** For good: only a privileged server could take it back. */
  #yield(): void {
    try {
      if (this.#child.pid !== undefined) setPriority(this.#child.pid, SLOW_PRIORITY)
    } catch {
      // It has ended.
    }
  }

  async #ask(order: Order): Promise<Report> {
    const { promise, resolve, reject } = Promise.withResolvers<Report>()
    const line = `${JSON.stringify(order)}\n`
    this.#asked = { resolve, reject, most: Math.max(ANSWER_BYTES, ANSWER_FACTOR * line.length) }
    if (this.#isAlive) this.#child.stdin?.write(line)
    else reject(this.#endedBy ?? new Error('its process has ended'))
    const report = await promise
    if (report.kind !== 'fault') return report
    const error = new Error(report.message)
    if (report.stack !== undefined) error.stack = report.stack
    throw error
  }

  /** One line for each order. A process that says more has nothing more to say. */
  #onReport(piece: Buffer): void {
    const asked = this.#asked
    this.#pieces.push(piece)
    const length = this.#pieces.reduce((sum, each) => sum + each.length, 0)
    const unasked = new Error('its process sent a report that nobody asked for')
    if (asked === undefined) return void this.end(unasked)
    if (length > asked.most) return void this.end(new Error(`its answer is larger than ${asked.most} bytes`))
    const end = piece.indexOf('\n')
    if (end < 0) return
    try {
      const report = JSON.parse(Buffer.concat(this.#pieces.splice(0)).toString().split('\n', 1)[0]!) as Report
      this.#asked = undefined
      asked.resolve(report)
    } catch (error) {
      void this.end(new Error('its process sent a report that cannot be read', { cause: error }))
    }
    if (end < piece.length - 1) void this.end(unasked)
  }

  #onEnd(error: Error): void {
    this.#isAlive = false
    this.#endedBy ??= error
    this.#asked?.reject(this.#endedBy)
  }
}
