// Parts that the handlers of resources share: their dependencies, their requests and the context of a write.
import type { ListRules } from '../api/list-query.ts'
import type { ApiObject, GroupVersionResource } from '../api/object.ts'
import type { SelectableFields } from '../api/selector-fields.ts'
import type { Asked } from '../codec/negotiate.ts'
import type { WireParts } from '../codec/wire-parts.ts'
import type { Caller, HttpRequest, HttpResponse } from '../http/http.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { ResourceInfo } from '../http/request-info.ts'
import { readHeaderText } from '../lib/header-text.ts'
import type { ObjectQueries } from '../registry/query/query.ts'
import type { ReadHistory, Watch } from '../registry/read.ts'
import type {
  Action,
  RegistryParts,
  Resource,
  ResourceTable,
  WriteBatch,
  WriteContext,
  WrittenKind,
} from '../registry/registry.ts'
import type { ObjectBatch } from '../registry/object-batch.ts'
import { managerOf, type WriteOptions } from './write-options.ts'
import type { NodeConnections } from './node-connections.ts'
import type { ClientName } from './watch-clients.ts'
import type { WatchMeasures } from './watch-measures.ts'
import type { Watchers } from './watchers.ts'

export type KindSchema = Resource['schema']

export interface ResourceParts extends WireParts {
  readonly resources: () => ResourceTable
  /**
   * Called for an unknown resource. Resolves when the server knows all definitions that are stored now. Absent: the resources never change.
   */
  readonly awaitResource?: (resource: GroupVersionResource, signal: AbortSignal) => Promise<void>
  readonly registry: RegistryParts
  readonly gates: ReadonlySet<string>
  readonly watches: WatchParts
  readonly queries: ObjectQueries
  /** Runs expensive writes in other threads. Absent: every write runs in this thread. */
  readonly largeWrites?: LargeWrites | undefined
  /** Opens a batch that reads nothing older than the revision. Absent: no transactions. */
  readonly openBatch?: ((revision: number | undefined) => ObjectBatch) | undefined
  /** The batch that the writes belong to. */
  readonly batch?: WriteBatch | undefined
  readonly components?: readonly ComponentProbe[]
  /** Connects to pods, services and kubelets. Absent: clients cannot reach them. */
  readonly nodes?: NodeConnections | undefined
  /** Reads the past of an object. Absent: the server does not show it. */
  readonly readHistory?: ReadHistory | undefined
  /** The clock for the ends of watches and the ages of objects. */
  readonly clock: Clock
  /** The time of the clock in RFC 3339, in whole seconds. */
  readonly now: () => string
  /** The source of random numbers. Absent: the system's. */
  readonly random?: Random | undefined
  /** Throws `Forbidden` if the caller may not use the verb on the object of the request. */
  readonly authorize: (
    request: CallersRequest,
    asked: { readonly verb: string; readonly subresource?: string },
  ) => Promise<void>
}

export type WriteVerb = 'create' | 'update' | 'patch' | 'delete' | 'action'

/** A write whose body has been read. Nothing else has happened yet. */
export interface HandedWrite {
  readonly verb: WriteVerb
  readonly request: ResourceRequest | ActionRequest
  readonly bytes: Buffer
  /** Absent: the write belongs to no batch. */
  readonly batch?: HandedBatch
}

export interface HandedBatch {
  readonly parts: ResourceParts
  /** The store of the batch, with objects in the form in which they are stored. */
  readonly store: RegistryParts['store']
}

export interface LargeWrites {
  /** Undefined: the write is small, and its handler goes on with it. */
  take(write: HandedWrite): Promise<HttpResponse> | undefined
  /** After this call, every write of the resource counts as large. */
  takeAll(resource: Resource): void
}

/** A part of the cluster with a health check. `check` throws an error with the reason if the part is not healthy. */
export interface ComponentProbe {
  readonly name: string
  readonly check: (signal: AbortSignal) => Promise<void>
}

export interface WatchParts {
  readonly measures: WatchMeasures
  readonly watchers: Watchers
  /** A watch without `timeoutSeconds` lasts at least this long, and at most twice as long (P-228). */
  readonly shortestSeconds: number
  /** Wraps every watch. Absent: watches are not wrapped. */
  readonly wrap?: ((request: ResourceRequest, watch: Watch) => Watch) | undefined
}

export interface CallersRequest {
  readonly http: HttpRequest
  readonly caller: Caller
}

/** A request for a resource that is served. */
export interface ResourceRequest extends CallersRequest {
  readonly info: ResourceInfo
  readonly resource: Resource
  /** Empty for cluster-scoped resources, and for lists across all namespaces. */
  readonly namespace: string
}

/** A request for an action on its body. */
export interface ActionRequest extends CallersRequest {
  readonly info: ResourceInfo
  readonly action: Action
  /** Empty for cluster-scoped actions. */
  readonly namespace: string
}

/** A request whose answer is an object of this kind. The kind need not be stored. */
export interface ServedRequest extends Pick<ResourceRequest, 'http' | 'caller' | 'info'> {
  readonly resource: WrittenKind
}

/** The kind that the path of the request reads and writes: the resource itself, or a view of it as another kind. */
export function servedAt({ http, caller, info, resource }: ResourceRequest): ServedRequest {
  const view = info.subresource === undefined ? undefined : resource.subresources.get(info.subresource)?.view
  return { http, caller, info, resource: view ?? resource }
}

/** The fields by which clients can select objects of the resource. */
export function fieldsOf(resource: Resource): SelectableFields {
  return resource.selectable
}

const SHARDS_GATE = 'ShardedListAndWatch'

export function listRulesOf({ gates }: ResourceParts, resource: Resource): ListRules {
  return { selectable: fieldsOf(resource), hasShards: gates.has(SHARDS_GATE) }
}

export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

/** The media types that the client requests. */
export function askedBy(request: HttpRequest): Asked {
  return { accept: headerOf(request, 'accept'), contentType: headerOf(request, 'content-type') }
}

function userAgentOf(request: HttpRequest): string {
  const value = headerOf(request, 'user-agent')
  return readHeaderText(value) ?? value
}

/** A longer User-Agent is cut off. */
const LONGEST_AGENT = 256

export function clientOf({ http, caller, resource }: ResourceRequest): ClientName {
  const agent = userAgentOf(http).slice(0, LONGEST_AGENT)
  return { user: caller.user.name, agent, group: resource.group, resource: resource.resource }
}

/** The longest time for a write of one object, with the time of its webhooks (W-017). */
const WRITE_CEILING_MS = 34_000

export function writeContext(
  parts: ResourceParts,
  request: Pick<ResourceRequest, 'http' | 'caller' | 'namespace'>,
  options: WriteOptions,
): WriteContext {
  const { http, caller } = request
  return {
    user: caller.user,
    namespace: request.namespace,
    dryRun: options.dryRun,
    now: parts.now(),
    random: parts.random,
    gates: parts.gates,
    warn: http.responder.warn,
    annotate: (key, value) => caller.audit.annotate(key, value),
    signal: http.signal,
    deadline: performance.now() + WRITE_CEILING_MS,
    fieldManager: managerOf(options, userAgentOf(http)),
    options: options.body,
    authorize: (verb) => parts.authorize(request, { verb }),
    batch: parts.batch,
    resume: () => http.resume(),
  }
}

/** The object with its defaults, in the served version. `stored` is the stored object before the change, in the same version. */
export function withDefaults(
  resource: Pick<Resource, 'withDefaults'>,
  object: ApiObject,
  context: WriteContext,
  stored?: ApiObject,
): ApiObject {
  return resource.withDefaults(object, { gates: context.gates, now: () => context.now, stored })
}
