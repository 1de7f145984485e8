// The namespaces and priority classes that always exist: created at the start, and again when one is missing (W-384, W-627).
import { pause } from '../lib/pause.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { createMissing, newObject, serverContext } from './writes.ts'

const LOOK_AGAIN_MS = 60_000
const NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'default', 'kube-node-lease']

// The descriptions are the reference's texts, which clients see in every cluster.
const CLASSES = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
] as const

/** The server makes the namespaces before it serves anything, so they exist when this loop begins. */
export function systemNamespaces(parts: ControllerParts): Controller {
  return {
    name: 'system-namespaces',
    async run(signal) {
      while (await pause(parts.clock, LOOK_AGAIN_MS, signal)) await makeSystemNamespaces(parts, signal)
    },
  }
}

export async function makeSystemNamespaces(parts: ControllerParts, signal: AbortSignal): Promise<void> {
  const resource = servedResource(parts.resources(), 'namespaces')
  for (const name of NAMESPACES) {
    const object = newObject(resource, { name, labels: { 'kubernetes.io/metadata.name': name } })
    await createMissing(parts, resource, object, serverContext(parts, '', signal))
  }
}

export function systemPriorityClasses(parts: ControllerParts): Controller {
  return {
    name: 'system-priority-classes',
    async run(signal) {
      const resource = servedResource(parts.resources(), 'priorityclasses', 'scheduling.k8s.io')
      do {
        for (const { name, ...rest } of CLASSES) {
          const object = resource.withDefaults(newObject(resource, { name }, rest), parts)
          await createMissing(parts, resource, object, serverContext(parts, '', signal))
        }
      } while (await pause(parts.clock, LOOK_AGAIN_MS, signal))
    },
  }
}
