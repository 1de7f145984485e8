// The server as its users run it: a process of its own, in a folder of its own, spoken to over TLS.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import https from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { ALLOCATION, COMMAND, YOUNG_HEAP } from './command.ts'
import { IN_PLACE } from './in-place.ts'

export interface ExitedProcess {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Call {
  readonly method?: string
  readonly token?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** PEM, to check the server with where the kubeconfig does not say. */
  readonly ca?: string
  /** PEM, to be shown to the server. */
  readonly certificate?: { readonly cert: string; readonly key: string }
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string; 'certificate-authority-data'?: string } }]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

/** `WORKERS=2 make test-integration`: every server has so many that is not told how many. */
const WORKERS = process.env['WORKERS']

function withWorkers(args: readonly string[]): readonly string[] {
  const isTold =
    WORKERS === undefined || args[0] !== 'serve' || args.some((argument) => /^--workers(=|$)/.test(argument))
  return isTold ? args : [...args, '--workers', WORKERS]
}

function asAsked(args: readonly string[]): readonly string[] {
  return args[0] === 'serve' ? [...withWorkers(args), ...IN_PLACE] : args
}

export class ServerProcess {
  readonly child: ChildProcess
  readonly exited: Promise<ExitedProcess>
  readonly #folder: string
  #stdout = ''
  #stderr = ''

  /** Use `runCommand` or `startServerProcess`. `command`: another build of it. */
  constructor(
    args: readonly string[],
    folder: string,
    environment: Readonly<Record<string, string>>,
    command: string = COMMAND,
  ) {
    this.#folder = folder
    const env = { PATH: process.env['PATH'], HOME: folder, ...ALLOCATION, ...environment }
    const nodeArgs = [YOUNG_HEAP, command, ...asAsked(args)]
    this.child = spawn(process.execPath, nodeArgs, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()))
    this.child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    this.exited = once(this.child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }))
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  get url(): string {
    return /is listening on (\S+)/.exec(this.#stdout)?.[1] ?? ''
  }

  get kubeconfigFile(): string {
    return /--kubeconfig (\S+)/.exec(this.#stdout)?.[1] ?? ''
  }

  get dataDirectory(): string {
    return path.join(this.#folder, '.local/share/quarterdeck')
  }

  get kubeconfig(): Kubeconfig {
    return JSON.parse(readFileSync(this.kubeconfigFile, 'utf8')) as Kubeconfig
  }

  get adminToken(): string {
    return this.kubeconfig.users[0].user.token
  }

  /** Resolves when the server has said where it listens; throws with its last words where it went before. */
  async listening(): Promise<void> {
    const said = new Promise<void>((resolve) => {
      this.child.stdout?.on('data', () => {
        if (this.url !== '') resolve()
      })
    })
    const gone = await Promise.race([said, this.exited])
    if (gone !== undefined) throw new Error(`the server exited with ${gone.code}: ${gone.stderr}`)
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ExitedProcess> {
    this.child.kill(signal)
    return this.exited
  }

  /** Checks the server's certificate against the authority of the kubeconfig, as kubectl does. */
  async request(
    target: string,
    { method = 'GET', token, headers = {}, body: sent, ca, certificate }: Call = {},
  ): Promise<Answer> {
    const known = this.kubeconfig.clusters[0].cluster['certificate-authority-data']
    const authority = ca ?? (known === undefined ? undefined : Buffer.from(known, 'base64').toString())
    const request = https.request(`${this.url}${target}`, {
      method,
      agent: false,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(authority === undefined ? {} : { ca: authority }),
      ...certificate,
    })
    request.end(sent)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return { status: response.statusCode ?? 0, headers: response.headers, body }
  }
}

/** A home for one or several runs; removed when the test is over. */
export async function newHome(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-home-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a command to its end. */
export async function runCommand(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ExitedProcess> {
  return launch(args, home, environment).exited
}

/** The same of a build of the command, on the port and with whatever else the arguments say. */
export async function startBuild(command: string, args: readonly string[], home: string): Promise<ServerProcess> {
  const server = launch(['serve', ...args], home, {}, command)
  await server.listening()
  return server
}

/** Any other command than `serve`, to be ended before it does so itself. */
export function startCommand(args: readonly string[], home: string): ServerProcess {
  return launch(args, home, {})
}

/** `serve` on a free port, once it listens; it is killed when the test is over. */
export async function startServerProcess(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const server = launch(['serve', '--secure-port', '0', ...args], home, environment)
  await server.listening()
  return server
}

function launch(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>>,
  command?: string,
): ServerProcess {
  // Compiled code is shared between the runs of a test, as it is between the starts of a user.
  const caches = path.join(tmpdir(), 'quarterdeck-test-cache')
  const server = new ServerProcess(args, home, { XDG_CACHE_HOME: caches, ...environment }, command)
  onTestFinished(() => void server.child.kill('SIGKILL'))
  return server
}
