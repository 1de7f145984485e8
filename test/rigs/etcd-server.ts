// Real etcd members as child processes on random ports, with their data in temporary folders: each can be killed, frozen and
// started again, and goes without a trace when it is disposed of.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type EtcdLine, etcdEnvironment, findEtcd } from './etcd-binary.ts'
import { buildEtcdProgram } from './etcd-programs.ts'
import { type EtcdCertificates, makeEtcdCertificates } from '../fakes/etcd-tls.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

export interface EtcdServerOptions {
  /** Absent: `newest`. */
  readonly line?: EtcdLine
  /** `server`: only the server shows a certificate; `mutual`: clients must too. Absent: plain text. */
  readonly tls?: 'server' | 'mutual'
  /** Authentication is on, and this is the password of its user `root`. Plain text only. */
  readonly rootPassword?: string
  /** The file of a snapshot that it is restored from. One member only. */
  readonly snapshot?: string
  /** Further flags of etcd. */
  readonly flags?: readonly string[]
}

const START_LIMIT_MS = 30_000
const PORT_WAIT_MS = 200

/** Starts one and resolves when it serves clients. Throws with etcd's last words where it does not come up. */
export async function startEtcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  // One member never dials a peer: any free port will do.
  const [server] = await startMembers([{ name: 'test', url: 'http://127.0.0.1:0' }], options)
  if (options.rootPassword === undefined) return server!
  try {
    await enableAuthentication(server!.endpoint, options.rootPassword)
    return server!
  } catch (error) {
    await server![Symbol.asyncDispose]()
    throw error
  }
}

/** Three members of one cluster; resolves when all of them serve clients. */
export async function startEtcdCluster(options: EtcdServerOptions = {}): Promise<readonly EtcdServer[]> {
  const peers: Peer[] = []
  for (const name of ['a', 'b', 'c']) peers.push({ name, url: `http://127.0.0.1:${await freePort()}` })
  return startMembers(peers, options)
}

async function startMembers(peers: readonly Peer[], options: EtcdServerOptions): Promise<readonly EtcdServer[]> {
  const binary = await findEtcd(options.line ?? 'newest')
  const servers: EtcdServer[] = []
  for (const own of peers) {
    const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-etcd-'))
    const certificates = options.tls === undefined ? undefined : await makeEtcdCertificates(folder)
    if (options.snapshot !== undefined) await restoreSnapshot(options.snapshot, folder, own)
    servers.push(new EtcdServer(binary, { folder, port: await freePort(), peers, own, certificates, options }))
  }
  try {
    await Promise.all(servers.map((server) => server.start()))
    return servers
  } catch (error) {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    throw error
  }
}

async function restoreSnapshot(snapshot: string, folder: string, own: Peer): Promise<void> {
  await run(await buildEtcdProgram('etcdutl'), [
    'snapshot',
    'restore',
    snapshot,
    `--data-dir=${dataFolder(folder)}`,
    `--name=${own.name}`,
    `--initial-cluster=${own.name}=${own.url}`,
    `--initial-advertise-peer-urls=${own.url}`,
  ])
}

function dataFolder(folder: string): string {
  return join(folder, 'data')
}

/** A member, as the others know it. */
interface Peer {
  readonly name: string
  readonly url: string
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly peers: readonly Peer[]
  readonly own: Peer
  readonly certificates: EtcdCertificates | undefined
  readonly options: EtcdServerOptions
}

export class EtcdServer implements AsyncDisposable {
  readonly version: string
  /** `http://127.0.0.1:port`, or `https:`. The same after a restart. */
  readonly endpoint: string
  readonly port: number
  readonly certificates: EtcdCertificates | undefined
  readonly #path: string
  readonly #place: Place
  #child: ChildProcess | undefined

  /** While it runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  constructor(binary: { readonly path: string; readonly version: string }, place: Place) {
    this.#path = binary.path
    this.version = binary.version
    this.#place = place
    this.port = place.port
    this.certificates = place.certificates
    this.endpoint = `${place.certificates === undefined ? 'http' : 'https'}://127.0.0.1:${place.port}`
  }

  /** Starts it (again), on the same port and data; resolves when it serves clients. A port that somebody holds is waited for. */
  async start(): Promise<void> {
    const end = Date.now() + START_LIMIT_MS
    for (;;) {
      const failure = await this.#tryToStart(end - Date.now())
      if (failure === undefined) return
      if (Date.now() > end || !failure.includes('address already in use')) throw new Error(`etcd ${failure}`)
      await delay(PORT_WAIT_MS)
    }
  }

  /** What went wrong, with etcd's last words; undefined where it serves clients. */
  async #tryToStart(limitMs: number): Promise<string | undefined> {
    const child = spawn(this.#path, this.#flags(), { env: etcdEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    const endWithUs = () => child.kill('SIGKILL')
    process.once('exit', endWithUs)
    child.once('exit', () => process.off('exit', endWithUs))
    const last: string[] = []
    return new Promise<string | undefined>((resolve, reject) => {
      const give = (why: string) => resolve(`${why}: ${last.join('\n')}`)
      const timer = setTimeout(() => give('did not come up'), limitMs)
      createInterface({ input: child.stderr }).on('line', (line) => {
        last.push(line)
        if (last.length > 20) last.shift()
        if (!/serving client traffic (in)?securely/.test(line)) return
        clearTimeout(timer)
        resolve(undefined)
      })
      child.once('error', reject)
      // Its last words are read when its output is closed, which may be after its exit.
      child.once('close', (code, signal) => {
        clearTimeout(timer)
        give(`ended with ${code ?? signal}`)
      })
    })
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Asks it to stop, as an operator does; resolves when the process is gone. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** The process no longer runs but its sockets stay open, until `thaw`; resolves when all of its threads have stopped. */
  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP')
    const pid = this.#child?.pid
    if (pid === undefined || process.platform !== 'linux') return
    while (!(await isStopped(pid))) await setImmediate()
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#place.folder, { recursive: true, force: true })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await gone
  }

  #flags(): string[] {
    const { folder, peers, own, certificates, options } = this.#place
    const flags = [
      `--name=${own.name}`,
      `--data-dir=${dataFolder(folder)}`,
      `--listen-client-urls=${this.endpoint}`,
      `--advertise-client-urls=${this.endpoint}`,
      `--listen-peer-urls=${own.url}`,
      `--initial-advertise-peer-urls=${own.url}`,
      `--initial-cluster=${peers.map(({ name, url }) => `${name}=${url}`).join(',')}`,
      `--logger=zap`,
      `--log-outputs=stderr`,
      `--bcrypt-cost=4`,
      ...(options.flags ?? []),
    ]
    if (certificates === undefined) return flags
    flags.push(`--cert-file=${certificates.files.certificate}`, `--key-file=${certificates.files.key}`)
    if (options.tls === 'mutual') flags.push('--client-cert-auth', `--trusted-ca-file=${certificates.files.ca}`)
    return flags
  }
}

async function enableAuthentication(endpoint: string, password: string): Promise<void> {
  const steps: readonly (readonly [string, object])[] = [
    ['user/add', { name: 'root', password }],
    ['user/grant', { user: 'root', role: 'root' }],
    ['enable', {}],
  ]
  for (const [path, body] of steps) {
    const response = await fetch(`${endpoint}/v3/auth/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`auth/${path} answered ${response.status}: ${await response.text()}`)
  }
}

/** A stopped thread has the state T, the first word behind the program's name in brackets. */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`)
  const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')))
  return states.every((state) => state.slice(state.lastIndexOf(')')).startsWith(') T'))
}
