// What the server says of a kind of which only the name is known.
import { apiVersionOf, type Kind } from './kind.ts'
import type { Requests } from './requests.ts'

/** A kind that can be put into a path. */
export type KnownKind<T> = Kind<T> & { readonly plural: string }

interface ServedResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Asks once a group and version. */
export class Discovery {
  readonly #requests: Requests
  readonly #served = new Map<string, Promise<readonly ServedResource[]>>()

  constructor(requests: Requests) {
    this.#requests = requests
  }

  /** Throws where the server does not serve the kind, and asks anew the next time. */
  async find<T>(kind: Kind<T>, signal: AbortSignal | undefined): Promise<KnownKind<T>> {
    const apiVersion = apiVersionOf(kind)
    const path = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersion}`
    const served = this.#served.get(apiVersion) ?? this.#ask(path)
    this.#served.set(apiVersion, served)
    signal?.throwIfAborted()
    const found = await served.then(
      (resources) => resources.find((one) => one.kind === kind.kind && !one.name.includes('/')),
      (error: unknown) => {
        this.#served.delete(apiVersion)
        throw error
      },
    )
    if (found !== undefined) return { ...kind, plural: found.name, namespaced: found.namespaced }
    this.#served.delete(apiVersion)
    throw new Error(`the server has no kind ${kind.kind} in ${apiVersion}: is its CustomResourceDefinition installed?`)
  }

  async #ask(path: string): Promise<readonly ServedResource[]> {
    const { resources } = await this.#requests.json<{ resources: readonly ServedResource[] }>({ method: 'GET', path })
    return resources
  }
}
