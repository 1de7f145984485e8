// A process of an extension, from the server's side.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Order, Report, Source } from './process.ts'
import type { Description } from './registration.ts'

export interface ExtensionSource {
  /** For the log: `owner.ts`. */
  readonly name: string
  /** The URL of the file, which is among the sources. */
  readonly entry: string
  readonly sources: readonly Source[]
}

const LOAD_WITHIN_MS = 30_000
const HEAP_MB = 128
/** All of a process: the heap, what is outside of it, and Node itself. */
const PROCESS_BYTES = 384 * 1024 * 1024

export class ExtensionProcess {
  readonly #child: ChildProcess
  /** Resolves when it is gone. */
  readonly ended: Promise<void>
  #asked: { readonly resolve: (report: Report) => void; readonly reject: (error: Error) => void } | undefined
  #endedBy: Error | undefined
  #isAlive = true

  /** Inert until it is told to load something. */
  constructor() {
    const program = import.meta.url.endsWith('.ts') ? './process.ts' : './extension-process.js'
    // What it prints goes where errors go: it is no output of the server's.
    this.#child = fork(fileURLToPath(new URL(program, import.meta.url)), {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 2, 2, 'ipc'],
      serialization: 'advanced',
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve())
      // One that could not be started does not exit.
      this.#child.once('error', () => this.#child.pid === undefined && resolve())
    })
    this.#child.on('message', (report: Report) => this.#asked?.resolve(report))
    this.#child.on('error', (error) => this.#onEnd(error))
    this.#child.on('exit', (code, signal) =>
      this.#onEnd(new Error(`its process ended with ${signal ?? `code ${code}`}`)),
    )
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** The functions that the extension adds. Throws what is wrong with it. */
  async load({ entry, sources }: ExtensionSource): Promise<readonly Description[]> {
    const late = new Error(`takes longer than ${LOAD_WITHIN_MS} ms to load`)
    const timer = setTimeout(() => void this.end(late), LOAD_WITHIN_MS)
    try {
      const report = await this.#ask({ kind: 'load', entry, sources, mostBytes: PROCESS_BYTES })
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
    const report = await this.#ask({ kind: 'call', index, review })
    return report.kind === 'answer' ? report.review : ''
  }

  /** Ends it, whatever it does; a call under way fails with the error. Resolves when it is gone. */
  async end(error?: Error): Promise<void> {
    this.#endedBy ??= error
    this.#isAlive = false
    this.#child.kill('SIGKILL')
    await this.ended
  }

  async #ask(order: Order): Promise<Report> {
    const { promise, resolve, reject } = Promise.withResolvers<Report>()
    this.#asked = { resolve, reject }
    if (!this.#isAlive) reject(this.#endedBy ?? new Error('its process has ended'))
    // Where that fails the process ends, which is told.
    else this.#child.send(order, () => {})
    const report = await promise
    this.#asked = undefined
    if (report.kind !== 'fault') return report
    const error = new Error(report.message)
    if (report.stack !== undefined) error.stack = report.stack
    throw error
  }

  #onEnd(error: Error): void {
    this.#isAlive = false
    this.#endedBy ??= error
    this.#asked?.reject(this.#endedBy)
  }
}
