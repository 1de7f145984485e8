// The functions of a server. Functions that are added before the server is composed are handed over to it later.
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import { type Description, type ExtensionPoints, register } from './registration.ts'

/** A function of a server, for another server that continues from it. */
export interface KeptFunction {
  readonly description: Description
  readonly answer: ReviewFunction
}

export class KeptFunctions implements ExtensionPoints {
  /** The values remove functions that have been handed over. */
  readonly #kept = new Map<KeptFunction, (() => void) | undefined>()
  #points: ExtensionPoints | undefined

  constructor(functions: readonly KeptFunction[]) {
    for (const each of functions) this.#kept.set(each, undefined)
  }

  all(): readonly KeptFunction[] {
    return [...this.#kept.keys()]
  }

  /** Adds all functions to `points`, and from then on every new one too. Call this once. */
  handOverTo(points: ExtensionPoints): void {
    this.#points = points
    for (const each of this.#kept.keys()) this.#kept.set(each, register(points, each.description, each.answer))
  }

  readonly admit: ExtensionPoints['admit'] = (type, webhook, answer) =>
    this.#add({ description: { kind: 'admit', type, webhook }, answer })

  readonly convert: ExtensionPoints['convert'] = (of, answer) =>
    this.#add({ description: { kind: 'convert', of }, answer })

  readonly authorize: ExtensionPoints['authorize'] = (authorizer, answer) =>
    this.#add({ description: { kind: 'authorize', authorizer }, answer })

  #add(added: KeptFunction): () => void {
    this.#kept.set(added, this.#points && register(this.#points, added.description, added.answer))
    return () => {
      this.#kept.get(added)?.()
      this.#kept.delete(added)
    }
  }
}
