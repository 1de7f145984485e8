// Clients that create config maps one after the other, and again on another connection where one is closed; and watches beside them.
import { Client, ConnectionError, hasReason, k8s, type Resource } from '../../src/client/client.ts'

export interface LoadOptions {
  readonly kubeconfig: string
  readonly writers: number
  readonly watchers: number
}

export class CreateLoad implements AsyncDisposable {
  /** The names of what the server said that it has. */
  readonly acknowledged: string[] = []
  /** What a client was told that no repetition could mend. */
  readonly failures: string[] = []
  /** How often a connection could not be opened. */
  refusedConnections = 0
  /** What each watch has told, in order. */
  readonly seen: string[][] = []
  readonly #stop = new AbortController()
  readonly #over = new AbortController()
  readonly #clients: Client[] = []
  #writing: Promise<unknown> = Promise.resolve()
  #watching: Promise<unknown> = Promise.resolve()

  /** Resolves when all watches have begun. */
  static async begin({ kubeconfig, writers, watchers }: LoadOptions): Promise<CreateLoad> {
    const load = new CreateLoad()
    const open = (): Client => {
      const client = new Client({ kubeconfig })
      load.#clients.push(client)
      return client
    }
    const { metadata } = await mapsOf(open()).list()
    load.#watching = Promise.all(Array.from({ length: watchers }, () => load.#watch(open(), metadata.resourceVersion)))
    load.#writing = Promise.all(Array.from({ length: writers }, (_, i) => load.#write(open(), `w${i}`)))
    return load
  }

  /** Resolves when the last write is acknowledged. */
  async end(): Promise<void> {
    this.#stop.abort()
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
    this.#over.abort()
    await this.#watching
    for (const client of this.#clients) client.close()
  }

  async #write(client: Client, prefix: string): Promise<void> {
    for (let i = 0; !this.#stop.signal.aborted; i++) await this.#create(mapsOf(client), `${prefix}-${i}`)
  }

  async #create(maps: Resource<k8s.ConfigMap>, name: string): Promise<void> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        await maps.create({ metadata: { name } })
        this.acknowledged.push(name)
        return
      } catch (error) {
        if (error instanceof ConnectionError) {
          if (error.phase === 'connecting') this.refusedConnections++
          continue
        }
        // The answer to the first was lost.
        if (isRepeated && hasReason(error, 'AlreadyExists')) this.acknowledged.push(name)
        else this.failures.push(String(error))
        return
      }
    }
  }

  async #watch(client: Client, resourceVersion: string | undefined): Promise<void> {
    const seen: string[] = []
    this.seen.push(seen)
    const { signal } = this.#over
    const from = resourceVersion === undefined ? { signal } : { signal, resourceVersion }
    try {
      for await (const event of mapsOf(client).watch(from)) {
        if (event.type === 'ADDED') seen.push(event.object.metadata.name)
      }
    } catch (error) {
      if (!signal.aborted) this.failures.push(`watch: ${String(error)}`)
    }
  }
}

function mapsOf(client: Client): Resource<k8s.ConfigMap> {
  return client.resource(k8s.ConfigMap).inNamespace('default')
}
