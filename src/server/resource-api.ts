// Composes the served resources: storage, registry, admission, and the handlers of their verbs.
import { hostname } from 'node:os'
import { refuseAccess } from '../http/forbidden.ts'
import type { BodyText } from '../audit/redact.ts'
import type { GroupVersionResource } from '../api/object.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { TypeLoad, WatchCache } from '../cache/cache.ts'
import { publishAuthentication } from '../controllers/extension-authentication.ts'
import { gatesOn } from '../config/feature-gates.ts'
import type { EndedSessions, SessionKey } from '../console/console.ts'
import { findConsoleKey, makeConsoleKey } from '../controllers/console-key.ts'
import type { SimulatedContainers } from '../controllers/cluster/cluster.ts'
import { runControllers, type Controller, type ControllerParts } from '../controllers/controllers.ts'
import { endSession, isEndedSession } from '../controllers/ended-sessions.ts'
import { definitionNames } from '../controllers/definition-names.ts'
import { makeBootstrapRoles } from '../controllers/bootstrap-roles.ts'
import { makeFlowObjects } from '../controllers/flow-control-objects.ts'
import { identityOf } from '../controllers/server-identity.ts'
import { claimAddressesInUse } from '../controllers/service-ip-repair.ts'
import { makeSystemNamespaces } from '../controllers/system-objects.ts'
import type { ExtensionPoints } from '../extensions/registration.ts'
import { discoveryRoutes } from '../handlers/discovery.ts'
import type { HealthCheck } from '../handlers/health.ts'
import { openApiRoutes } from '../handlers/openapi.ts'
import type { Route } from '../http/router.ts'
import type { CallersRequest, ResourceParts } from '../handlers/resource-parts.ts'
import { serveResources } from '../handlers/resources.ts'
import { showWatchers, type WatchersElsewhere } from '../handlers/watchers-page.ts'
import { type WatcherStatus, Watchers } from '../handlers/watchers.ts'
import { aggregatedProxy, proxyAggregatedGroups } from '../handlers/aggregated-proxy.ts'
import type { CallerFilter, CallerHandler } from '../http/http.ts'
import { historyReader } from '../registry/read.ts'
import type { Resource } from '../registry/registry.ts'
import type { AggregatedService } from '../kinds/kinds.ts'
import { builtInGroups } from '../schema/built-in-resources.ts'
import { type Random, systemRandom } from '../lib/random.ts'
import { Turns } from '../lib/turns.ts'
import type { Config } from '../config/config.ts'
import { inWholeSeconds, systemClock } from '../lib/clock.ts'
import { logOf } from '../lib/log.ts'
import type { Family } from '../lib/measure.ts'
import type { Tracing } from '../lib/tracing.ts'
import { together } from '../lib/together.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { dryRunOf } from '../store/dry-run.ts'
import { servedResource } from '../registry/served-resource.ts'
import { BatchScope, ObjectBatch } from '../registry/object-batch.ts'
import { ServedStore } from '../registry/served-store.ts'
import type { AdmissionPluginName } from '../config/admission-plugins.ts'
import { type AdmissionParts, openAdmission } from './admission.ts'
import { CacheCheck } from '../cache/cache-check.ts'
import { componentProbes } from '../handlers/component-statuses.ts'
import { FLOW_OBJECTS, makeOwnObjects, openControllers } from './controllers.ts'
import type { Candidacy } from '../controllers/leader-election.ts'
import { openDefinitions } from './definitions.ts'
import { aggregatedDiscoveryReader } from '../controllers/aggregated-discovery.ts'
import { AggregatedGroups, aggregatedTarget } from '../controllers/aggregated-groups.ts'
import { aggregatedDocumentsReader } from '../controllers/aggregated-openapi.ts'
import type { DiscoveryGroup } from '../registry/discovery.ts'
import { openWorkerThreads } from '../threads/large-writes.ts'
import { kindIn, wireParts } from '../codec/wire-parts.ts'
import { ObjectQueries } from '../registry/query/query.ts'
import { servedTable } from '../registry/served-table.ts'
import { openServiceResolver } from '../controllers/service-resolver.ts'
import type { Identity } from './identity.ts'
import { type ObjectsOptions, openObjects, type SharedKinds } from './objects.ts'
import type { PeerFiles } from '../config/peer-files.ts'
import { type ReplicaParts, watchersOfReplicas } from '../workers/replicas.ts'
import { tracedRegistry } from './tracing.ts'
import type { KnownTypes } from '../telemetry/gone-series.ts'
import { stockFamilies } from './measures.ts'
import { withSimulatedNodes } from './simulated-nodes.ts'
import { isServed, OWN_TYPES, type ServedPlace } from './served-places.ts'

export interface ResourceApiOptions extends ObjectsOptions {
  readonly admissionPlugins: ReadonlySet<AdmissionPluginName>
  readonly admissionSettings: AdmissionParts['settings']
  /** The certificates that clients of this server must trust, in PEM. */
  readonly authority: string
  /** The certificate for aggregated servers, and the authority for the certificates of other replicas. */
  readonly peerFiles: Pick<PeerFiles, 'proxyCertificate' | 'peerAuthority'>
  readonly nodes: ResourceParts['nodes']
  /** The logs, commands and ports of containers on simulated nodes. */
  readonly containers: SimulatedContainers | undefined
  /** Calls the webhooks. */
  readonly caller: OutgoingCaller
  /** Calls the servers of the operator's configuration. */
  readonly operatorsCaller: OutgoingCaller
  readonly random: Random
  /** The version in the OpenAPI documents. */
  readonly version: string
  /** `host:port`, known once the server listens. */
  readonly serverAddress: () => string
  /** The address in answers of discovery. */
  readonly shownAddress: () => string
  /** The address at which other machines reach this server. Undefined: they cannot. */
  readonly advertisedAddress: string | undefined
  /** The `host:port` at which other replicas can ask this one. Empty until the server listens. Undefined: other replicas cannot ask it. */
  readonly peerAddress: () => string | undefined
  /** The number of servers of the storage. */
  readonly storeCount: number
  readonly requests: Pick<Config, 'minRequestTimeoutMs' | 'inPlaceMs' | 'queries'>
  /** The number of processes of the server. */
  readonly workers: number
  readonly controllersOff: ReadonlySet<string>
  /** Whether other replicas may work on the same store. */
  readonly hasReplicas: boolean
  readonly candidate: Candidacy | undefined
  /** The watchers of other processes of this server. */
  readonly otherWatchers: (() => Promise<readonly WatcherStatus[]>) | undefined
  /** Whether this server is a fork. A fork does not make the objects that every client relies on: the store has them. */
  readonly isFork: boolean
  readonly wrapWatch: ResourceParts['watches']['wrap']
  readonly tracing: Tracing | undefined
}

export interface ResourceApi {
  readonly handler: CallerHandler
  readonly cache: WatchCache
  /** Health checks of the parts in memory. */
  readonly checks: readonly HealthCheck[]
  readonly controllers: readonly Controller[]
  /** The parts that controllers use. */
  readonly parts: ControllerParts
  /** Resolves when everything is loaded, and the objects that every client relies on exist. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  /** Follows the stored objects that this replica must know, until the signal fires. */
  readonly follow: (signal: AbortSignal) => Promise<void>
  /** Whether the API serves a resource or subresource. A client may name a resource that does not exist. */
  readonly isServed: (place: ServedPlace) => boolean
  /** The size of a type in the cache. Undefined: the type is not cached. */
  readonly load: (resource: GroupVersionResource) => TypeLoad | undefined
  readonly find: (resource: GroupVersionResource) => Resource | undefined
  /** Makes the texts of bodies for the audit log. */
  readonly bodyText: BodyText
  readonly watchers: () => readonly WatcherStatus[]
  readonly groups: () => readonly DiscoveryGroup[]
  readonly families: readonly Family[]
  /** The types that may be labels of metrics. */
  readonly types: KnownTypes
  /** Handles requests for groups of other servers. */
  readonly proxyAggregated: CallerFilter
  /** Discovery and the documents about the resources. */
  readonly routes: readonly Route[]
  readonly identity: Identity
  /** The key that seals sessions of the console, on every replica. */
  readonly consoleKey: SessionKey
  readonly endedSessions: EndedSessions
  /** The tables that a fork of this server reuses. */
  readonly sharedKinds: () => SharedKinds
  /** Takes functions that replace webhooks. */
  readonly extensionPoints: ExtensionPoints
}

export function openResourceApi(options: ResourceApiOptions): ResourceApi {
  const { schema, gates, authorization, caller, cluster, clock, random, log, measures } = options
  const { authorizer } = authorization
  const openGates = gatesOn(gates)
  const now = inWholeSeconds(clock)
  const defaults = { gates: openGates, now }
  const { identity, builtIn, store, kvStore } = openObjects(options, defaults)
  const locate = openServiceResolver(store, builtIn)
  const threads = openWorkerThreads({
    inPlaceMs: random === systemRandom ? options.requests.inPlaceMs : Number.POSITIVE_INFINITY,
    workers: options.workers,
    settings: {
      level: schema.level,
      groups: builtIn.groups,
      gates: openGates,
      serviceRange: options.serviceRange.text,
      nodePorts: cluster.nodePorts,
      eventTtlSeconds: Math.ceil(options.eventTtlMs / 1000),
      allowPrivileged: options.allowPrivileged,
    },
    parts: () => served,
    authorizer,
    store,
    onWritten: (key, result) => definitions.onWritten(key, result),
    definitionOf: ({ group, resource }) =>
      store.peek({ resource: definitionsOf.stored, namespace: '', name: `${resource}.${group}` }),
    kindsVersion: () => definitions.table.version,
    rules: measures.rules,
    random,
    schema,
    onSpent: (user, milliseconds) => measures.http.turns.spend(user, milliseconds),
  })
  const definitionsOf = servedResource(builtIn, 'customresourcedefinitions', 'apiextensions.k8s.io')
  const turns = new Turns()
  const wire = wireParts(schema, { turns, writeElsewhere: threads.writeElsewhere })
  const groups = cluster.served?.groups ?? builtInGroups(schema.level)
  const definitions = openDefinitions({
    schema,
    builtIn,
    groups,
    cache: store,
    documents: { info: { title: 'Quarterdeck', version: options.version }, turns },
    calls: { caller, locate },
    rules: measures.rules,
    shared: options.sharedKinds?.definitions,
  })
  const { table } = definitions
  const servedStore = new ServedStore(store, definitions.onWritten)
  // Like a write, a dry run converts the object to the stored version, so it fails in the same cases.
  const dryRunStore = new ServedStore(dryRunOf(store))
  const batches = new BatchScope()
  const admission = openAdmission({
    store,
    batches,
    table,
    authorizer,
    enabled: options.admissionPlugins,
    settings: options.admissionSettings,
    defaults: () => defaults,
    clock,
    random,
    measures,
    caller,
    operatorsCaller: options.operatorsCaller,
    locate,
    log: logOf(log, 'admission'),
  })
  const shared = {
    resources: () => table,
    registry: tracedRegistry({ store: servedStore, dryRunStore, admission: admission.admission }, options.tracing),
    gates: openGates,
    clock,
    now,
    random,
  }
  const cacheCheck = new CacheCheck({
    cache: store,
    storage: kvStore,
    types: () => table.all(),
    log: logOf(log, 'cache'),
  })
  const watchers = new Watchers({
    clock: systemClock,
    log: logOf(log, 'requests'),
    measures: measures.watch,
    workers: options.workers,
    revision: () => store.revision,
  })
  const exposed = cluster.served === undefined ? table : servedTable(table, cluster.served.isServed)
  const served: ResourceParts = {
    ...shared,
    ...wire,
    largeWrites: threads.largeWrites,
    openBatch: (revision) => {
      const { registry } = shared
      return new ObjectBatch({ store, registry, scope: batches, onWritten: definitions.onWritten }, revision)
    },
    resources: () => exposed,
    awaitResource: definitions.awaitResource,
    nodes: withSimulatedNodes(options, shared),
    components: componentProbes((signal) => options.kv.checkHealth(signal), options.storeCount),
    readHistory: gates.ObjectHistory ? historyReader(kvStore.history, table) : undefined,
    watches: {
      measures: measures.watch,
      watchers,
      shortestSeconds: options.requests.minRequestTimeoutMs / 1000,
      wrap: options.wrapWatch,
    },
    queries: new ObjectQueries({ ...options.requests.queries, clock: systemClock }),
    authorize: (request, asked) => authorizeAlso(authorizer, request, asked),
  }
  const handler = serveResources(served)
  const parts = { ...shared, log: logOf(log, 'controllers'), queues: measures.queues }
  const targetOf = (service: AggregatedService): OutgoingTarget =>
    aggregatedTarget(service, locate, options.peerFiles.proxyCertificate)
  const probeRemote = aggregatedDiscoveryReader(caller, targetOf)
  const remotes = new AggregatedGroups({
    resources: probeRemote,
    documents: aggregatedDocumentsReader(caller, targetOf),
    clock,
  })
  const discovered = (): readonly DiscoveryGroup[] => remotes.among(table.groups())
  const objectsOfDefinition = (name: string): Resource | undefined => table.storageResource(name)
  const ready = async (signal: AbortSignal): Promise<void> => {
    await store.ready(signal)
    await admission.loaded
    await definitions.loaded
    if (options.isFork) return authorization.untilKnown([], signal)
    await makeSystemNamespaces(parts, signal)
    await claimAddressesInUse(parts, signal)
    let roles: Awaited<ReturnType<typeof makeBootstrapRoles>> = []
    await together(signal, (until) => [
      makeBootstrapRoles(parts, schema.level, until).then((made) => (roles = made)),
      makeFlowObjects(parts, FLOW_OBJECTS, until),
      makeOwnObjects(parts, options, until),
      publishAuthentication(parts, identity.trust(), until),
    ])
    await authorization.untilKnown(roles, signal)
  }
  const follow = async (signal: AbortSignal): Promise<void> => {
    await using _ = threads
    await together(signal, (until) => [
      authorization.follow(parts, () => store.revision, until),
      admission.follow(until),
      definitions.follow(until),
      remotes.follow(store, builtIn, until),
      runControllers([definitionNames(parts)], parts, until),
      cacheCheck.run(until),
    ])
  }
  return {
    handler,
    cache: store,
    checks: [cacheCheck.check],
    parts,
    controllers: openControllers(parts, { ...options, objectsOfDefinition, probeRemote, trust: identity.trust }),
    ready,
    follow,
    isServed: (place) => isServed(exposed, place),
    types: {
      version: () => table.version,
      isServed: (resource) => isServed(exposed, { ...resource, subresource: undefined }),
      isKnown: (name) => table.isKnown(name) || OWN_TYPES.has(name),
    },
    find: (resource) => table.find(resource),
    bodyText: threads.bodyText,
    watchers: () => watchers.statuses(),
    groups: discovered,
    load: (resource) => {
      const found = table.find(resource)
      return found === undefined ? undefined : store.load(found.stored)
    },
    families: [
      ...admission.measures,
      ...definitions.measures,
      ...remotes.measures,
      ...watchers.families,
      ...threads.families,
      cacheCheck.measure,
      ...stockFamilies({
        table: () => table,
        cache: store,
        serviceRange: options.serviceRange.text,
        nodePorts: cluster.nodePorts,
      }),
    ],
    proxyAggregated: proxyAggregatedGroups(remotes, aggregatedProxy(caller, targetOf)),
    routes: [
      ...discoveryRoutes({
        groups: discovered,
        withNamed: (groups) => remotes.withNamed(groups),
        serverAddress: options.shownAddress,
        kind: (group, version, kind) => kindIn(schema, group, kind, version),
        cbor: gates.CBORServingAndStorage,
      }),
      ...openApiRoutes(() => remotes.documents(definitions.documents()), clock),
      { path: '/debug/watchers', handler: showWatchers(watchers, watchedElsewhere(parts, options)), listed: () => [] },
    ],
    identity,
    consoleKey: { find: (signal) => findConsoleKey(parts, signal), make: (signal) => makeConsoleKey(parts, signal) },
    endedSessions: {
      has: (session, signal) => isEndedSession(parts, session, signal),
      add: (session, signal) => endSession(parts, session, signal),
    },
    sharedKinds: () => ({ resources: builtIn.shared, definitions: table.share() }),
    extensionPoints: {
      admit: admission.addFunction,
      convert: definitions.addFunction,
      authorize: authorization.addFunction,
    },
  }
}

/** The watchers of other processes of this server, and of other replicas on its store. */
function watchedElsewhere(parts: ControllerParts, options: ResourceApiOptions): WatchersElsewhere {
  const ownName = identityOf(options.cluster.hostname ?? hostname())
  const { operatorsCaller: caller, peerFiles } = options
  const asked = (): ReplicaParts => {
    const { proxyCertificate, peerAuthority: authority = options.authority } = peerFiles
    return { ...parts, ownName, caller, proxyCertificate, authority }
  }
  return {
    workers: options.otherWatchers,
    replicas: {
      ownName,
      ask: async (user, signal) => (options.hasReplicas ? watchersOfReplicas(asked(), user, signal) : []),
    },
  }
}

/** Authorizes a further access that a request turns out to need. */
async function authorizeAlso(
  authorizer: Authorizer,
  { http, caller }: CallersRequest,
  asked: { readonly verb: string; readonly subresource?: string },
): Promise<void> {
  const { info, signal } = http
  const { user } = caller
  if (info.kind !== 'resource') return
  const access = { ...info, kind: 'resource', user, ...asked } as const
  const decision = await authorizer.authorize(access, signal)
  if (decision.kind !== 'allow') await refuseAccess(http, { access, decision, reader: user }, authorizer)
}
