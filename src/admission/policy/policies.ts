// The configured policies, each with its bindings. A policy without a binding has no effect (W-500).
import { metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { type Policy, type PolicyBinding, readBinding, readPolicy } from './definition.ts'

export interface BoundPolicy {
  readonly policy: Policy
  readonly bindings: readonly PolicyBinding[]
}

export class Policies {
  readonly #policies = new Map<string, Policy>()
  readonly #bindings = new Map<string, PolicyBinding>()
  /** The policies from the operator's files. */
  #static: readonly BoundPolicy[] = []
  #inForce: readonly BoundPolicy[] = []

  /**
   * The policies that have bindings. Policies from files come first, and each part is sorted by name. The list is replaced and never
   * changed, so that a request keeps its list.
   */
  get inForce(): readonly BoundPolicy[] {
    return this.#inForce
  }

  /** Policies from files apply to configurations of admission too. */
  get fromFiles(): readonly BoundPolicy[] {
    return this.#static
  }

  /** Replaces all policies from files and their bindings. */
  setStatic(objects: readonly ApiObject[]): void {
    const own = new Policies()
    for (const object of objects) {
      if (object.kind.endsWith('Binding')) own.putBinding(object)
      else own.putPolicy(object)
    }
    this.#static = own.inForce
    this.#arrange()
  }

  putPolicy(object: ApiObject): void {
    this.#policies.set(metaText(object, 'name'), readPolicy(object))
    this.#arrange()
  }

  removePolicy(name: string): void {
    this.#policies.delete(name)
    this.#arrange()
  }

  putBinding(object: ApiObject): void {
    this.#bindings.set(metaText(object, 'name'), readBinding(object))
    this.#arrange()
  }

  removeBinding(name: string): void {
    this.#bindings.delete(name)
    this.#arrange()
  }

  #arrange(): void {
    const bindings = Map.groupBy(sorted(this.#bindings), ({ policyName }) => policyName)
    const stored = sorted(this.#policies).flatMap((policy) => {
      const own = bindings.get(policy.name)
      return own === undefined ? [] : [{ policy, bindings: own }]
    })
    this.#inForce = [...this.#static, ...stored]
  }
}

function sorted<T extends { readonly name: string }>(all: ReadonlyMap<string, T>): readonly T[] {
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
