// What the server says of a kind of which only the name is known.
import { suggestion } from '../lib/closest-word.ts'
import { ApiStatusError, statusIn } from './errors.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { Requests } from './requests.ts'

/** A kind that can be put into a path. */
export type KnownKind<T> = Kind<T> & { readonly plural: string }

interface ServedResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Asks once a group and version, and again for a kind that was not there. */
export class Discovery {
  readonly #requests: Requests
  readonly #served = new Map<string, Promise<readonly ServedResource[]>>()

  constructor(requests: Requests) {
    this.#requests = requests
  }

  /** Throws where the server does not serve the kind. */
  async find<T>(kind: Kind<T>, signal: AbortSignal | undefined): Promise<KnownKind<T>> {
    signal?.throwIfAborted()
    const apiVersion = apiVersionOf(kind)
    const isIt = (one: ServedResource): boolean => one.kind === kind.kind && !one.name.includes('/')
    const known = await this.#served.get(apiVersion)
    const served = known?.some(isIt) === true ? known : await this.#ask(apiVersion, kind)
    const found = served.find(isIt)
    if (found !== undefined) return { ...kind, plural: found.name, namespaced: found.namespaced }
    const others = served.map((one) => one.kind)
    const message = notServed(`kind ${kind.kind}`, kind, suggestion(kind.kind ?? '', others))
    throw new ApiStatusError('discovery', statusIn(404, message))
  }

  async #ask(apiVersion: string, { group, version }: Kind<unknown>): Promise<readonly ServedResource[]> {
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`
    const asked = this.#requests.json<{ resources: readonly ServedResource[] }>({ method: 'GET', path })
    const served = asked.then(({ resources }) => resources)
    this.#served.set(apiVersion, served)
    try {
      return await served
    } catch (error) {
      this.#served.delete(apiVersion)
      // The server does not serve the group or the version.
      if (error instanceof ApiStatusError && error.code === 404) return []
      throw error
    }
  }
}

/** What is said of a kind or resource that the server does not know. */
export function notServed(what: string, kind: Kind<unknown>, near = ''): string {
  const hint = near === '' ? ': is its CustomResourceDefinition installed?' : near
  return `the server has no ${what} in ${apiVersionOf(kind)}${hint}`
}
