// The front door: every kind that is built in, the resources that are made of them, and those that definitions add. Whoever
// adds a kind adds its file and a line to the table here.
import type { GroupResource, GroupVersionKind } from '../api/object.ts'
import { DEFAULT_TABLE, type TableShape } from '../codec/table.ts'
import type { Action, ResourceTable } from '../registry/registry.ts'
import type { SchemaTable } from '../schema/table.ts'
import { CHARACTER_ROWS, STORAGE_PREFIXES } from './character-rows.ts'
import { columnsOf as columnsOfKind } from './columns/columns.ts'
import { selfSubjectReviewAction } from './authentication/self-subject-review.ts'
import { bindingActions } from './core/pod/binding.ts'
import { addressRange } from './core/service/address-range.ts'
import { DEFAULT_NODE_PORTS, type PortRange } from './core/service/claims.ts'
import { ServiceMeasures } from './core/service/measures.ts'
import type { EncodeInTurns, EncodeObject } from './custom/resource.ts'
import { defaultsOf } from './defaults.ts'
import type { Kind, StoredAs } from './kind.ts'
import type { KindNeeds, RoleGuard } from './needs.ts'
import { evictionAction } from './policy/eviction.ts'
import { roleStrategy } from './rbac/escalation.ts'
import { claimStrategy, claimTemplateStrategy } from './resource/resource-claim-strategy.ts'
import { resourceTable, type StoredTexts } from './resources.ts'
import { rulesOf } from './rules.ts'
import { storageKeyReader } from './storage-keys.ts'
import type { KindStrategy } from './strategy.ts'
import { KINDS } from './table.ts'
import { SCALABLE, TRAITS_OF_KINDS } from './traits.ts'

export { tokenRequestAction, type TokenRequestOptions } from './authentication/token-request.ts'
export { tokenReviewAction } from './authentication/token-review.ts'
export { accessReviewActions } from './authorization/access-review-actions.ts'
export { addressCount } from './core/service/address-range.ts'
export { NODE_PORTS } from './core/service/claims.ts'
export { ServiceMeasures } from './core/service/measures.ts'
export { PORT_RANGES } from './core/service/port-map.ts'
export { claimWhatServicesHave, repairServiceClaims } from './core/service/repair.ts'
export { type ConversionParts, type ConvertByWebhook, conversionWebhook } from './custom/conversion-webhook.ts'
export { compareVersions, conditionOf, type Definition, hasBadAuthority, readDefinition } from './custom/definition.ts'
export { DefinitionTable } from './custom/definition-table.ts'
export { RENAME_VERSION } from './custom/form.ts'
export type { RoleGuard } from './needs.ts'
export { olderVersion } from './older-versions.ts'
export { readAnew } from './read-anew.ts'
export { CLEANUP } from './shared/small-kinds.ts'

const DEPRECATIONS: Readonly<Record<string, readonly string[]>> = {}

const STORED_AS: Readonly<Record<string, Readonly<Record<string, StoredAs>>>> = {}

const NEEDY: Readonly<Record<string, (needs: KindNeeds) => KindStrategy>> = {
  'rbac.authorization.k8s.io/ClusterRole': roleStrategy('ClusterRole'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': roleStrategy('ClusterRoleBinding'),
  'rbac.authorization.k8s.io/Role': roleStrategy('Role'),
  'rbac.authorization.k8s.io/RoleBinding': roleStrategy('RoleBinding'),
  'resource.k8s.io/ResourceClaim': claimStrategy,
  'resource.k8s.io/ResourceClaimTemplate': claimTemplateStrategy,
}

const PLAIN: Readonly<Record<string, KindStrategy>> = { ...TRAITS_OF_KINDS }

const PREFIXES: Readonly<Record<string, string>> = {
  'networking.k8s.io/Ingress': STORAGE_PREFIXES['networking.k8s.io/ingresses']!,
  'apiextensions.k8s.io/CustomResourceDefinition': STORAGE_PREFIXES['apiextensions.k8s.io/customresourcedefinitions']!,
  'apiregistration.k8s.io/APIService': STORAGE_PREFIXES['apiregistration.k8s.io/apiservices']!,
}

/** A built-in kind by its name; one of which nothing is particular where it is not known. */
export function kindOf({ group, kind }: Omit<GroupVersionKind, 'version'>): Kind {
  const kinds = Object.hasOwn(KINDS, group) ? KINDS[group] : undefined
  const found = kinds !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  return found ?? kindSoFar({ group, kind })
}

function kindSoFar({ group, kind }: Omit<GroupVersionKind, 'version'>): Kind {
  const path = `${group}/${kind}`
  const name = { group, version: '', kind }
  const defaults = defaultsOf(name)
  const row = CHARACTER_ROWS[path]
  const needy = NEEDY[path]
  return {
    validation: rulesOf(name),
    ...(defaults === undefined ? {} : { defaults }),
    strategy: (needs) => ({ ...row, ...PLAIN[path], ...needy?.(needs) }),
    columns: columnsOfKind({ group, kind }),
    ...(SCALABLE[path] === undefined ? {} : { scale: SCALABLE[path] }),
    ...(DEPRECATIONS[path] === undefined ? {} : { deprecations: DEPRECATIONS[path] }),
    ...(PREFIXES[path] === undefined ? {} : { storagePrefix: PREFIXES[path] }),
    ...(STORED_AS[path] === undefined ? {} : { storedAs: STORED_AS[path] }),
  }
}

/** What people see of the objects of a kind. */
export function columnsOf(kind: Omit<GroupVersionKind, 'version'>): TableShape {
  return kindOf(kind).columns ?? DEFAULT_TABLE
}

/** Whose object a storage key holds; undefined for what is no object of the API. */
export function resourceOfStorageKey(): (key: string) => GroupResource | undefined {
  return storageKeyReader(kindOf)
}

export interface BuiltInOptions {
  /** Absent: plainly. */
  readonly texts?: StoredTexts
  /** How large objects are written, in turns; absent: as others are. */
  readonly encodeInTurns?: EncodeInTurns
  /** Actions that need something which is not known here. */
  readonly actions?: readonly Action[]
  /** Where the addresses of services come from: a range in CIDR notation. */
  readonly serviceRange?: string
  /** Where the ports of nodes come from that services get. */
  readonly nodePorts?: PortRange
  readonly serviceMeasures?: ServiceMeasures
  /** How long an event is kept after its last change. */
  readonly eventTtlSeconds?: number
  /** Whether containers may be privileged; absent: they may not. */
  readonly allowPrivileged?: boolean
  /** What keeps users from giving away rights that they do not hold; absent: nothing does. */
  readonly roleGuard?: RoleGuard
}

const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'
const DEFAULT_EVENT_TTL_SECONDS = 3600

export function builtInResources(
  schema: SchemaTable,
  encode: EncodeObject,
  options: BuiltInOptions = {},
): ResourceTable {
  const { serviceRange = DEFAULT_SERVICE_RANGE, nodePorts = DEFAULT_NODE_PORTS } = options
  const { serviceMeasures: measures = new ServiceMeasures() } = options
  const table: ResourceTable = resourceTable({
    schema,
    encode,
    encodeInTurns: options.encodeInTurns,
    texts: options.texts ?? ((plain) => ({ encode: plain })),
    kindOf,
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
  })
  return table
}
