// A server in a process of its own that knows somebody who may do nothing, for attacks by those who have got as far as that.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { NOBODY_TOKEN } from '../fakes/hostile-client.ts'
import { loopMillisecondsOf, processorMillisecondsOf, residentBytesOf } from './process-measures.ts'
import { ServerProcess } from './server-process.ts'

export class NobodyServer implements AsyncDisposable {
  readonly server: ServerProcess
  readonly #home: string

  private constructor() {
    this.#home = mkdtempSync(path.join(tmpdir(), 'quarterdeck-nobody-'))
    const tokens = path.join(this.#home, 'tokens.csv')
    writeFileSync(tokens, `${NOBODY_TOKEN},nobody,nobody\n`)
    const args = ['serve', '--in-memory', '--secure-port', '0', '--token-auth-file', tokens]
    this.server = new ServerProcess(args, this.#home, {})
  }

  static async start(): Promise<NobodyServer> {
    const started = new NobodyServer()
    await started.server.listening()
    return started
  }

  get url(): string {
    return this.server.url
  }

  /** So far. */
  get processorMilliseconds(): number {
    return processorMillisecondsOf(this.server.child.pid)
  }

  /** So far, of the event loop alone. */
  get loopMilliseconds(): number {
    return loopMillisecondsOf(this.server.child.pid)
  }

  get residentBytes(): number {
    return residentBytesOf(this.server.child.pid)
  }

  async isWell(): Promise<boolean> {
    return (await this.server.request('/readyz')).body === 'ok'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop('SIGKILL')
    rmSync(this.#home, { recursive: true, force: true })
  }
}
