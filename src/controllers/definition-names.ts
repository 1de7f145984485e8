// Accepts the names of custom resource definitions and establishes them (P-345, P-346). Every replica does this. The outcome depends only
// on stored objects, so the second replica has nothing left to do.
import type { ApiObject } from '../api/object.ts'
import { isStored, type StoredObject } from '../api/read.ts'
import { isTerminating } from '../registry/object-meta.ts'
import type { Resource } from '../registry/registry.ts'
import { type Definition, readDefinition } from '../kinds/kinds.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { TakenNames, withEstablished, withNames } from './definition-acceptance.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import type { WorkQueue } from './work-queue.ts'
import { serverContext, succeeds, updateLive } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

export function definitionNames(parts: ControllerParts): Controller {
  return keyedController(parts, { name: NAME, workers: 4 }, (queue) => new NameController(parts, queue))
}

const NAME = 'definition-names'

/** Returns the same object if nothing has to be done. */
type Step = (object: ApiObject, taken: TakenNames, now: string) => ApiObject

const STEPS: readonly Step[] = [withNames, withEstablished]

class NameController implements KeyedWork {
  readonly followed: readonly FollowedType[]
  readonly #parts: ControllerParts
  readonly #resource: Resource
  readonly #known = new Map<string, { readonly stored: StoredObject; readonly definition: Definition }>()
  readonly #taken = new TakenNames()
  /** The definitions that did not get all of their names. */
  readonly #conflicting = new Map<string, Definition>()
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts, queue: WorkQueue) {
    this.#parts = parts
    this.#resource = servedResource(parts.resources(), 'customresourcedefinitions', 'apiextensions.k8s.io')
    this.#queue = queue
    const onPresent = (stored: StoredObject): void => this.#onPresent(stored)
    this.followed = [{ type: this.#resource, onPresent, onGone: ({ name }) => this.#onGone(name) }]
  }

  async work(name: string, signal: AbortSignal): Promise<void> {
    for (const step of STEPS) if (!(await this.#apply(name, step, signal))) break
  }

  #onPresent(stored: StoredObject): void {
    const before = this.#known.get(stored.name)?.definition
    this.#note(stored)
    this.#queue.add(stored.name)
    const after = this.#known.get(stored.name)?.definition
    if (before !== undefined && after !== undefined && namesIn(before) !== namesIn(after))
      this.#retryConflicts(after.group)
  }

  #onGone(name: string): void {
    const gone = this.#known.get(name)?.definition
    this.#known.delete(name)
    this.#conflicting.delete(name)
    if (gone === undefined) return
    this.#taken.remove(gone)
    this.#retryConflicts(gone.group)
  }

  /** A name that one definition gives up may be given to another. */
  #retryConflicts(group: string): void {
    for (const definition of this.#conflicting.values())
      if (definition.group === group) this.#queue.add(definition.name)
  }

  #note(stored: StoredObject): void {
    const before = this.#known.get(stored.name)
    // The cache can deliver an object that is older than the last write of this controller.
    if (before !== undefined && before.stored.revision > stored.revision) return
    const definition = readDefinition(stored.object())
    this.#known.set(stored.name, { stored, definition })
    if (before !== undefined) this.#taken.remove(before.definition)
    this.#taken.add(definition)
    if (definition.areNamesChecked && !definition.isServed) this.#conflicting.set(definition.name, definition)
    else this.#conflicting.delete(definition.name)
  }

  /** Applies the step. Resolves to whether the next step may follow. */
  async #apply(name: string, step: Step, signal: AbortSignal): Promise<boolean> {
    const object = this.#known.get(name)?.stored.object()
    if (object === undefined || isTerminating(object)) return false
    const context = serverContext(this.#parts, '', signal)
    if (step(object, this.#taken, context.now) === object) return true
    const change = (live: ApiObject): ApiObject => (isTerminating(live) ? live : step(live, this.#taken, context.now))
    const update = { name, subresource: 'status', change } as const
    const updated = updateLive(this.#parts, this.#resource, update, context).then(({ object: written }) => {
      if (isStored(written)) this.#note(written)
    })
    return succeeds(updated, 'NotFound')
  }
}

function namesIn({ accepted }: Definition): string {
  return JSON.stringify(accepted)
}
