// `quarterdeck store serve` as its users run it: a process of its own that can be stopped, killed and started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { COMMAND } from './command.ts'

export class StoreProcess {
  readonly child: ChildProcess
  /** Where it listens. */
  readonly url: string

  private constructor(child: ChildProcess, url: string) {
    this.child = child
    this.url = url
  }

  /** Resolves when it listens. */
  static async start(args: readonly string[]): Promise<StoreProcess> {
    const child = spawn(process.execPath, [COMMAND, 'store', 'serve', ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    const endWithUs = (): void => void child.kill('SIGKILL')
    process.once('exit', endWithUs)
    child.once('exit', () => process.off('exit', endWithUs))
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /serves its store on (\S+)$/.exec(line)?.[1]
      if (url !== undefined) return new StoreProcess(child, url)
    }
    throw new Error('the store did not start')
  }

  /** Resolves with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode
    this.child.kill(signal)
    const [code] = (await once(this.child, 'exit')) as [number | null]
    return code
  }
}
