// kubectl as a person runs it: a program with a kubeconfig and a home, whose words and exit code are what counts.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { unpackOldDebian } from './debian-package.ts'
import { buildGoClient, CLIENT_LEVELS } from './go-client.ts'
import { cacheFile, findOnPath, makeOnce } from './made-once.ts'
import { IS_WHOLE } from './whole.ts'

export interface KubectlResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The kubectl of the level of the clients, in `make test-long` of every level, and the one that this machine has. */
export async function findKubectls(): Promise<readonly string[]> {
  const built: string[] = []
  for (const level of CLIENT_LEVELS) built.push(await buildGoClient('kubectl', level))
  const present = await findOnPath('kubectl')
  return present === undefined ? built : [...built, present]
}

/** In `make test` only the first of them. */
export async function findKubectlsOfSlice(): Promise<readonly string[]> {
  const all = await findKubectls()
  return IS_WHOLE ? all : all.slice(0, 1)
}

/** The oldest that people still have: Debian 12's 1.20, which asks for OpenAPI as protobuf and knows no aggregated discovery. */
export async function findOldKubectl(): Promise<string> {
  const given = process.env['KUBECTL_OLDEST_BIN']
  if (given !== undefined && given !== '') return given
  const path = cacheFile('kubectl', `kubectl-debian-${process.arch}`)
  try {
    await makeOnce(path, (folder) => unpackOldDebian('kubernetes-client', 'kubectl', folder))
  } catch (error) {
    throw new Error('no old kubectl. Use Debian, or set KUBECTL_OLDEST_BIN to a kubectl 1.20.', { cause: error })
  }
  return path
}

export interface KubectlPlace {
  readonly kubeconfig: string
  readonly home: string
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

export class Kubectl {
  readonly #binary: string
  readonly #env: NodeJS.ProcessEnv

  constructor(binary: string, { kubeconfig, home, env = {} }: KubectlPlace) {
    this.#binary = binary
    this.#env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig, ...env }
  }

  /** Runs it to its end, with `input` for what it reads by `-f -`. */
  run(args: readonly string[], input = ''): Promise<KubectlResult> {
    return new Promise((resolve) => {
      const child = execFile(
        this.#binary,
        [...args],
        { env: this.#env, timeout: 50_000, maxBuffer: 16 << 20 },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }),
      )
      // One that ends before it has read all of its input is judged by how it ends.
      child.stdin?.on('error', () => {}).end(input)
    })
  }

  /** What a command says that does not end by itself; it is ended with the test. */
  follow(args: readonly string[]): FollowedCommand {
    return new FollowedCommand(spawn(this.#binary, [...args], { env: this.#env, stdio: ['pipe', 'pipe', 'inherit'] }))
  }
}

export class FollowedCommand {
  readonly #child: ChildProcess
  #text = ''

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on('data', (chunk: Buffer) => (this.#text += chunk.toString()))
    onTestFinished(() => this.stop())
  }

  /** Whole lines only. */
  get lines(): readonly string[] {
    return this.#text.split('\n').slice(0, -1)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}
