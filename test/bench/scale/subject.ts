// A server that is measured, on an etcd of its own: this one or the reference, started with the same flags and spoken to in the same way.
// It can be stopped and started again on what is stored.
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ALLOCATION, COMMAND, YOUNG_HEAP } from '../../rigs/command.ts'
import type { EtcdLine } from '../../rigs/etcd-binary.ts'
import { type EtcdServer, startEtcd } from '../../rigs/etcd-server.ts'
import { freePort } from '../../rigs/free-port.ts'
import { buildReference, isReferenceBuilt } from '../../rigs/go-client.ts'
import { peakBytesOf, processorMillisecondsOf, residentBytesOf } from '../../rigs/process-measures.ts'
import { LoadClient } from './load-client.ts'

const TOKEN = 'scale-run-token'
const LOOK_EVERY_MS = 20
const START_LIMIT_MS = 900_000
/** The memory of a server has settled when it has not grown or shrunk by more than this for so long. */
const SETTLED_PART = 0.01
const SETTLED_MS = 8_000
const SETTLE_LIMIT_MS = 120_000
const LOOK_AT_MEMORY_MS = 500

/** A million objects are more than the two gigabytes that etcd takes by itself. */
const ETCD_FLAGS = ['--quota-backend-bytes=34359738368'] as const

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export interface Started {
  readonly readyMs: number
  readonly processorMs: number
}

export class Subject implements AsyncDisposable {
  readonly name: string
  readonly etcd: EtcdServer
  readonly #folder: string
  readonly #programOn: (port: number) => Program
  #child: ChildProcess | undefined
  #words = ''
  #port = 0

  constructor(name: string, place: { etcd: EtcdServer; folder: string }, programOn: (port: number) => Program) {
    this.name = name
    this.etcd = place.etcd
    this.#folder = place.folder
    this.#programOn = programOn
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** A connection of its own. */
  connect(): LoadClient {
    return new LoadClient(this.url, TOKEN)
  }

  /** What all of its threads have had. */
  processorMs(): number {
    return processorMillisecondsOf(this.#child?.pid)
  }

  residentMB(): number {
    return residentBytesOf(this.#child?.pid) / 1e6
  }

  etcdMB(): number {
    return residentBytesOf(this.etcd.pid) / 1e6
  }

  /** The most that it has had so far. */
  peakMB(): number {
    return peakBytesOf(this.#child?.pid) / 1e6
  }

  /** Until `/readyz` says so. */
  async start(): Promise<Started> {
    this.#port = await freePort()
    const { command, args, env } = this.#programOn(this.#port)
    const began = performance.now()
    const child = spawn(command, args, { env, cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    process.once('exit', this.#endWithUs)
    child.stderr.on('data', (chunk: Buffer) => (this.#words = (this.#words + chunk.toString()).slice(-4_000)))
    while (!(await isReady(this.url))) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended with ${child.exitCode}: ${this.#words}`)
      if (performance.now() - began > START_LIMIT_MS) throw new Error(`${this.name} did not come up: ${this.#words}`)
      await sleep(LOOK_EVERY_MS)
    }
    return { readyMs: performance.now() - began, processorMs: this.processorMs() }
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    process.off('exit', this.#endWithUs)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000)
    await exited
    clearTimeout(late)
  }

  /** In megabytes, when it no longer changes: both servers give memory back some time after they used it. */
  async settledMB(): Promise<number> {
    const limit = performance.now() + SETTLE_LIMIT_MS
    let last = this.residentMB()
    for (let since = performance.now(); performance.now() - since < SETTLED_MS && performance.now() < limit; ) {
      await sleep(LOOK_AT_MEMORY_MS)
      const now = this.residentMB()
      if (Math.abs(now - last) <= last * SETTLED_PART) continue
      last = now
      since = performance.now()
    }
    return this.residentMB()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.etcd[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  readonly #endWithUs = (): void => void this.#child?.kill('SIGKILL')
}

/** Ours, and the reference where it is wanted and built; none of them is started. */
export async function makeSubjects(withReference: boolean): Promise<readonly Subject[]> {
  const ours = await makeSubject('ours', (folder, etcd) => oursOn(folder, etcd))
  if (!withReference) return [ours]
  if (!(await isReferenceBuilt('kube-apiserver'))) {
    process.stdout.write('kube-apiserver is not built (make test-reference does that): without the reference\n')
    return [ours]
  }
  const binary = await buildReference('kube-apiserver')
  return [ours, await makeSubject('reference', (folder, etcd) => referenceOn(binary, folder, etcd))]
}

type ProgramMaker = (folder: string, etcd: string) => (port: number) => Program

/** This server on an etcd of that line. */
export function makeOurs(name: string, line: EtcdLine, flags: readonly string[]): Promise<Subject> {
  return makeSubject(name, (folder, etcd) => oursOn(folder, etcd, flags), line)
}

async function makeSubject(name: string, programOf: ProgramMaker, line: EtcdLine = 'newest'): Promise<Subject> {
  const etcd = await startEtcd({ line, flags: ETCD_FLAGS })
  const folder = mkdtempSync(path.join(tmpdir(), `quarterdeck-scale-${name}-`))
  writeFileSync(tokenFile(folder), `${TOKEN},scale,scale,system:masters\n`)
  return new Subject(name, { etcd, folder }, programOf(folder, etcd.endpoint))
}

function tokenFile(folder: string): string {
  return path.join(folder, 'tokens.csv')
}

/** Pods of nobody's account are created. */
function commonFlags(folder: string, etcd: string, port: number): readonly string[] {
  return [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--token-auth-file=${tokenFile(folder)}`,
    '--disable-admission-plugins=ServiceAccount',
  ]
}

function oursOn(folder: string, etcd: string, flags: readonly string[] = []): (port: number) => Program {
  const env = { PATH: process.env['PATH'], HOME: folder, ...ALLOCATION }
  return (port) => ({
    command: process.execPath,
    args: [YOUNG_HEAP, COMMAND, 'serve', ...commonFlags(folder, etcd, port), ...flags],
    env,
  })
}

function referenceOn(binary: string, folder: string, etcd: string): (port: number) => Program {
  const key = path.join(folder, 'service-account.key')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }))
  return (port) => ({
    command: binary,
    args: [
      ...commonFlags(folder, etcd, port),
      '--advertise-address=127.0.0.1',
      `--cert-dir=${folder}`,
      '--authorization-mode=Node,RBAC',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`,
      '--service-cluster-ip-range=10.96.0.0/16',
    ],
    env: process.env,
  })
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}
