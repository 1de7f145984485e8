// An APIService for every version of every group that custom resource definitions serve.
import { labelsOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import type { StoredObject } from '../api/read.ts'
import { own } from '../api/value.ts'
import { together } from '../lib/together.ts'
import type { Resource } from '../registry/registry.ts'
import { type Definition, readDefinition } from '../kinds/kinds.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'
import { createMissing, deleteOne, newObject, serverContext, succeeds } from './writes.ts'
import { type InformerHandler, runInformer } from './informer.ts'
import { servedResource } from '../registry/served-resource.ts'

const NAME = 'definition-services'
const LABEL = 'kube-aggregator.kubernetes.io/automanaged'

export function definitionApiServices(parts: ControllerParts): Controller {
  return { name: NAME, canWait: true, run: (signal) => new DefinitionApiServices(parts).run(signal) }
}

class DefinitionApiServices {
  readonly #parts: ControllerParts
  readonly #definitions: Resource
  readonly #services: Resource
  readonly #known = new Map<string, Definition>()
  /** The existing services with our label. */
  readonly #ours = new Set<string>()
  /** The required services, with the names of their definitions. */
  readonly #wanted = new Map<string, Set<string>>()
  /** The types (of two) whose state is complete. */
  readonly #synced = new Set<'definitions' | 'services'>()
  readonly #queue: WorkQueue

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#definitions = servedResource(parts.resources(), 'customresourcedefinitions', 'apiextensions.k8s.io')
    this.#services = servedResource(parts.resources(), 'apiservices', 'apiregistration.k8s.io')
    const work = (name: string, signal: AbortSignal): Promise<void> => this.#sync(name, signal)
    this.#queue = new WorkQueue(parts, { name: NAME, workers: 1, work })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.#parts.registry
    const ofDefinitions: InformerHandler = {
      onPresent: (stored) => this.#replace(stored.name, readDefinition(stored.object())),
      onGone: ({ name }) => this.#replace(name, undefined),
      onSynced: () => this.#onSynced('definitions'),
    }
    const ofServices: InformerHandler = {
      onPresent: (stored) => this.#onService(stored),
      onGone: ({ name }) => {
        this.#ours.delete(name)
        if (this.#wanted.has(name)) this.#queue.add(name)
      },
      onSynced: () => this.#onSynced('services'),
    }
    await together(signal, (until) => [
      runInformer(store, this.#definitions, ofDefinitions, until),
      runInformer(store, this.#services, ofServices, until),
      this.#queue.run(until),
    ])
  }

  #onService(stored: StoredObject): void {
    if (own(labelsOf(stored.object()), LABEL) !== 'true') return
    this.#ours.add(stored.name)
    // The definition may have gone since the APIService was made.
    if (this.#isSynced && !this.#wanted.has(stored.name)) this.#queue.add(stored.name)
  }

  get #isSynced(): boolean {
    return this.#synced.size === 2
  }

  #onSynced(type: 'definitions' | 'services'): void {
    this.#synced.add(type)
    if (this.#isSynced) for (const name of this.#ours) if (!this.#wanted.has(name)) this.#queue.add(name)
  }

  #replace(name: string, after: Definition | undefined): void {
    const before = this.#known.get(name)
    if (after === undefined) this.#known.delete(name)
    else this.#known.set(name, after)
    for (const service of servicesOf(before)) {
      const by = this.#wanted.get(service)
      by?.delete(name)
      if (by?.size === 0) this.#wanted.delete(service)
      this.#queue.add(service)
    }
    for (const service of servicesOf(after)) {
      this.#wanted.set(service, (this.#wanted.get(service) ?? new Set()).add(name))
      this.#queue.add(service)
    }
  }

  async #sync(name: string, signal: AbortSignal): Promise<void> {
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

/** `v1.stable.example.com`, for every served version. */
function servicesOf(definition: Definition | undefined): readonly string[] {
  if (definition?.isEstablished !== true) return []
  return definition.versions.filter(({ served }) => served).map(({ version }) => `${version}.${definition.group}`)
}
