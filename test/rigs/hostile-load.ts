// How long an honest client waits for an object from memory, and how much memory the server has, while somebody attacks it from a
// process of their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http2 from 'node:http2'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NobodyServer } from './nobody-server.ts'
import type { Credential } from '../fakes/hostile-client.ts'

const LOOP = path.join(import.meta.dirname, 'hostile-loop.ts')
/** How often somebody scrapes. */
const SCRAPE_EVERY_MS = 500

/** Longer than the server waits for before it collects what is left. */
const REST_MS = 40_000
const NEARLY = 0.98

export interface Attackers {
  readonly credential: Credential
  /** Of attacks, and how often each is sent. */
  readonly names: readonly string[]
  readonly times: number
}

export class HonestClient implements AsyncDisposable {
  readonly server: NobodyServer
  readonly #session: http2.ClientHttp2Session
  readonly #headers: http2.OutgoingHttpHeaders

  private constructor(server: NobodyServer) {
    this.server = server
    this.#session = http2.connect(server.url, { rejectUnauthorized: false })
    this.#headers = { authorization: `Bearer ${server.server.adminToken}` }
  }

  /** Of a server of its own. */
  static async start(): Promise<HonestClient> {
    return new HonestClient(await NobodyServer.start())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.destroy()
    await this.server[Symbol.asyncDispose]()
  }

  /** Without attackers, for so many milliseconds: what is loaded, made and compiled once is not what is measured. */
  async warmUp(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds
    await this.#get('/openapi/v2')
    await this.#getUntil(() => performance.now() >= end)
  }

  /** When nothing has been given back for a while, in bytes. */
  async residentAtRest(): Promise<number> {
    let least = this.server.residentBytes
    for (let since = performance.now(); performance.now() - since < REST_MS; await sleep(500)) {
      const resident = this.server.residentBytes
      if (resident > least * NEARLY) continue
      least = resident
      since = performance.now()
    }
    return least
  }

  /** What each object took that was asked for beside them, in milliseconds. */
  async getBeside({ credential, names, times }: Attackers): Promise<readonly number[]> {
    const args = [LOOP, this.server.url, credential['authorization'] ?? '', String(times), ...names]
    const attacker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    try {
      const exited = once(attacker, 'exit')
      const taken = await this.#getUntil(() => attacker.exitCode !== null)
      const [code] = (await exited) as [number]
      if (code !== 0) throw new Error(`the attackers failed with ${code}`)
      return taken
    } finally {
      attacker.kill('SIGKILL')
    }
  }

  /** Asks for an object from memory again and again, and now and then for all that is counted. */
  async #getUntil(isOver: () => boolean): Promise<readonly number[]> {
    const taken: number[] = []
    let [scrape, scrapesAt] = [Promise.resolve(0), 0]
    while (!isOver()) {
      if (performance.now() >= scrapesAt) {
        await scrape
        scrape = this.#get('/metrics')
        scrapesAt = performance.now() + SCRAPE_EVERY_MS
      }
      taken.push(await this.#get('/api/v1/namespaces/default'))
      // Who asks one after another without a rest keeps a processor busy.
      await sleep(2)
    }
    await scrape
    return taken
  }

  /** How long the server's event loop was at work until it was there. The clock would tell how busy the machine is. */
  async #get(target: string): Promise<number> {
    const before = this.server.loopMilliseconds
    const stream = this.#session.request({ ':path': target, ...this.#headers }).resume()
    const [answer] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & { ':status'?: number }]
    if (answer[':status'] !== 200) throw new Error(`${target} was answered with ${answer[':status']}`)
    if (!stream.readableEnded) await once(stream, 'end')
    return this.server.loopMilliseconds - before
  }
}

/** What so many of them are below; `share` from 0 to 1. */
export function quantileOf(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Infinity
}
