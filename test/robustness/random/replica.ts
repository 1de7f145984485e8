// A replica of the server with workers, as a process that can be killed, frozen and started again, with a proxy before each member of
// etcd that it speaks to, and one before itself.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EtcdServer } from '../../rigs/etcd-server.ts'
import { freePort } from '../../rigs/free-port.ts'
import { ServerProcess } from '../../rigs/server-process.ts'
import { startTcpProxy, type TcpProxy } from '../../fakes/tcp-proxy.ts'
import { workerPids } from '../../rigs/worker-pids.ts'
import { Connection } from './connection.ts'
import type { MovedClock } from './moved-clock.ts'

const POLL_MS = 20
const START_LIMIT_MS = 60_000
/** A worker that stalls for longer is replaced; on a busy machine one that starts may need some seconds. */
const STALL_TIMEOUT = '8s'

export interface ReplicaOptions {
  readonly members: readonly EtcdServer[]
  readonly tokenFile: string
  readonly token: string
  readonly workers: number
  readonly clock: MovedClock | undefined
}

export class Replica implements AsyncDisposable {
  readonly toStore: readonly TcpProxy[]
  readonly toClients: TcpProxy
  readonly clock: MovedClock | undefined
  readonly #options: ReplicaOptions
  readonly #home: string
  readonly #port: number
  #process: ServerProcess | undefined
  #frozen: readonly number[] = []

  private constructor(
    options: ReplicaOptions,
    place: { home: string; port: number; toStore: readonly TcpProxy[]; toClients: TcpProxy },
  ) {
    this.#options = options
    this.clock = options.clock
    this.#home = place.home
    this.#port = place.port
    this.toStore = place.toStore
    this.toClients = place.toClients
  }

  /** It is started by `start`. */
  static async prepare(options: ReplicaOptions): Promise<Replica> {
    const home = await mkdtemp(path.join(tmpdir(), 'quarterdeck-robustness-'))
    const port = await freePort()
    const toStore = await Promise.all(options.members.map((member) => startTcpProxy(member.port)))
    return new Replica(options, { home, port, toStore, toClients: await startTcpProxy(port) })
  }

  /** Where clients reach it. */
  get url(): string {
    return `https://127.0.0.1:${this.toClients.port}`
  }

  /** None where one ends at this moment. */
  get workers(): readonly number[] {
    try {
      return this.#process === undefined ? [] : workerPids(this.#process)
    } catch {
      return []
    }
  }

  /** Resolves when it says that it listens. */
  async start(): Promise<void> {
    const flags = [
      `--secure-port=${this.#port}`,
      `--etcd-servers=${this.toStore.map(({ endpoint }) => endpoint).join(',')}`,
      `--token-auth-file=${this.#options.tokenFile}`,
      `--workers=${this.#options.workers}`,
      `--worker-stall-timeout=${STALL_TIMEOUT}`,
      '--etcd-compaction-interval=0',
      '--log-level=error',
    ]
    const caches = path.join(tmpdir(), 'quarterdeck-test-cache')
    const environment = { XDG_CACHE_HOME: caches, ...this.clock?.environment }
    const started = new ServerProcess(['serve', ...flags], this.#home, environment)
    const endWithUs = (): boolean => started.child.kill('SIGKILL')
    process.once('exit', endWithUs)
    started.child.once('exit', () => process.off('exit', endWithUs))
    this.#process = started
    await started.listening()
  }

  /** Resolves when it says that it is ready, with all of its workers. */
  async untilReady(): Promise<void> {
    const end = performance.now() + START_LIMIT_MS
    const connection = new Connection({ url: `https://127.0.0.1:${this.#port}`, token: this.#options.token }, 'http1')
    try {
      for (;;) {
        const answer = await connection.ask({ method: 'GET', path: '/readyz' }, 2_000).catch(() => undefined)
        if (answer?.status === 200 && this.workers.length === this.#options.workers) return
        if (performance.now() > end) throw new Error(`a replica is not ready: ${answer?.body} ${this.#process?.stderr}`)
        await delay(POLL_MS)
      }
    } finally {
      connection.close()
    }
  }

  /** SIGKILL, of all of it, as when a machine goes, or of its supervisor, which the workers notice; resolves when that is gone. */
  async kill(what: 'all' | 'supervisor' = 'all'): Promise<void> {
    const processes = await this.#processes()
    for (const pid of what === 'all' ? processes : processes.slice(0, 1)) signal(pid, 'SIGKILL')
    await this.#process?.exited
  }

  /** As an operator does. */
  async stop(): Promise<void> {
    await this.#process?.stop('SIGTERM')
  }

  /** None of it runs any more, and its connections stay open. */
  async freeze(): Promise<void> {
    this.#frozen = await this.#processes()
    for (const pid of this.#frozen) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#frozen.toReversed()) signal(pid, 'SIGCONT')
    this.#frozen = []
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw()
    await this.kill()
    for (const proxy of [...this.toStore, this.toClients]) await proxy[Symbol.asyncDispose]()
    await rm(this.#home, { recursive: true, force: true })
  }

  /** The supervisor first: it would replace a worker that ends. */
  async #processes(): Promise<readonly number[]> {
    const pid = this.#process?.child.pid
    if (pid === undefined || this.#process?.child.exitCode !== null) return []
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    return [pid, ...children.trim().split(/\s+/).filter(Boolean).map(Number)]
  }
}

/** One that has ended meanwhile is left alone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone.
  }
}
