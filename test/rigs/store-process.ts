// `quarterdeck store serve` as its users run it: a process of its own that can be stopped, killed, frozen and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { COMMAND } from './command.ts'

export class StoreProcess implements AsyncDisposable {
  readonly #args: readonly string[]
  readonly #folder: string
  #endpoint = ''
  #child: ChildProcess | undefined

  private constructor(args: readonly string[], folder: string) {
    this.#args = args
    this.#folder = folder
  }

  /** Resolves when it listens; where nothing else is said, on a free port. Its data is gone when it is disposed of. */
  static async start(args: readonly string[] = []): Promise<StoreProcess> {
    const store = new StoreProcess(args, await mkdtemp(join(tmpdir(), 'quarterdeck-store-')))
    await store.start()
    return store
  }

  /** Where it listens; the same after a restart. */
  get endpoint(): string {
    return this.#endpoint
  }

  get port(): number {
    return Number(new URL(this.#endpoint).port)
  }

  /** Starts it (again), on the same address and data. */
  async start(): Promise<void> {
    const listen = this.#endpoint === '' ? 'http://127.0.0.1:0' : this.#endpoint
    const data = this.#args.includes('--in-memory') ? [] : [`--data-dir=${this.#folder}`]
    const first = [...data, `--listen-client-urls=${listen}`]
    // Of a flag that is given twice the last one counts.
    const again = this.#endpoint === '' ? [] : [`--listen-client-urls=${listen}`]
    const args = [COMMAND, 'store', 'serve', ...first, ...this.#args, ...again]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#child = child
    const endWithUs = (): void => void child.kill('SIGKILL')
    process.once('exit', endWithUs)
    child.once('exit', () => process.off('exit', endWithUs))
    for await (const line of createInterface({ input: child.stdout })) {
      this.#endpoint = /serves its store on (\S+)$/.exec(line)?.[1] ?? ''
      if (this.#endpoint !== '') return
    }
    throw new Error('the store did not start')
  }

  /** Asks it to stop, as an operator does; resolves with its exit code. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Its sockets stay open, until `thaw`. */
  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const gone = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    const [code] = (await gone) as [number | null]
    return code
  }
}
