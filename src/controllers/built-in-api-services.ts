// An APIService for every version of every built-in group, created at the start (P-381). A deleted APIService is created again at the next
// start. Its group is served even without it.
import { labelsOf } from '../api/object-members.ts'
import type { GroupVersion } from '../api/object.ts'
import { own } from '../api/value.ts'
import { pause } from '../lib/pause.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { createMissing, deleteOne, newObject, serverContext } from './writes.ts'

const LABEL = 'kube-aggregator.kubernetes.io/automanaged'
const AT_START = 'onstart'
const FOREVER_MS = Number.POSITIVE_INFINITY

export interface BuiltInApiService extends GroupVersion {
  readonly priority: { readonly group: number; readonly version: number }
}

export function builtInApiServices(parts: ControllerParts, services: readonly BuiltInApiService[]): Controller {
  return {
    name: 'built-in-services',
    async run(signal) {
      await makeBuiltInApiServices(parts, services, signal)
      await pause(parts.clock, FOREVER_MS, signal)
    },
  }
}

/** Makes missing services, and deletes services of versions that are no longer served. */
export async function makeBuiltInApiServices(
  parts: ControllerParts,
  services: readonly BuiltInApiService[],
  signal: AbortSignal,
): Promise<void> {
  const resource = servedResource(parts.resources(), 'apiservices', 'apiregistration.k8s.io')
  const context = serverContext(parts, '', signal)
  const wanted = new Map(services.map((service) => [`${service.version}.${service.group}`, service]))
  const list = { resource: resource.stored, at: { kind: 'latest' }, skipUnreadable: true } as const
  const page = await parts.registry.store.list(list, signal)
  for await (const batch of page.batches) {
    for (const stored of batch) {
      const isWanted = wanted.delete(stored.name)
      if (isWanted || own(labelsOf(stored.object()), LABEL) !== AT_START) continue
      await deleteOne(parts, resource, { name: stored.name }, context)
    }
  }
  for (const [name, { group, version, priority }] of wanted) {
    const spec = { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version }
    const object = newObject(resource, { name, labels: { [LABEL]: AT_START } }, { spec })
    await createMissing(parts, resource, object, context)
  }
}
