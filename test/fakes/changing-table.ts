// A table of resources that changes when a test says so.
import type { Resource, ResourceTable } from '../../src/registry/registry.ts'
import type { ApiWorld } from '../rigs/api-world.ts'

/** Some of the resources of a world, others at other times. */
export class ChangingTable {
  readonly #listeners = new Set<() => void>()
  readonly #there: Resource[]
  readonly table: ResourceTable

  constructor(world: ApiWorld, there: readonly Resource[]) {
    this.#there = [...there]
    this.table = {
      ...world.resources,
      all: () => this.#there.values(),
      onChange: (tell) => {
        this.#listeners.add(tell)
        return () => void this.#listeners.delete(tell)
      },
    }
  }

  get listeners(): number {
    return this.#listeners.size
  }

  change(without: readonly Resource[], also: readonly Resource[]): void {
    for (const one of without) this.#there.splice(this.#there.indexOf(one), 1)
    this.#there.push(...also)
    for (const tell of this.#listeners) tell()
  }
}
