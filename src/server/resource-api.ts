// The resources that are served, put together: storage, registry, admission, and the handlers of their verbs.
import type { Admission } from '../admission/admission.ts'
import { admitInOrder } from '../admission/chain.ts'
import { namespaceLifecycle } from '../admission/namespace-lifecycle.ts'
import { forbiddenAccess } from '../http/forbidden.ts'
import type { ApiObject, GroupVersionResource } from '../api/object.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import type { WatchCache } from '../cache/cache.ts'
import { openWatchCache } from '../cache/cache.ts'
import { canonicalJson } from '../codec/json-encode.ts'
import { Transcoder } from '../codec/transcode.ts'
import type { Controller } from '../controllers/controllers.ts'
import { defaultServiceAccounts, rootCertificates } from '../controllers/namespace-furnishings.ts'
import { garbageCollector } from '../controllers/garbage-collector.ts'
import { kubernetesService, PRESENCE } from '../controllers/kubernetes-service.ts'
import { namespaceController } from '../controllers/namespaces.ts'
import { serviceAddresses } from '../controllers/service-addresses.ts'
import { makeSystemNamespaces, systemNamespaces } from '../controllers/system-namespaces.ts'
import { systemPriorityClasses } from '../controllers/system-priority-classes.ts'
import { OpenApiDocuments } from '../codec/openapi-documents.ts'
import { discoveryRoutes } from '../handlers/discovery.ts'
import { openApiRoutes } from '../handlers/openapi.ts'
import type { Route } from '../http/router.ts'
import { builtInGroups } from '../schema/built-in-resources.ts'
import { builtInOpenApiParts } from '../schema/openapi-parts.ts'
import { serveResources } from '../handlers/resources.ts'
import type { Handler, HttpRequest } from '../http/http.ts'
import type { Kv } from '../kv/kv.ts'
import type { ResourceTable } from '../registry/registry.ts'
import { builtInResources, NODE_PORTS } from '../resources/resources.ts'
import { decodeObject } from '../schema/decode.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { InvariantError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { DryRunStore } from '../store/dry-run.ts'
import type { Store } from '../store/store.ts'
import { openKvStore } from '../store/kv-store.ts'
import type { FeatureGates } from './feature-gates.ts'
import type { Range } from './ip-range.ts'

export interface ResourceApiOptions {
  readonly kv: Kv
  readonly prefix: string
  readonly gates: FeatureGates
  readonly eventTtlMs: number
  readonly authorizer: Authorizer
  /** The certificates that clients of this server are to trust, PEM. */
  readonly authority: string
  /** Where the addresses of services come from. */
  readonly serviceRange: Range
  readonly log: Log
  /** As the documents about the API tell it. */
  readonly version: string
  /** `host:port`, known once the server listens. */
  readonly serverAddress: () => string
  /** Where other machines reach this server; undefined where they cannot. */
  readonly advertisedAddress: string | undefined
}

export interface ResourceApi {
  readonly handler: Handler
  readonly cache: WatchCache
  readonly controllers: readonly Controller[]
  /** Resolves when everything is loaded and what every client counts on is there. */
  readonly ready: (signal: AbortSignal) => Promise<void>
  readonly isServed: (resource: GroupVersionResource) => boolean
  /** Discovery and the documents about the resources. */
  readonly routes: readonly Route[]
}

export function openResourceApi(options: ResourceApiOptions): ResourceApi {
  const { kv, prefix, gates, authorizer, authority, serviceRange, log } = options
  const schema = loadBuiltInSchema()
  const table = builtInResources(schema, canonicalJson, {
    serviceRange: serviceRange.text,
    eventTtlSeconds: Math.ceil(options.eventTtlMs / 1000),
  })
  const store = openWatchCache({
    store: openKvStore({ kv, prefix }),
    resources: [...[...table.all()].map((resource) => resource.stored), NODE_PORTS, PRESENCE],
    servePastStates: gates.ListFromCacheSnapshot,
    onLoading: tellProgress(log),
    onError: (error) => log.warn({ err: error }, 'the cache lost the store and recovers'),
  })
  const deleteOptions = kindIn(schema, '', 'DeleteOptions')
  const shared = {
    resources: () => table,
    registry: { store, dryRunStore: new DryRunStore(store), admission: openAdmission(store, table) },
    gates: new Set(Object.entries(gates).flatMap(([name, on]) => (on ? [name] : []))),
    now: () => `${new Date().toISOString().slice(0, 19)}Z`,
  }
  const handler = serveResources({
    ...shared,
    kinds: {
      partialMetadata: kindIn(schema, 'meta.k8s.io', 'PartialObjectMetadata'),
      status: kindIn(schema, '', 'Status'),
    },
    encoding: { schemas: schema, transcoder: new Transcoder() },
    deleteOptions: { schema: deleteOptions, decode: (source) => decodeObject(source, deleteOptions.shape) },
    authorize: (request, verb) => authorizeAlso(authorizer, request, verb),
  })
  const parts = { ...shared, log }
  const controllers = [
    systemNamespaces(parts),
    systemPriorityClasses(parts),
    namespaceController(parts),
    garbageCollector(parts),
    defaultServiceAccounts(parts),
    rootCertificates(parts, authority),
    kubernetesService(parts, {
      address: options.advertisedAddress,
      port: () => Number(/:(\d+)$/.exec(options.serverAddress())?.[1] ?? 0),
      serviceRange,
    }),
    serviceAddresses(parts),
  ]
  const groups = builtInGroups()
  const info = { title: 'Quarterdeck', version: options.version }
  const documents = lazily(() => new OpenApiDocuments(info, builtInOpenApiParts()))
  const routes = [
    ...discoveryRoutes({
      groups: () => groups,
      serverAddress: options.serverAddress,
      kind: (group, version, kind) => kindIn(schema, group, kind, version),
      cbor: gates.CBORServingAndStorage,
    }),
    ...openApiRoutes(documents, new Date()),
  ]
  const ready = async (signal: AbortSignal): Promise<void> => {
    await store.ready(signal)
    await makeSystemNamespaces(parts, signal)
  }
  const isServed = (resource: GroupVersionResource): boolean => table.find(resource) !== undefined
  return { handler, cache: store, controllers, ready, routes, isServed }
}

/** What every write has to pass. A namespace that was just made elsewhere counts: the cache is asked, then the storage. */
function openAdmission(store: Store, table: ResourceTable): Admission {
  const namespaces = table.find({ group: '', version: 'v1', resource: 'namespaces' })
  if (namespaces === undefined) throw new InvariantError('namespaces are not served')
  const find = async (name: string, signal: AbortSignal): Promise<ApiObject | undefined> => {
    const key = { resource: namespaces.stored, namespace: '', name }
    const cached = await store.get(key, { kind: 'any' }, signal)
    const { item } = cached.item === undefined ? await store.get(key, { kind: 'latest' }, signal) : cached
    return item?.kind === 'object' ? item.object() : undefined
  }
  return admitInOrder([namespaceLifecycle(find)])
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function kindIn(schema: SchemaTable, group: string, kind: string, version = 'v1'): KindSchema {
  const found = schema.kind({ group, version, kind })
  if (found === undefined) throw new InvariantError(`the schema has no ${kind}`)
  return found
}

/** Says how far loading is where it takes longer than a second. */
function tellProgress(log: Log): (loaded: number, total: number) => void {
  let told = performance.now()
  return (loaded, total) => {
    if (performance.now() - told < 1000) return
    told = performance.now()
    log.info({ loaded, total }, 'loading objects')
  }
}

/** A request that turns out to do more than it was let in for. */
async function authorizeAlso(authorizer: Authorizer, request: HttpRequest, verb: string): Promise<void> {
  const { info, user, signal } = request
  if (info.kind !== 'resource') return
  const access = { ...info, kind: 'resource', user, verb } as const
  const decision = await authorizer.authorize(access, signal)
  if (decision.kind !== 'allow') throw forbiddenAccess(access, decision.reason)
}
