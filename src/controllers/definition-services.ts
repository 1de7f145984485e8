// An APIService for every version of every group that definitions serve, so that clients and people who look there find them.
import type { ApiObject } from '../api/object.ts'
import { isMap, own } from '../api/value.ts'
import { createObject } from '../registry/create.ts'
import { deleteObject } from '../registry/delete.ts'
import { metaOf } from '../registry/object-meta.ts'
import { type Definition, readDefinition } from '../resources/resources.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { AT_ONCE, controllerContext, follow, isReason, newObject, resourceOf } from './controllers.ts'
import { WorkQueue } from './work-queue.ts'

const LABEL = 'kube-aggregator.kubernetes.io/automanaged'

export function definitionServices(parts: ControllerParts): Controller {
  return {
    name: 'definition-services',
    async run(signal) {
      const definitions = resourceOf(parts, 'apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
      const services = resourceOf(parts, 'apiregistration.k8s.io', 'v1', 'apiservices')
      const known = new Map<string, Definition>()
      const ours = new Set<string>()
      const synced = new Set<string>()
      const wanted = new Map<string, Set<string>>()
      const isWanted = (name: string): boolean => wanted.has(name)
      const queue = new WorkQueue({
        name: 'definition-services',
        log: parts.log,
        measures: parts.queues,
        workers: 1,
        work: async (name, stop) => {
          const context = { ...controllerContext(parts, '', stop), fieldManager: 'kube-apiserver' }
          try {
            if (isWanted(name) === ours.has(name)) return false
            if (isWanted(name)) await createObject(parts.registry, services, serviceOf(name), context)
            else await deleteObject(parts.registry, services, { name, options: AT_ONCE }, context)
          } catch (error) {
            if (!isReason(error, 'AlreadyExists', 'NotFound')) throw error
          }
          return false
        },
      })
      const serviceOf = (name: string): ApiObject => {
        const [version = ''] = name.split('.', 1)
        const group = name.slice(version.length + 1)
        const spec = { group, version, groupPriorityMinimum: 1000, versionPriority: 100 }
        return newObject(services, { name, labels: { [LABEL]: 'true' } }, { spec })
      }
      const replace = (name: string, before: Definition | undefined, after: Definition | undefined): void => {
        for (const service of before === undefined ? [] : namesOf(before)) {
          const by = wanted.get(service)
          by?.delete(name)
          if (by?.size === 0) wanted.delete(service)
          queue.add(service)
        }
        for (const service of after === undefined ? [] : namesOf(after)) {
          wanted.set(service, (wanted.get(service) ?? new Set()).add(name))
          queue.add(service)
        }
      }
      const onSynced = (type: string) => (): void => {
        synced.add(type)
        if (synced.size === 2) for (const name of ours) if (!isWanted(name)) queue.add(name)
      }
      const definitionsFollowed = follow(
        parts.registry.store,
        definitions,
        {
          onPresent: (stored) => {
            const before = known.get(stored.name)
            const definition = readDefinition(stored.object())
            known.set(stored.name, definition)
            replace(stored.name, before, definition)
          },
          onGone: ({ name }) => {
            const before = known.get(name)
            known.delete(name)
            replace(name, before, undefined)
          },
          onSynced: onSynced('definitions'),
        },
        signal,
      )
      const servicesFollowed = follow(
        parts.registry.store,
        services,
        {
          onPresent: (stored) => {
            const labels = own(metaOf(stored.object()), 'labels')
            if (!isMap(labels) || labels[LABEL] !== 'true') return
            ours.add(stored.name)
            // What was made a moment ago may not be wanted any more.
            if (synced.size === 2 && !isWanted(stored.name)) queue.add(stored.name)
          },
          onGone: ({ name }) => {
            ours.delete(name)
            if (isWanted(name)) queue.add(name)
          },
          onSynced: onSynced('services'),
        },
        signal,
      )
      await Promise.all([definitionsFollowed, servicesFollowed, queue.run(signal)])
    },
  }
}

/** `v1.stable.example.com`, for every version that discovery tells of. */
function namesOf(definition: Definition): readonly string[] {
  if (!definition.isEstablished) return []
  return definition.versions.filter(({ served }) => served).map(({ version }) => `${version}.${definition.group}`)
}
