// The built-in resources, the cache of their objects, and authentication. Each needs the others. Authentication is made first, because it
// reads the resources and the cache only later.
import { formatGroupResource } from '../api/object.ts'
import { ApiError } from '../api/status.ts'
import type { LiveObject, LiveObjects } from '../auth/live-objects.ts'
import type { SharedContents, WatchCache } from '../cache/cache.ts'
import { openWatchCache } from '../cache/cache.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { rememberingManagedFields } from '../codec/stored-managed-fields.ts'
import { ENDED_SESSIONS } from '../controllers/ended-sessions.ts'
import { QUOTA_COUNTS } from '../controllers/quota-counts.ts'
import { MASTER_LEASES } from '../controllers/kubernetes-service.ts'
import type { Kv } from '../kv/kv.ts'
import {
  accessReviewActions,
  type BuiltInTable,
  builtInResources,
  NODE_PORTS,
  PORT_RANGES,
  type SharedDefinitions,
  type SharedResources,
  tokenRequestAction,
  tokenReviewAction,
} from '../kinds/kinds.ts'
import type { DefaultsContext } from '../schema/defaults/defaults.ts'
import type { SchemaTable } from '../schema/table.ts'
import { type Clock, waitClockOf } from '../lib/clock.ts'
import { type Log, logOf } from '../lib/log.ts'
import type { CountKeys } from '../lib/runtime/count-keys.ts'
import { type FollowableStore, openKvStore } from '../store/kv-store.ts'
import type { Transformer } from '../store/transformer.ts'
import type { ClusterConfig } from '../config/cluster-config.ts'
import type { Authorization } from './authorization.ts'
import { foreignObjects } from '../kinds/foreign-objects.ts'
import { ofOtherLevels } from '../kinds/other-levels.ts'
import type { FeatureGates } from '../config/feature-gates.ts'
import type { Identity } from './identity.ts'
import type { Range } from '../config/ip-range.ts'
import type { QueryConfig } from '../config/query-config.ts'
import { StartError } from '../config/start-error.ts'
import { checkIndexedPlaces } from '../registry/query/query.ts'
import { tellUnreadable } from '../store/unreadable-objects.ts'
import { noteLegacyUse } from '../controllers/legacy-tokens.ts'
import { liveObjects } from '../controllers/live-objects.ts'
import { type ServerMeasures } from './measures.ts'

export interface ObjectsOptions {
  readonly kv: Kv
  /** The schema of the built-in kinds. */
  readonly schema: SchemaTable
  readonly prefix: string
  readonly transformer: Transformer
  readonly gates: FeatureGates
  readonly eventTtlMs: number
  readonly allowPrivileged: boolean
  readonly authorization: Authorization
  /** Opens authentication. Authentication reads objects, and the actions for tokens need authentication. */
  readonly openIdentity: (live: LiveObjects, onLegacyUse: (secret: LiveObject) => void) => Identity
  /** The ranges of service addresses. */
  readonly serviceRange: Range
  readonly clock: Clock
  readonly log: Log
  readonly cluster: ClusterConfig
  readonly measures: ServerMeasures
  readonly countKeys: CountKeys
  readonly indexes: QueryConfig['indexes']
  /** The cache of the server whose state this server starts from. */
  readonly shared: SharedContents | undefined
  /** The kinds of the server whose state this server starts from. */
  readonly sharedKinds: SharedKinds | undefined
}

/** The parts that depend only on the schema and the definitions, so that servers can share them. */
export interface SharedKinds {
  readonly resources: SharedResources
  readonly definitions: SharedDefinitions
}

export interface Objects {
  readonly identity: Identity
  readonly builtIn: BuiltInTable
  readonly store: WatchCache
  readonly kvStore: FollowableStore
}

export function openObjects(options: ObjectsOptions, defaults: DefaultsContext): Objects {
  const { kv, prefix, schema, transformer, gates, authorization, measures } = options
  const log = logOf(options.log, 'cache')
  const { authorizer } = authorization
  const late = { store: () => store, table: () => builtIn }
  const identity = options.openIdentity(
    liveObjects(late.store, late.table),
    noteLegacyUse({ ...late, clock: options.clock, log: logOf(options.log, 'authentication') }),
  )
  const builtIn: BuiltInTable = builtInResources(schema, canonicalJson, {
    texts: rememberingManagedFields,
    actions: [
      ...accessReviewActions(schema, authorizer),
      tokenRequestAction(schema, identity.tokenRequests),
      tokenReviewAction(schema, identity.tokens.review),
    ],
    roleGuard: { authorizer, index: authorization.rbac },
    serviceRange: options.serviceRange.text,
    nodePorts: options.cluster.nodePorts,
    serviceMeasures: measures.services,
    eventTtlSeconds: Math.ceil(options.eventTtlMs / 1000),
    allowPrivileged: options.allowPrivileged,
    ...(options.cluster.served !== undefined && { groups: options.cluster.served.known }),
    shared: options.sharedKinds?.resources,
  })
  const family = options.serviceRange.text.includes(':') ? 'IPv6' : 'IPv4'
  const decodeForeign = foreignObjects({ schema, resources: builtIn, family, defaults })
  const isForeign = ofOtherLevels(schema, builtIn)
  const kvStore = openKvStore({ kv, prefix, transformer, decodeForeign, isForeign, measures: measures.store })
  const store: WatchCache = openWatchCache({
    store: kvStore,
    measures: measures.cache,
    indexes: checkedIndexes(options.indexes, builtIn),
    resources: [
      ...[...builtIn.all()].map((resource) => resource.stored),
      NODE_PORTS,
      PORT_RANGES,
      MASTER_LEASES,
      ENDED_SESSIONS,
      QUOTA_COUNTS,
    ],
    shared: options.shared,
    servePastStates: gates.ListFromCacheSnapshot,
    countKeys: options.countKeys,
    clock: options.clock,
    waitClock: waitClockOf(options.clock),
    onLoading: tellProgress(log),
    onUnreadable: tellUnreadable(logOf(options.log, 'storage'), prefix),
    onError: (error) => log.warn({ err: error }, 'watch cache lost its storage watch, recovering'),
  })
  return { identity, builtIn, store, kvStore }
}

/** Throws a `StartError` for a field that a built-in kind does not have. Custom kinds may be defined later. */
function checkedIndexes(indexes: QueryConfig['indexes'], builtIn: BuiltInTable): QueryConfig['indexes'] {
  for (const resource of builtIn.all()) {
    const places = indexes.get(formatGroupResource(resource.stored))
    if (places === undefined || resource.version !== resource.storedKind.version) continue
    try {
      checkIndexedPlaces(formatGroupResource(resource.stored), places, resource.schema.shape)
    } catch (error) {
      throw error instanceof ApiError ? new StartError(`--index: ${error.message}`) : error
    }
  }
  return indexes
}

/** Logs the progress of loading if it takes longer than a second. */
function tellProgress(log: Log): (loaded: number, total: number) => void {
  let told = performance.now()
  return (loaded, total) => {
    if (performance.now() - told < 1000) return
    told = performance.now()
    log.info({ loaded, total }, 'loading watch cache')
  }
}
