// An APIService for every version of every group that custom resource definitions serve.
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { own } from '../api/value.ts'
import { addToSet, removeFromSet } from '../lib/map-entries.ts'
import type { Resource } from '../registry/registry.ts'
import { type Definition, readDefinition } from '../kinds/kinds.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { type FollowedType, keyedController, type KeyedWork } from './keyed-controller.ts'
import type { WorkQueue } from './work-queue.ts'
import { createMissing, deleteOne, newObject, serverContext, succeeds } from './writes.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'definition-services'
const LABEL = 'kube-aggregator.kubernetes.io/automanaged'

export function definitionApiServices(parts: ControllerParts): Controller {
  const options = { name: NAME, canWait: true, workers: 1 }
  return keyedController(parts, options, (queue) => new DefinitionApiServices(parts, queue))
}

class DefinitionApiServices implements KeyedWork {
  readonly followed: readonly FollowedType[]
  readonly #parts: ControllerParts
  readonly #services: Resource
  readonly #known = new Map<string, Definition>()
  /** The existing services with our label. */
  readonly #ours = new Set<string>()
  /** The required services, with the names of their definitions. */
  readonly #wanted = new Map<string, Set<string>>()
  #isSynced = false
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts, queue: WorkQueue) {
    this.#parts = parts
    this.#services = servedResource(parts.resources(), 'apiservices', 'apiregistration.k8s.io')
    this.#queue = queue
    this.followed = [
      {
        type: servedResource(parts.resources(), 'customresourcedefinitions', 'apiextensions.k8s.io'),
        onPresent: (stored) => this.#replace(stored.name, readDefinition(stored.object())),
        onGone: ({ name }) => this.#replace(name, undefined),
      },
      {
        type: this.#services,
        onPresent: (stored) => this.#onService(stored),
        onGone: ({ name }) => {
          this.#ours.delete(name)
          if (this.#wanted.has(name)) queue.add(name)
        },
      },
    ]
  }

  onSynced(): void {
    this.#isSynced = true
    for (const name of this.#ours) if (!this.#wanted.has(name)) this.#queue.add(name)
  }

  #onService(stored: StoredObject): void {
    if (own(labelsOf(stored.object()), LABEL) !== 'true') return
    this.#ours.add(stored.name)
    // The definition may have gone since the APIService was made.
    if (this.#isSynced && !this.#wanted.has(stored.name)) this.#queue.add(stored.name)
  }

  #replace(name: string, after: Definition | undefined): void {
    const before = this.#known.get(name)
    if (after === undefined) this.#known.delete(name)
    else this.#known.set(name, after)
    for (const service of servicesOf(before)) {
      removeFromSet(this.#wanted, service, name)
      this.#queue.add(service)
    }
    for (const service of servicesOf(after)) {
      addToSet(this.#wanted, service, name)
      this.#queue.add(service)
    }
  }

  async work(name: string, signal: AbortSignal): Promise<void> {
    const context = serverContext(this.#parts, '', signal)
    const isWanted = this.#wanted.has(name)
    if (isWanted === this.#ours.has(name)) return
    if (isWanted) await createMissing(this.#parts, this.#services, this.#serviceOf(name), context)
    else await succeeds(deleteOne(this.#parts, this.#services, { name }, context), 'NotFound')
  }

  #serviceOf(name: string): ApiObject {
    const [version = ''] = name.split('.', 1)
    const group = name.slice(version.length + 1)
    const spec = { group, version, groupPriorityMinimum: 1000, versionPriority: 100 }
    return newObject(this.#services, { name, labels: { [LABEL]: 'true' } }, { spec })
  }
}

/** The names of the APIServices of a definition, such as `v1.stable.example.com`: one for every served version. */
function servicesOf(definition: Definition | undefined): readonly string[] {
  if (definition?.isEstablished !== true) return []
  return definition.versions.filter(({ served }) => served).map(({ version }) => `${version}.${definition.group}`)
}
