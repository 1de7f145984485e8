// A whole server of a simulated world: the composition of the product, with its ways to etcd and from its clients through the world's
// network.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '../../src/config/config.ts'
import { type Log, SILENT_LOG } from '../../src/lib/log.ts'
import type { InProcessConnection } from '../../src/http/listener.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import type { EtcdCluster } from './etcd-cluster.ts'
import type { Process } from './loop.ts'
import type { Reachable } from './transport.ts'

const KEYS = path.join(path.dirname(fileURLToPath(import.meta.url)), 'keys')
/** Where the process of a server ends on its own account, its supervisor starts it again. */
const RESTART_MS = 500
/** How fast the clock of a machine goes. */
const RATES = [0.995, 1.005] as const

export interface ReplicaOptions {
  readonly flags?: readonly string[]
  readonly log?: Log
  /** Told when it ends on its own account. */
  readonly onEnd?: (why: string) => void
}

export class Replica implements Reachable {
  readonly name: string
  process: Process
  open: { readonly connection: InProcessConnection; readonly token: string } | undefined
  running: RunningServer | undefined
  isReady = false
  restarts = 0
  readonly #cluster: EtcdCluster
  readonly #flags: readonly string[]
  readonly #log: Log
  readonly #onEnd: (why: string) => void

  constructor(name: string, cluster: EtcdCluster, { flags = [], log = SILENT_LOG, onEnd = () => {} }: ReplicaOptions) {
    this.name = name
    this.#cluster = cluster
    this.#flags = flags
    this.#log = log
    this.#onEnd = onEnd
    this.process = cluster.loop.process(name)
  }

  /** Resolves when it is ready, or has ended. */
  async start(): Promise<void> {
    const { loop } = this.#cluster
    if (this.restarts > 0 && this.process.state !== 'dead') return
    this.process = loop.process(`${this.name}.${this.restarts++}`)
    const { process } = this
    process.rate = process.dice.between(...RATES)
    await loop.within(process, () => this.#start(process))
  }

  async #start(process: Process): Promise<void> {
    const { network, loop } = this.#cluster
    const endOf = (why: unknown): void => {
      if (this.process !== process || process.state === 'dead') return
      this.#onEnd(`${this.name} ended: ${String(why)}`)
      this.crash(false)
      loop.at(RESTART_MS, loop.host, () => void this.start())
    }
    try {
      const running = await startServer({
        config: await configOf(this.#cluster, this.#flags),
        log: this.#log,
        signal: new AbortController().signal,
        sharesProcess: true,
        links: {
          dial: (url, onRead) => network.dial(this.name, process, url.slice('unix:///'.length), onRead),
          sockets: { host: '127.0.0.1', port: 6443, take: () => {} },
        },
      })
      this.running = running
      this.open = { connection: running.connect(), token: running.adminToken }
      this.isReady = true
      running.failed.catch(endOf)
    } catch (error) {
      endOf(error)
    }
  }

  /** Everything of it that is not in etcd is gone. */
  crash(isSilent: boolean): void {
    const { loop, network } = this.#cluster
    loop.kill(this.process)
    network.leave(this.name, isSilent)
    this.open = undefined
    this.running = undefined
    this.isReady = false
  }
}

const configs = new Map<string, Promise<Config>>()

function configOf({ members }: EtcdCluster, flags: readonly string[]): Promise<Config> {
  const all = [
    `--etcd-servers=${members.map(({ name }) => `unix:///${name}`).join(',')}`,
    '--secure-port=6443',
    // Otherwise a run would depend on the addresses of this machine.
    '--advertise-address=192.0.2.1',
    `--tls-cert-file=${KEYS}/serving.crt`,
    `--tls-private-key-file=${KEYS}/serving.key`,
    `--service-account-signing-key-file=${KEYS}/accounts.key`,
    // Large writes are run in place: there are no threads.
    '--in-place-milliseconds=999999',
    '--plain-runtime',
    ...flags,
  ]
  const key = all.join(' ')
  const known = configs.get(key) ?? readConfig(all, {})
  configs.set(key, known)
  return known
}
