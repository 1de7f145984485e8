// The loops that keep the server's own state true, put together.
import type { Controller, ControllerParts } from '../controllers/controllers.ts'
import { type FlowObjects, flowControlObjects } from '../controllers/flow-control-objects.ts'
import { garbageCollector } from '../controllers/garbage-collector.ts'
import { kubernetesService } from '../controllers/kubernetes-service.ts'
import { defaultServiceAccounts, rootCertificates } from '../controllers/namespace-furnishings.ts'
import { namespaceController } from '../controllers/namespaces.ts'
import { serviceAddresses } from '../controllers/service-addresses.ts'
import { systemNamespaces } from '../controllers/system-namespaces.ts'
import { systemPriorityClasses } from '../controllers/system-priority-classes.ts'
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS } from '../flow/bootstrap.ts'
import type { Range } from './ip-range.ts'

/** What flow control has from the start. */
export const FLOW_OBJECTS: FlowObjects = { levels: BOOTSTRAP_LEVELS, schemas: BOOTSTRAP_SCHEMAS }

export interface ControllerOptions {
  /** The certificates that clients of this server are to trust, PEM. */
  readonly authority: string
  /** Where the addresses of services come from. */
  readonly serviceRange: Range
  /** `host:port`, known once the server listens. */
  readonly serverAddress: () => string
  /** Where other machines reach this server; undefined where they cannot. */
  readonly advertisedAddress: string | undefined
}

export function openControllers(parts: ControllerParts, options: ControllerOptions): readonly Controller[] {
  return [
    systemNamespaces(parts),
    systemPriorityClasses(parts),
    namespaceController(parts),
    garbageCollector(parts),
    defaultServiceAccounts(parts),
    rootCertificates(parts, options.authority),
    kubernetesService(parts, {
      address: options.advertisedAddress,
      port: () => Number(/:(\d+)$/.exec(options.serverAddress())?.[1] ?? 0),
      serviceRange: options.serviceRange,
    }),
    serviceAddresses(parts),
    flowControlObjects(parts, FLOW_OBJECTS),
  ]
}
