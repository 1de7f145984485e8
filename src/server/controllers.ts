// The controllers of the server.
import type { SchemaTable } from '../schema/table.ts'
import { hostname } from 'node:os'
import { chargeOf, countedTypes, namesAbout } from '../plugins/quota/quota.ts'
import { extensionAuthentication, type PublishedAuthentication } from '../controllers/extension-authentication.ts'
import { type BuiltInApiService, builtInApiServices } from '../controllers/built-in-api-services.ts'
import type { Controller, ControllerParts } from '../controllers/controllers.ts'
import { Fence } from '../controllers/fence.ts'
import { type FlowObjects, flowControlObjects } from '../controllers/flow-control-objects.ts'
import { definitionCleanup } from '../controllers/definition-cleanup.ts'
import { definitionMigrations } from '../controllers/definition-migrations.ts'
import { definitionApiServices } from '../controllers/definition-api-services.ts'
import { garbageCollector } from '../controllers/garbage-collector.ts'
import { type Advertised, kubernetesService, makeKubernetesService } from '../controllers/kubernetes-service.ts'
import { type Candidacy, withLeaderElection } from '../controllers/leader-election.ts'
import { defaultServiceAccounts, rootCertificates } from '../controllers/namespace-defaults.ts'
import { namespaceController } from '../controllers/namespaces.ts'
import { type ProbeApiService, apiServiceAvailability } from '../controllers/api-service-availability.ts'
import { policyStatus } from '../controllers/policy-status.ts'
import { objectExpiry } from '../controllers/object-expiry.ts'
import { resourceQuotas } from '../controllers/resource-quotas.ts'
import { roleAggregation } from '../controllers/role-aggregation.ts'
import { serverIdentity } from '../controllers/server-identity.ts'
import { serviceIpRepair } from '../controllers/service-ip-repair.ts'
import { migrationType, storageVersionMigrator } from '../controllers/storage-version-migrator.ts'
import { systemNamespaces, systemPriorityClasses } from '../controllers/system-objects.ts'
import { BOOTSTRAP_LEVELS, BOOTSTRAP_SCHEMAS } from '../flow/bootstrap.ts'
import { systemRandom } from '../lib/random.ts'
import { type BuiltInGroup, builtInGroups } from '../schema/built-in-resources.ts'
import { policyTypeWarnings } from '../schema/policy-type-check.ts'
import type { Resource } from '../registry/registry.ts'
import type { ClusterConfig } from '../config/cluster-config.ts'
import type { Range } from '../config/ip-range.ts'
import type { ServerMeasures } from './measures.ts'

/** The bootstrap objects of flow control. */
export const FLOW_OBJECTS: FlowObjects = { levels: BOOTSTRAP_LEVELS, schemas: BOOTSTRAP_SCHEMAS }

export interface ControllerOptions {
  readonly schema: SchemaTable
  readonly probeRemote: ProbeApiService
  /** The certificates that clients of this server must trust, in PEM. */
  readonly authority: string
  /** The ranges of service addresses. */
  readonly serviceRange: Range
  /** `host:port`, known once the server listens. */
  readonly serverAddress: () => string
  /** The address at which other machines reach this server. Undefined: they cannot. */
  readonly advertisedAddress: string | undefined
  /** The `host:port` at which other replicas can ask this one. Empty until the server listens. Undefined: other replicas cannot ask it. */
  readonly peerAddress: () => string | undefined
  readonly measures: ServerMeasures
  /** The version that nodes report. */
  readonly version: string
  readonly cluster: ClusterConfig
  readonly controllersOff: ReadonlySet<string>
  /** Whether other replicas may work on the same store. */
  readonly hasReplicas: boolean
  /** The identity of this replica in the election. Undefined: a random name after the host name. */
  readonly candidate: Candidacy | undefined
  /** The custom resource that a definition makes, by the name of the definition. */
  readonly objectsOfDefinition: (name: string) => Resource | undefined
  /** The data about authentication for other servers. */
  readonly trust: () => PublishedAuthentication
}

/** The enabled controllers. If there may be other replicas, an elected replica runs the controllers that need not run on each. */
export function openControllers(parts: ControllerParts, options: ControllerOptions): readonly Controller[] {
  const isOn = ({ name }: Controller): boolean => !options.controllersOff.has(name)
  const own = ownControllers(parts, options).filter(isOn)
  if (!options.hasReplicas) return [...own, ...sharedControllers(parts, options).filter(isOn)]
  const fence = new Fence(parts.clock)
  const fenced = { ...parts, registry: { ...parts.registry, store: fence.around(parts.registry.store) } }
  const shared = sharedControllers(fenced, options).filter(isOn)
  if (shared.length === 0) return own
  const alone = { identity: `${hostname()}_${(parts.random ?? systemRandom).uuid()}` }
  return [...own, withLeaderElection(shared, { parts, fence, ...(options.candidate ?? alone) })]
}

/** The controllers that run on every replica. */
function ownControllers(parts: ControllerParts, options: ControllerOptions): readonly Controller[] {
  return [
    kubernetesService(parts, advertisedBy(options)),
    extensionAuthentication(parts, options.trust),
    serverIdentity(parts, { hostname: options.cluster.hostname ?? hostname(), peerAddress: options.peerAddress }),
  ]
}

type OwnObjectOptions = Pick<
  ControllerOptions,
  'controllersOff' | 'advertisedAddress' | 'cluster' | 'serverAddress' | 'serviceRange'
>

/** Makes the objects that the first client must find, unless their controllers are switched off. */
export async function makeOwnObjects(
  parts: ControllerParts,
  options: OwnObjectOptions,
  signal: AbortSignal,
): Promise<void> {
  if (options.controllersOff.has('kubernetes-service')) return
  await makeKubernetesService(parts, advertisedBy(options), signal)
}

function advertisedBy(options: OwnObjectOptions): Advertised {
  return {
    address: options.advertisedAddress,
    port: () => Number(/:(\d+)$/.exec(options.serverAddress())?.[1] ?? 0),
    serviceRange: options.serviceRange,
    keepsEndpoints: options.cluster.keepsEndpoints,
    nodePort: options.cluster.ownNodePort,
  }
}

/** The controllers that one replica runs for all. */
function sharedControllers(parts: ControllerParts, options: ControllerOptions): readonly Controller[] {
  return [
    systemNamespaces(parts),
    systemPriorityClasses(parts),
    namespaceController(parts),
    garbageCollector(parts),
    objectExpiry(parts),
    defaultServiceAccounts(parts),
    rootCertificates(parts, options.authority),
    serviceIpRepair(parts, options.measures.services),
    roleAggregation(parts),
    policyStatus(parts, (policy) => policyTypeWarnings(policy, (place) => parts.resources().find(place)?.schema)),
    flowControlObjects(parts, FLOW_OBJECTS),
    resourceQuotas(parts, { countedTypes, namesAbout, chargeOf }),
    definitionCleanup(parts, options.objectsOfDefinition),
    builtInApiServices(parts, rankedVersions(options.cluster.served?.groups ?? builtInGroups(options.schema.level))),
    definitionApiServices(parts),
    apiServiceAvailability(parts, options.probeRemote),
    ...(options.cluster.nodes === 0 ? [] : [clusterInProcess(parts, options)]),
    ...(migrationType(parts.resources()) === undefined
      ? []
      : [storageVersionMigrator(parts), definitionMigrations(parts)]),
  ]
}

/** Simulated nodes, and the controllers of workloads. Their code is loaded only with `--nodes`. */
function clusterInProcess(
  parts: ControllerParts,
  { cluster: { nodes }, controllersOff, version, schema: { level } }: ControllerOptions,
): Controller {
  return {
    name: 'cluster',
    canWait: true,
    async run(signal) {
      const { runCluster } = await import('../controllers/cluster/cluster.ts')
      await runCluster(parts, { nodes, version, level, isOn: (name) => !controllersOff.has(name) }, signal)
    },
  }
}

/** The versions that are built in and have a rank among the groups. */
function rankedVersions(groups: readonly BuiltInGroup[]): readonly BuiltInApiService[] {
  return groups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, priority }) => (priority === undefined ? [] : [{ group, version, priority }])),
  )
}
