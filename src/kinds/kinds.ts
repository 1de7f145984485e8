// The front door: the built-in kinds, their resources, and the resources of custom resource definitions. A new kind needs a new file and a
// line in the table.
import { API_LEVELS, byLevel } from '../api/level.ts'
import type { ApiObject, GroupKind, GroupResource, GroupVersionKind } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { DEFAULT_TABLE, type TableShape } from '../codec/table.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import type { Action } from '../registry/registry.ts'
import { allBuiltInGroups, type BuiltInGroup, builtInGroups } from '../schema/built-in-resources.ts'
import type { SchemaTable } from '../schema/table.ts'
import { MUTATING_ADMISSION_POLICY, VALIDATING_ADMISSION_POLICY } from './admissionregistration/admission-policies.ts'
import {
  MUTATING_ADMISSION_POLICY_BINDING,
  VALIDATING_ADMISSION_POLICY_BINDING,
} from './admissionregistration/policy-bindings.ts'
import {
  MUTATING_WEBHOOK_CONFIGURATION,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from './admissionregistration/webhook-configurations.ts'
import { CUSTOM_RESOURCE_DEFINITION } from './apiextensions/custom-resource-definition/custom-resource-definition.ts'
import { API_SERVICE } from './apiregistration/api-service.ts'
import { CONTROLLER_REVISION } from './apps/controller-revision.ts'
import { DAEMON_SET } from './apps/daemon-set.ts'
import { DEPLOYMENT } from './apps/deployment.ts'
import { REPLICA_SET } from './apps/replica-set.ts'
import { STATEFUL_SET } from './apps/stateful-set.ts'
import { SELF_SUBJECT_REVIEW, selfSubjectReviewAction } from './authentication/self-subject-review.ts'
import { TOKEN_REQUEST } from './authentication/token-request.ts'
import { TOKEN_REVIEW } from './authentication/token-review.ts'
import {
  LOCAL_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_RULES_REVIEW,
  SUBJECT_ACCESS_REVIEW,
} from './authorization/access-reviews.ts'
import { HORIZONTAL_POD_AUTOSCALER } from './autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { CRON_JOB } from './batch/cron-job.ts'
import { JOB } from './batch/job/job.ts'
import { CERTIFICATE_SIGNING_REQUEST } from './certificates/certificate-signing-request.ts'
import { CLUSTER_TRUST_BUNDLE } from './certificates/cluster-trust-bundle.ts'
import { POD_CERTIFICATE_REQUEST } from './certificates/pod-certificate-request.ts'
import { LEASE_CANDIDATE } from './coordination/lease-candidate.ts'
import { LEASE } from './coordination/lease.ts'
import { COMPONENT_STATUS } from './core/component-status.ts'
import { CONFIG_MAP } from './core/config-map.ts'
import { ENDPOINTS } from './core/endpoints.ts'
import { EVENT } from './core/event.ts'
import { LIMIT_RANGE } from './core/limit-range.ts'
import { NAMESPACE } from './core/namespace.ts'
import { NODE } from './core/node.ts'
import { PERSISTENT_VOLUME_CLAIM } from './core/persistent-volume-claim.ts'
import { PERSISTENT_VOLUME } from './core/persistent-volume.ts'
import { POD_TEMPLATE } from './core/pod-template.ts'
import { BINDING, bindingActions } from './core/pod/binding.ts'
import { POD, POD_LOG_OPTIONS, POD_STATUS_RESULT } from './core/pod/pod.ts'
import { REPLICATION_CONTROLLER } from './core/replication-controller.ts'
import { RESOURCE_QUOTA } from './core/resource-quota.ts'
import { SECRET } from './core/secret.ts'
import { SERVICE_ACCOUNT } from './core/service-account.ts'
import { addressRange } from './core/service/address-range.ts'
import { DEFAULT_NODE_PORTS, type PortRange } from './core/service/claims.ts'
import { ServiceMeasures } from './core/service/measures.ts'
import { SERVICE } from './core/service/service.ts'
import { ENDPOINT_SLICE } from './discovery/endpoint-slice.ts'
import { EVENT as EVENT_OF_EVENTS } from './events/event.ts'
import { FLOW_SCHEMA } from './flowcontrol/flow-schema.ts'
import { PRIORITY_LEVEL_CONFIGURATION } from './flowcontrol/priority-level-configuration.ts'
import { STORAGE_VERSION } from './internal/storage-version.ts'
import { type Kind, kindAt, type KindOf } from './kind.ts'
import { STATUS } from './meta/status.ts'
import type { RoleGuard } from './needs.ts'
import { INGRESS_CLASS } from './networking/ingress-class.ts'
import { INGRESS } from './networking/ingress.ts'
import { IP_ADDRESS } from './networking/ip-address.ts'
import { NETWORK_POLICY } from './networking/network-policy.ts'
import { SERVICE_CIDR } from './networking/service-cidr.ts'
import { RUNTIME_CLASS } from './node/runtime-class.ts'
import { EVICTION, evictionAction } from './policy/eviction.ts'
import { POD_DISRUPTION_BUDGET } from './policy/pod-disruption-budget.ts'
import { CLUSTER_ROLE_BINDING, ROLE_BINDING } from './rbac/role-bindings.ts'
import { CLUSTER_ROLE, ROLE } from './rbac/roles.ts'
import { DEVICE_CLASS } from './resource/device-class.ts'
import { DEVICE_TAINT_RULE } from './resource/device-taint-rule.ts'
import { RESOURCE_CLAIM_TEMPLATE } from './resource/resource-claim-template.ts'
import { RESOURCE_CLAIM } from './resource/resource-claim.ts'
import { RESOURCE_POOL_STATUS_REQUEST } from './resource/resource-pool-status-request.ts'
import { RESOURCE_SLICE } from './resource/resource-slice.ts'
import {
  type BuiltInTable,
  type EncodeObject,
  resourceTable,
  type SharedResources,
  type StoredTexts,
} from './resources.ts'
import { COMPOSITE_POD_GROUP } from './scheduling/composite-pod-group.ts'
import { POD_GROUP } from './scheduling/pod-group.ts'
import { PRIORITY_CLASS } from './scheduling/priority-class.ts'
import { SCHEDULED_WORKLOAD } from './scheduling/workload.ts'
import { SCALE } from './shared/scale.ts'
import { CSI_DRIVER } from './storage/csi-driver.ts'
import { CSI_NODE } from './storage/csi-node.ts'
import { CSI_STORAGE_CAPACITY } from './storage/csi-storage-capacity.ts'
import { STORAGE_CLASS } from './storage/storage-class.ts'
import { VOLUME_ATTACHMENT } from './storage/volume-attachment.ts'
import { VOLUME_ATTRIBUTES_CLASS } from './storage/volume-attributes-class.ts'
import { STORAGE_VERSION_MIGRATION } from './storagemigration/storage-version-migration.ts'

export {
  type AggregatedService,
  availabilityOf,
  type RankedVersion,
  readAggregatedService,
  readNamedVersion,
} from './apiregistration/aggregated-service.ts'
export { boundHints } from './apiextensions/custom-resource-definition/bound-hints.ts'
export { CLEANUP } from './apiextensions/custom-resource-definition/custom-resource-definition.ts'
export { tokenRequestAction, type TokenRequestOptions } from './authentication/token-request.ts'
export { tokenReviewAction } from './authentication/token-review.ts'
export { accessReviewActions } from './authorization/access-review-actions.ts'
export { addressCount } from './core/service/address-range.ts'
export { NODE_PORTS } from './core/service/claims.ts'
export { ServiceMeasures } from './core/service/measures.ts'
export { PORT_RANGES } from './core/service/port-map.ts'
export { claimWhatServicesHave, repairServiceClaims } from './core/service/repair.ts'
export {
  type ConversionParts,
  type ConvertByWebhook,
  conversionFunction,
  conversionWebhook,
} from './custom/conversion-webhook.ts'
export { compareVersions, conditionOf, type Definition, hasBadAuthority, readDefinition } from './custom/definition.ts'
export { DefinitionTable, type SharedDefinitions } from './custom/definition-table.ts'
export { RENAME_VERSION } from './custom/form.ts'
export type { RoleGuard } from './needs.ts'
export type { BuiltInTable, SharedResources } from './resources.ts'

/** By group and kind. */
const KINDS: Readonly<Record<string, Kind>> = {
  '/Binding': BINDING,
  '/ComponentStatus': COMPONENT_STATUS,
  '/ConfigMap': CONFIG_MAP,
  '/Endpoints': ENDPOINTS,
  '/Event': EVENT,
  '/LimitRange': LIMIT_RANGE,
  '/Namespace': NAMESPACE,
  '/Node': NODE,
  '/PersistentVolume': PERSISTENT_VOLUME,
  '/PersistentVolumeClaim': PERSISTENT_VOLUME_CLAIM,
  '/Pod': POD,
  '/PodLogOptions': POD_LOG_OPTIONS,
  '/PodStatusResult': POD_STATUS_RESULT,
  '/PodTemplate': POD_TEMPLATE,
  '/ReplicationController': REPLICATION_CONTROLLER,
  '/ResourceQuota': RESOURCE_QUOTA,
  '/Secret': SECRET,
  '/Service': SERVICE,
  '/ServiceAccount': SERVICE_ACCOUNT,
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': MUTATING_ADMISSION_POLICY,
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': MUTATING_ADMISSION_POLICY_BINDING,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': MUTATING_WEBHOOK_CONFIGURATION,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': VALIDATING_ADMISSION_POLICY,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': VALIDATING_ADMISSION_POLICY_BINDING,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': VALIDATING_WEBHOOK_CONFIGURATION,
  'apiextensions.k8s.io/CustomResourceDefinition': CUSTOM_RESOURCE_DEFINITION,
  'apiregistration.k8s.io/APIService': API_SERVICE,
  'apps/ControllerRevision': CONTROLLER_REVISION,
  'apps/DaemonSet': DAEMON_SET,
  'apps/Deployment': DEPLOYMENT,
  'apps/ReplicaSet': REPLICA_SET,
  'apps/StatefulSet': STATEFUL_SET,
  'authentication.k8s.io/SelfSubjectReview': SELF_SUBJECT_REVIEW,
  'authentication.k8s.io/TokenRequest': TOKEN_REQUEST,
  'authentication.k8s.io/TokenReview': TOKEN_REVIEW,
  'authorization.k8s.io/LocalSubjectAccessReview': LOCAL_SUBJECT_ACCESS_REVIEW,
  'authorization.k8s.io/SelfSubjectAccessReview': SELF_SUBJECT_ACCESS_REVIEW,
  'authorization.k8s.io/SelfSubjectRulesReview': SELF_SUBJECT_RULES_REVIEW,
  'authorization.k8s.io/SubjectAccessReview': SUBJECT_ACCESS_REVIEW,
  'autoscaling/HorizontalPodAutoscaler': HORIZONTAL_POD_AUTOSCALER,
  'autoscaling/Scale': SCALE,
  'batch/CronJob': CRON_JOB,
  'batch/Job': JOB,
  'certificates.k8s.io/CertificateSigningRequest': CERTIFICATE_SIGNING_REQUEST,
  'certificates.k8s.io/ClusterTrustBundle': CLUSTER_TRUST_BUNDLE,
  'certificates.k8s.io/PodCertificateRequest': POD_CERTIFICATE_REQUEST,
  'coordination.k8s.io/Lease': LEASE,
  'coordination.k8s.io/LeaseCandidate': LEASE_CANDIDATE,
  'discovery.k8s.io/EndpointSlice': ENDPOINT_SLICE,
  'events.k8s.io/Event': EVENT_OF_EVENTS,
  'flowcontrol.apiserver.k8s.io/FlowSchema': FLOW_SCHEMA,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': PRIORITY_LEVEL_CONFIGURATION,
  'internal.apiserver.k8s.io/StorageVersion': STORAGE_VERSION,
  'meta.k8s.io/Status': STATUS,
  'networking.k8s.io/IPAddress': IP_ADDRESS,
  'networking.k8s.io/Ingress': INGRESS,
  'networking.k8s.io/IngressClass': INGRESS_CLASS,
  'networking.k8s.io/NetworkPolicy': NETWORK_POLICY,
  'networking.k8s.io/ServiceCIDR': SERVICE_CIDR,
  'node.k8s.io/RuntimeClass': RUNTIME_CLASS,
  'policy/Eviction': EVICTION,
  'policy/PodDisruptionBudget': POD_DISRUPTION_BUDGET,
  'rbac.authorization.k8s.io/ClusterRole': CLUSTER_ROLE,
  'rbac.authorization.k8s.io/ClusterRoleBinding': CLUSTER_ROLE_BINDING,
  'rbac.authorization.k8s.io/Role': ROLE,
  'rbac.authorization.k8s.io/RoleBinding': ROLE_BINDING,
  'resource.k8s.io/DeviceClass': DEVICE_CLASS,
  'resource.k8s.io/DeviceTaintRule': DEVICE_TAINT_RULE,
  'resource.k8s.io/ResourceClaim': RESOURCE_CLAIM,
  'resource.k8s.io/ResourceClaimTemplate': RESOURCE_CLAIM_TEMPLATE,
  'resource.k8s.io/ResourcePoolStatusRequest': RESOURCE_POOL_STATUS_REQUEST,
  'resource.k8s.io/ResourceSlice': RESOURCE_SLICE,
  'scheduling.k8s.io/CompositePodGroup': COMPOSITE_POD_GROUP,
  'scheduling.k8s.io/PodGroup': POD_GROUP,
  'scheduling.k8s.io/PriorityClass': PRIORITY_CLASS,
  'scheduling.k8s.io/Workload': SCHEDULED_WORKLOAD,
  'storage.k8s.io/CSIDriver': CSI_DRIVER,
  'storage.k8s.io/CSINode': CSI_NODE,
  'storage.k8s.io/CSIStorageCapacity': CSI_STORAGE_CAPACITY,
  'storage.k8s.io/StorageClass': STORAGE_CLASS,
  'storage.k8s.io/VolumeAttachment': VOLUME_ATTACHMENT,
  'storage.k8s.io/VolumeAttributesClass': VOLUME_ATTRIBUTES_CLASS,
  'storagemigration.k8s.io/StorageVersionMigration': STORAGE_VERSION_MIGRATION,
}

const PLAIN: Kind = {}

export function kindOf({ group, kind }: GroupKind): Kind {
  const name = `${group}/${kind}`
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? PLAIN
}

/** The records of the kinds at a level. */
export const kindsAt = byLevel((level): KindOf => {
  const made = new Map<Kind, Kind>()
  return (name) => getOrInsert(made, kindOf(name), (kind) => kindAt(level, kind))
})

export interface OlderVersion {
  /** The kind with the same protobuf field numbers. */
  readonly kind: GroupVersionKind
  /** Converts a JSON document to that kind. Absent: the fields have the same names. */
  readonly convert?: (document: ValueMap) => ValueMap
}

/** A version in which other servers have stored objects, and which is not served here. Undefined: the version is unknown. */
export function olderVersion({ group, version, kind }: GroupVersionKind): OlderVersion | undefined {
  return OLDER_VERSIONS.get(`${group}/${version}/${kind}`)
}

const OLDER_VERSIONS: ReadonlyMap<string, OlderVersion> = new Map(
  Object.entries(KINDS).flatMap(([name, { olderVersions = {} }]) => {
    const [group = '', kind = ''] = name.split('/')
    const current = { group, version: 'v1', kind }
    return Object.entries(olderVersions).map(([apiVersion, convert]) => [
      `${apiVersion}/${kind}`,
      convert === 'same' ? { kind: current } : { kind: current, convert },
    ])
  }),
)

/** A stored object as reads show it, with fields that its kind did not have when the object was stored. */
export function defaultOnRead(kind: GroupVersionKind, object: ApiObject, family: 'IPv4' | 'IPv6'): ApiObject {
  return kindOf(kind).defaultOnRead?.(object, family) ?? object
}

export function columnsOf(kind: GroupKind): TableShape {
  return kindsAt()(kind).columns ?? DEFAULT_TABLE
}

/**
 * Returns a function that tells the resource of the object at a storage key. Keys are relative to the server's prefix: `secrets/ns/name`.
 * Undefined: no object of the API has the key.
 */
export function resourceOfStorageKey(): (key: string) => GroupResource | undefined {
  const known = new Map<string, GroupResource>()
  for (const { versions } of API_LEVELS.toReversed().flatMap((level) => allBuiltInGroups(level))) {
    for (const { group, kind, plural, storageVersionHash } of versions.flatMap(({ resources }) => resources)) {
      if (storageVersionHash === undefined) continue
      const prefix = kindOf({ group, kind }).storagePrefix ?? plural
      // All events are stored as events of the core group, which comes first.
      if (!known.has(prefix)) known.set(prefix, { group, resource: plural })
    }
  }
  return (key) => {
    const first = key.slice(0, slashAfter(key, 0))
    const found = known.get(first)
    if (found !== undefined) return found
    const two = key.slice(0, slashAfter(key, first.length + 1))
    const inside = known.get(two)
    if (inside !== undefined || !first.includes('.') || two.length <= first.length) return inside
    // Custom resources are stored under their group.
    const custom = { group: first, resource: two.slice(first.length + 1) }
    known.set(two, custom)
    return custom
  }
}

function slashAfter(text: string, from: number): number {
  const at = text.indexOf('/', from)
  return at === -1 ? text.length : at
}

interface BuiltInOptions {
  /** Absent: the default encoding. */
  readonly texts?: StoredTexts
  /** Actions that depend on the server. */
  readonly actions?: readonly Action[]
  /** The range of cluster IPs, a CIDR. */
  readonly serviceRange?: string
  readonly nodePorts?: PortRange
  readonly serviceMeasures?: ServiceMeasures
  /** The time for which an event is kept after its last change. */
  readonly eventTtlSeconds?: number
  /** Whether containers may be privileged. Absent: they may not. */
  readonly allowPrivileged?: boolean
  /** Prevents privilege escalation by roles and bindings. Absent: nothing prevents it. */
  readonly roleGuard?: RoleGuard
  /** Absent: the groups that the level serves by default. */
  readonly groups?: readonly BuiltInGroup[]
  /** The resources of another server with the same schema. Absent: all resources are made. */
  readonly shared?: SharedResources | undefined
}

const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'
const DEFAULT_EVENT_TTL_SECONDS = 3600

export function builtInResources(
  schema: SchemaTable,
  encode: EncodeObject,
  options: BuiltInOptions = {},
): BuiltInTable {
  const { serviceRange = DEFAULT_SERVICE_RANGE, nodePorts = DEFAULT_NODE_PORTS } = options
  const { serviceMeasures: measures = new ServiceMeasures() } = options
  const table: BuiltInTable = resourceTable({
    schema,
    encode,
    texts: options.texts ?? ((plain) => ({ encode: plain })),
    kindOf: kindsAt(schema.level),
    groups: options.groups ?? builtInGroups(schema.level),
    needs: {
      find: (group, resource) => table.find({ group, version: 'v1', resource }),
      network: { ranges: [addressRange(serviceRange)], nodePorts, measures },
      roleGuard: options.roleGuard,
      eventTtlSeconds: options.eventTtlSeconds ?? DEFAULT_EVENT_TTL_SECONDS,
    },
    actions: [
      ...bindingActions(schema),
      evictionAction(schema),
      selfSubjectReviewAction(schema),
      ...(options.actions ?? []),
    ],
    allowPrivileged: options.allowPrivileged ?? false,
    shared: options.shared,
  })
  return table
}
