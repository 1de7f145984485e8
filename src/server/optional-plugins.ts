// The admission plugins that are off unless the operator requests them, put together.
import { ADMIT_ALL, type AdmissionPlugin } from '../admission/admission.ts'
import { eventRateLimit } from '../plugins/event-rate-limit.ts'
import { imagePolicy } from '../plugins/image-policy-webhook.ts'
import { type MakeNamespace, namespaceAutoProvision, namespaceExists } from '../plugins/namespace-existence.ts'
import type { Namespace } from '../api/gen/kinds.ts'
import type { ObjectReader } from '../admission/object-reader.ts'
import { ownerPermission } from '../plugins/owner-references-permission.ts'
import { podNodeSelector, podTolerationRestriction } from '../plugins/pod-placement.ts'
import { PULL_ALWAYS } from '../plugins/always-pull-images.ts'
import { ALWAYS_DENY } from '../plugins/always-deny.ts'
import { DENY_SERVICE_EXTERNAL_IPS } from '../plugins/deny-service-external-ips.ts'
import { EXTENDED_RESOURCE_TOLERATION } from '../plugins/extended-resource-toleration.ts'
import { LIMIT_HARD_ANTI_AFFINITY } from '../plugins/limit-pod-hard-anti-affinity-topology.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { controllerContext, createMissing, newObject } from '../controllers/writes.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { OutgoingCaller } from '../outgoing/call.ts'
import type { ResourceTable } from '../registry/registry.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import { dryRunOf } from '../store/dry-run.ts'
import type { Store } from '../store/store.ts'
import type { AdmissionSettings } from '../config/admission-config.ts'
import { reviewCalls } from '../auth/review-calls.ts'
import { resourceOfKind, servedResource } from '../registry/served-resource.ts'

export interface OptionalParts {
  readonly store: Store
  readonly table: () => ResourceTable
  readonly authorizer: Authorizer
  readonly settings: AdmissionSettings
  readonly namespaces: ObjectReader<Namespace>
  readonly defaults: () => DefaultsContext
  readonly operatorsCaller: OutgoingCaller
  readonly clock: Clock
  readonly log: Log
}

export function optionalPlugins(parts: OptionalParts): readonly AdmissionPlugin[] {
  const { settings, namespaces, authorizer } = parts
  return [
    namespaceAutoProvision(namespaces, namespaceMaker(parts)),
    namespaceExists(namespaces),
    LIMIT_HARD_ANTI_AFFINITY,
    PULL_ALWAYS,
    ...imagePolicyOf(parts),
    podNodeSelector(namespaces, settings.nodeSelectors),
    podTolerationRestriction(namespaces),
    eventRateLimit(settings.eventLimits, parts.clock),
    EXTENDED_RESOURCE_TOLERATION,
    ownerPermission(authorizer, (kind) => resourceOfKind(parts.table(), kind)),
    DENY_SERVICE_EXTERNAL_IPS,
    ALWAYS_DENY,
  ]
}

const IMAGE_REVIEW_TIMEOUT_MS = 30_000

function imagePolicyOf({ settings, operatorsCaller }: OptionalParts): readonly AdmissionPlugin[] {
  if (settings.imagePolicy === undefined) return []
  const { target, ...options } = settings.imagePolicy
  return [imagePolicy(reviewCalls(operatorsCaller, target, IMAGE_REVIEW_TIMEOUT_MS), options, systemClock)]
}

/** No client has requested a namespace that a plugin makes, so it does not go through admission. */
function namespaceMaker({ store, table, defaults, clock, log }: OptionalParts): MakeNamespace {
  return async (name, signal) => {
    const { gates, now } = defaults()
    const registry = { store, dryRunStore: dryRunOf(store), admission: ADMIT_ALL }
    const parts = { registry, resources: table, gates, clock, now, log }
    const resource = servedResource(parts.resources(), 'namespaces')
    const wanted = resource.withDefaults(newObject(resource, { name }), { gates, now })
    await createMissing(parts, resource, wanted, controllerContext(parts, '', signal))
  }
}
