// Finds the plural of a kind in the server's discovery.
import { suggestion } from '../lib/closest-word.ts'
import { ApiStatusError, statusIn } from './errors.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { Requests } from './requests.ts'
import { settled } from './waiting.ts'

/** A kind with its plural, which paths need. */
export type KnownKind<T> = Kind<T> & { readonly plural: string }

interface ServedResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Sends one request for each group and version, and another one if a kind was missing in the answer. */
export class Discovery {
  readonly #requests: Requests
  readonly #served = new Map<string, Promise<readonly ServedResource[]>>()

  constructor(requests: Requests) {
    this.#requests = requests
  }

  /** Throws if the server does not serve the kind. */
  async find<T>(kind: Kind<T>, signal: AbortSignal | undefined): Promise<KnownKind<T>> {
    const apiVersion = apiVersionOf(kind)
    const isIt = (one: ServedResource): boolean => one.kind === kind.kind && !one.name.includes('/')
    const known = await settled(this.#served.get(apiVersion) ?? Promise.resolve([]), signal)
    const served = known.some(isIt) ? known : await settled(this.#ask(apiVersion, kind), signal)
    const found = served.find(isIt)
    if (found !== undefined) return { ...kind, plural: found.name, namespaced: found.namespaced }
    const others = served.map((one) => one.kind)
    const message = notServed(`kind ${kind.kind}`, kind, suggestion(kind.kind ?? '', others))
    throw new ApiStatusError('discovery', statusIn(404, message))
  }

  #ask(apiVersion: string, { group, version }: Kind<unknown>): Promise<readonly ServedResource[]> {
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`
    const asked = this.#requests.json<{ resources: readonly ServedResource[] }>({ method: 'GET', path })
    const served = asked.then(
      ({ resources }) => resources,
      (error: unknown) => {
        this.#served.delete(apiVersion)
        // The server does not serve the group or the version.
        if (error instanceof ApiStatusError && error.code === 404) return []
        throw error
      },
    )
    this.#served.set(apiVersion, served)
    return served
  }
}

/** The message for a kind or resource that the server does not serve. */
export function notServed(what: string, kind: Kind<unknown>, near = ''): string {
  const hint = near === '' ? ': is its CustomResourceDefinition installed?' : near
  return `the server has no ${what} in ${apiVersionOf(kind)}${hint}`
}
