// The webhooks that are configured now, in the order that they are called in: by the name of their configuration, then by
// their place in it (W-488). Read once for every change of a configuration, not for every request.
import { metaText } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { type Hook, readHooks, type TargetParts } from './hook.ts'

export class Hooks {
  readonly #targets: TargetParts
  readonly #byConfiguration = new Map<string, readonly Hook[]>()
  #all: readonly Hook[] = []

  constructor(targets: TargetParts) {
    this.#targets = targets
  }

  /** Never changed in place: a request under way keeps the list that it began with. */
  get all(): readonly Hook[] {
    return this.#all
  }

  put(configuration: ApiObject): void {
    this.#byConfiguration.set(metaText(configuration, 'name'), readHooks(configuration, this.#targets))
    this.#arrange()
  }

  remove(name: string): void {
    this.#byConfiguration.delete(name)
    this.#arrange()
  }

  #arrange(): void {
    const sorted = [...this.#byConfiguration].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    this.#all = sorted.flatMap(([, hooks]) => hooks)
  }
}
