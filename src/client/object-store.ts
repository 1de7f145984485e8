// Objects by namespace and name, and by the values of indexers. Invariant: an index has the values of the stored version and no others.
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import type { KubernetesObject, Stored } from './objects.ts'

/** Functions that return the values under which an object is found: `{ byNode: (pod) => [pod.spec?.nodeName ?? ''] }`. */
export type Indexers<T extends KubernetesObject, I extends string> = Readonly<
  Record<I, (object: Stored<T>) => readonly string[]>
>

type Keys = Map<string, Set<string>>

interface Index<T extends KubernetesObject> {
  readonly name: string
  readonly keys: Keys
  readonly valuesOf: (object: Stored<T>) => readonly string[]
}

export function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

export class ObjectStore<T extends KubernetesObject, I extends string> {
  readonly #objects = new Map<string, Stored<T>>()
  readonly #indexes: readonly Index<T>[]

  constructor(indexers: Indexers<T, I>) {
    this.#indexes = Object.entries<Index<T>['valuesOf']>(indexers).map(([name, valuesOf]) => ({
      name,
      keys: new Map(),
      valuesOf,
    }))
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): Stored<T> | undefined {
    return this.#objects.get(key)
  }

  entries(): IterableIterator<[string, Stored<T>]> {
    return this.#objects.entries()
  }

  list(): Stored<T>[] {
    return [...this.#objects.values()]
  }

  /** The objects with this value, in the order in which they got it. Throws for an unknown index. */
  byIndex(name: I, value: string): Stored<T>[] {
    const index = this.#indexes.find((one) => one.name === name)
    if (index === undefined) throw new TypeError(`the informer has no indexer "${name}"`)
    return [...(index.keys.get(value) ?? [])].map((key) => this.#objects.get(key)!)
  }

  set(key: string, object: Stored<T>): void {
    const old = this.#objects.get(key)
    this.#objects.set(key, object)
    for (const { keys, valuesOf } of this.#indexes) {
      const values = valuesOf(object)
      if (old !== undefined)
        forget(
          keys,
          key,
          valuesOf(old).filter((value) => !values.includes(value)),
        )
      for (const value of values) addToSet(keys, value, key)
    }
  }

  delete(key: string): void {
    const old = this.#objects.get(key)
    if (old === undefined) return
    this.#objects.delete(key)
    for (const { keys, valuesOf } of this.#indexes) forget(keys, key, valuesOf(old))
  }
}

function forget(keys: Keys, key: string, values: readonly string[]): void {
  for (const value of values) removeFromSet(keys, value, key)
}
