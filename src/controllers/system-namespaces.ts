// The namespaces that are always there: made before anything is served, and again should one go missing (W-384).
import { systemClock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { Controller, ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { createMissing, newObject, serverContext } from './writes.ts'

const NAMES: readonly string[] = ['kube-system', 'kube-public', 'default', 'kube-node-lease']
const LOOK_AGAIN_MS = 60_000

export function systemNamespaces(parts: ControllerParts): Controller {
  return {
    name: 'system-namespaces',
    async run(signal) {
      while (await pause(systemClock, LOOK_AGAIN_MS, signal)) await makeSystemNamespaces(parts, signal)
    },
  }
}

/** Makes those that are missing. */
export async function makeSystemNamespaces(parts: ControllerParts, signal: AbortSignal): Promise<void> {
  const resource = servedResource(parts.resources(), 'namespaces')
  for (const name of NAMES) {
    const object = newObject(resource, { name, labels: { 'kubernetes.io/metadata.name': name } })
    await createMissing(parts, resource, object, serverContext(parts, '', signal))
  }
}
