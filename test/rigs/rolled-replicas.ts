// Replicas of the server on one etcd, as processes that are stopped and started again one by one, as an upgrade does.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { COMMAND } from './command.ts'
import { startEtcd } from './etcd-server.ts'
import { freePort } from './free-port.ts'
import { startBalancer } from './haproxy.ts'
import type { LoadTarget, RollingLoad } from './rolling-load.ts'
import { newHome, type ServerProcess, startBuild } from './server-process.ts'

const TOKEN = 'rolled'
const CREATED_BETWEEN = 20

export interface RolledReplicasOptions {
  readonly count: number
  /** Time for the balancer to notice. */
  readonly shutdownDelay: string
  /** The build that they begin with; absent: that of the sources. */
  readonly command?: string
  readonly flags?: readonly string[]
}

interface Replica {
  readonly port: number
  readonly home: string
  process: ServerProcess
}

export class RolledReplicas {
  readonly token = TOKEN
  readonly #replicas: readonly Replica[]
  readonly #flags: readonly string[]
  #rolled = 0

  private constructor(replicas: readonly Replica[], flags: readonly string[]) {
    this.#replicas = replicas
    this.#flags = flags
  }

  /** Resolves when all are ready; they end with the test. */
  static async start(options: RolledReplicasOptions): Promise<RolledReplicas> {
    const { count, shutdownDelay, command = COMMAND } = options
    const etcd = await startEtcd()
    onTestFinished(() => etcd[Symbol.asyncDispose]())
    const tokens = path.join(await newHome(), 'tokens.csv')
    await writeFile(tokens, `${TOKEN},admin,1,system:masters\n`)
    const flags = [
      `--etcd-servers=${etcd.endpoint}`,
      `--token-auth-file=${tokens}`,
      `--shutdown-delay-duration=${shutdownDelay}`,
      '--anonymous-health',
      ...(options.flags ?? []),
    ]
    const replicas: Replica[] = []
    for (let i = 0; i < count; i++) {
      const [port, home] = [await freePort(), await newHome()]
      replicas.push({ port, home, process: await startReplica(command, flags, { port, home }) })
    }
    return new RolledReplicas(replicas, flags)
  }

  get urls(): readonly string[] {
    return this.#replicas.map(({ port }) => `https://127.0.0.1:${port}`)
  }

  /** Of the program that each runs now. */
  get versions(): readonly (string | undefined)[] {
    return this.#replicas.map((replica) => /^quarterdeck (\S+) is listening/.exec(replica.process.stdout)?.[1])
  }

  get direct(): LoadTarget {
    return { name: 'direct', urls: this.urls }
  }

  /** Starts the balancer before them, and resolves when it has found one. */
  async balanced(): Promise<LoadTarget> {
    const { url, program } = await startBalancer(this.#replicas.map(({ port }) => port))
    await program.until(() => isReady(url))
    return { name: 'balanced', urls: [url] }
  }

  signal(replica: number, signal: NodeJS.Signals): void {
    this.#replicas[replica]!.process.child.kill(signal)
  }

  /** Stops the next one and starts it again; resolves when it is ready. */
  async roll(command: string = COMMAND): Promise<void> {
    const replica = this.#replicas[this.#rolled++ % this.#replicas.length]!
    expect(await replica.process.stop()).toMatchObject({ code: 0 })
    replica.process = await startReplica(command, this.#flags, replica)
  }
}

async function startReplica(
  command: string,
  flags: readonly string[],
  { port, home }: Pick<Replica, 'port' | 'home'>,
): Promise<ServerProcess> {
  const replica = await startBuild(command, [...flags, `--secure-port=${port}`], home)
  await expect.poll(() => isReady(`https://127.0.0.1:${port}`)).toBe(true)
  return replica
}

async function isReady(url: string): Promise<boolean> {
  try {
    const request = https.get(`${url}/readyz`, { agent: false, rejectUnauthorized: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode === 200
  } catch {
    return false
  }
}

/**
 * Restarts them one by one under load, with the command that each is to have from then on, and holds against each other what the clients
 * have been told.
 */
export async function rollUnderLoad(
  replicas: RolledReplicas,
  load: RollingLoad,
  commands: readonly string[],
): Promise<void> {
  for (const command of commands) {
    await load.more(CREATED_BETWEEN)
    await replicas.roll(command)
  }
  await load.more(CREATED_BETWEEN)
  await load.check()
  for (const url of replicas.urls) expect(await load.lostBy(url)).toEqual([])
}
