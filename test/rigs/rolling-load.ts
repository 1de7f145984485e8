// Clients of every kind that create, change, read and watch config maps while replicas are restarted under them, and what they were told.
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  type Answer,
  type Request,
  RetryingClient,
  type RetryingClientOptions,
  type Way,
  WAYS,
} from '../fakes/retrying-client.ts'

const COLLECTION = '/api/v1/namespaces/default/configmaps'

/** Between two rounds of a writer: the replicas that start need the machine, too. */
const PAUSE_MS = 25

export interface LoadTarget {
  readonly name: string
  /** The replicas, or a balancer before them. */
  readonly urls: readonly string[]
}

type LoadAccess = Pick<RetryingClientOptions, 'token' | 'obeysRetryAfter' | 'expectsFaults'>

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data?: { readonly round?: string }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: ConfigMap
}

/** What a watch has told, over all of its connections. */
interface Seen {
  readonly name: string
  readonly added: string[]
  readonly versions: number[]
}

export class RollingLoad implements AsyncDisposable {
  /** What a client was told that it could not mend by asking again. */
  readonly failures: string[] = []
  /** The names that were acknowledged, and the versions of all acknowledged writes that have told one. */
  readonly created: string[] = []
  readonly versions: number[] = []
  readonly #access: LoadAccess
  readonly #stop = new AbortController()
  readonly #over = new AbortController()
  readonly #clients: RetryingClient[] = []
  readonly #seen: Seen[] = []
  #writing: Promise<unknown> = Promise.resolve()
  #watching: Promise<unknown> = Promise.resolve()

  private constructor(access: LoadAccess) {
    this.#access = access
  }

  /** A writer of each way to each target, and two watches. */
  static async begin(targets: readonly LoadTarget[], access: LoadAccess): Promise<RollingLoad> {
    const load = new RollingLoad(access)
    const from = await load.#list(load.#connect(targets[0]!, 'fresh'))
    const watched = targets.flatMap((target) => [
      load.#watch(target, 'keep-alive', from),
      load.#watch(target, 'http2', from),
    ])
    load.#watching = Promise.all(watched)
    const written = targets.flatMap((target) => WAYS.map((way) => load.#write(target, way)))
    load.#writing = Promise.all(written)
    return load
  }

  /** How often a client had to ask again. */
  get repeated(): number {
    return this.#clients.reduce((sum, { repeated }) => sum + repeated, 0)
  }

  /** Resolves when so many more were created: what comes next happens under load. */
  async more(count: number): Promise<void> {
    const before = this.created.length
    await expect.poll(() => this.failures.length > 0 || this.created.length >= before + count).toBe(true)
  }

  /** Ends the writers, and holds all that was told against each other. */
  async check(): Promise<void> {
    this.#stop.abort()
    await this.#writing
    expect(this.failures).toEqual([])
    for (const { name, added, versions } of this.#seen) {
      const missing = (): readonly (string | number)[] => {
        const seen = new Set<string | number>([...added, ...versions])
        return [...this.created, ...this.versions].filter((one) => !seen.has(one))
      }
      await expect.poll(() => [name, missing()]).toEqual([name, []])
      expect([name, new Set(added).size]).toEqual([name, added.length])
      expect([name, versions]).toEqual([name, versions.toSorted((a, b) => a - b)])
      expect([name, new Set(versions).size]).toEqual([name, versions.length])
    }
    expect(this.failures).toEqual([])
  }

  /** Of what was acknowledged, what a server does not have. */
  async lostBy(url: string): Promise<readonly string[]> {
    const { body } = await this.#connect({ name: '', urls: [url] }, 'fresh').send({ method: 'GET', path: COLLECTION })
    const { items } = JSON.parse(body) as { items: readonly ConfigMap[] }
    const names = new Set(items.map(({ metadata }) => metadata.name))
    return this.created.filter((name) => !names.has(name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#over.abort()
    await Promise.all([this.#writing, this.#watching])
    for (const client of this.#clients) client.close()
  }

  #connect({ urls }: LoadTarget, way: Way): RetryingClient {
    const client = new RetryingClient({ ...this.#access, urls, way }, this.#clients.length)
    this.#clients.push(client)
    return client
  }

  async #list(client: RetryingClient): Promise<string> {
    const { body } = await client.send({ method: 'GET', path: `${COLLECTION}?limit=1` })
    return (JSON.parse(body) as ConfigMap).metadata.resourceVersion
  }

  async #write(target: LoadTarget, way: Way): Promise<void> {
    const client = this.#connect(target, way)
    const prefix = `${target.name}-${way}`
    try {
      for (let round = 0; !this.#stop.signal.aborted; round++) {
        await this.#writeRound(client, prefix, round)
        await delay(PAUSE_MS)
      }
    } catch (error) {
      this.failures.push(`${prefix}: ${String(error)}`)
    }
  }

  /** An object of its own, one that all rounds change, and both read from whoever answers. */
  async #writeRound(client: RetryingClient, prefix: string, round: number): Promise<void> {
    const [name, changed] = [`${prefix}-${round}`, `${prefix}-changed`]
    const made = await this.#create(client, name)
    if (made.status !== 201) return
    if (round === 0) await this.#create(client, changed)
    await this.#change(client, changed, String(round))
    for (const [read, expected] of [
      [name, undefined],
      [changed, String(round)],
    ] as const) {
      const request = { method: 'GET', path: `${COLLECTION}/${read}` }
      const answer = await client.send(request)
      const found = answer.status === 200 ? (JSON.parse(answer.body) as ConfigMap).data?.round : undefined
      if (answer.status !== 200 || found !== expected) this.#fail(request, answer)
    }
    if (round % 10 !== 0) return
    const list = { method: 'GET', path: COLLECTION }
    const answer = await client.send(list)
    if (answer.status !== 200 || !answer.body.includes(`"${name}"`)) this.#fail(list, answer)
  }

  async #create(client: RetryingClient, name: string): Promise<Answer> {
    const request = { method: 'POST', path: COLLECTION, body: { metadata: { name } } }
    const answer = await client.send(request)
    // The answer to the first try was lost, and not what it did.
    const wasMade = answer.wasRepeated && answer.status === 409
    if (!wasMade) this.#note(request, answer, 201)
    if (wasMade || answer.status === 201) this.created.push(name)
    return wasMade ? { ...answer, status: 201 } : answer
  }

  /** On the condition that nothing else has changed it: a try whose answer was lost may be carried out later, by a server that was frozen. */
  async #change(client: RetryingClient, name: string, round: string): Promise<void> {
    const path = `${COLLECTION}/${name}`
    const { body } = await client.send({ method: 'GET', path })
    const { resourceVersion } = (JSON.parse(body) as ConfigMap).metadata
    const update = { method: 'PUT', path, body: { metadata: { name, resourceVersion }, data: { round } } }
    const answer = await client.send(update)
    // The answer to the first try was lost, and not what it did: reading it tells whether it was this.
    if (!(answer.wasRepeated && answer.status === 409)) this.#note(update, answer, 200)
  }

  #note(request: Request, answer: Answer, expected: number): void {
    if (answer.status !== expected) return this.#fail(request, answer)
    this.versions.push(Number((JSON.parse(answer.body) as ConfigMap).metadata.resourceVersion))
  }

  #fail({ method, path }: Request, { status, body }: Answer): void {
    this.failures.push(`${method} ${path}: ${status} ${body.slice(0, 300)}`)
  }

  async #watch(target: LoadTarget, way: Way, from: string): Promise<void> {
    const client = this.#connect(target, way)
    const seen: Seen = { name: `the watch of ${target.name} by ${way}`, added: [], versions: [] }
    this.#seen.push(seen)
    const { signal } = this.#over
    let version = from
    try {
      while (!signal.aborted) {
        const path = `${COLLECTION}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`
        for await (const line of client.lines(path, signal)) {
          const { type, object } = JSON.parse(line) as WatchEvent
          if (type === 'ERROR') throw new Error(line)
          version = object.metadata.resourceVersion
          if (type === 'BOOKMARK') continue
          if (type === 'ADDED') seen.added.push(object.metadata.name)
          seen.versions.push(Number(version))
        }
      }
    } catch (error) {
      this.failures.push(`${seen.name}: ${String(error)}`)
    }
  }
}
