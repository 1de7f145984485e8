// What the handlers of resources share: their dependencies, their requests and the context of a write.
import type { ListRules } from '../api/list-query.ts'
import type { ApiObject, GroupVersionResource } from '../api/object.ts'
import { selectableFields, type SelectableFields } from '../api/selector-fields.ts'
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
  /** Resolves when what is stored now would be served; for a resource that is not known. Absent: nothing comes later. */
  readonly awaitResource?: (resource: GroupVersionResource, signal: AbortSignal) => Promise<void>
  readonly registry: RegistryParts
  /** The enabled feature gates. */
  readonly gates: ReadonlySet<string>
  readonly watches: WatchParts
  readonly queries: ObjectQueries
  /** Runs writes with much to compute in other threads; absent: every write runs here. */
  readonly largeWrites?: LargeWrites | undefined
  /** Opens a batch that reads nothing older than the revision. Absent: there are no transactions. */
  readonly openBatch?: ((revision: number | undefined) => ObjectBatch) | undefined
  /** The batch that the writes belong to. */
  readonly batch?: WriteBatch | undefined
  readonly components?: readonly ComponentProbe[]
  /** How pods, services and kubelets are reached. Absent: they are not. */
  readonly nodes?: NodeConnections | undefined
  /** The past of an object; absent: the server does not show it. */
  readonly readHistory?: ReadHistory | undefined
  /** By which watches end, and objects have an age. */
  readonly clock: Clock
  /** The same in RFC 3339, in whole seconds. */
  readonly now: () => string
  /** Absent: the system's. */
  readonly random?: Random | undefined
  /** Throws `Forbidden` where the caller may not do this with the object of the request. */
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
  /** Absent: the write stands for itself. */
  readonly batch?: HandedBatch
}

export interface HandedBatch {
  readonly parts: ResourceParts
  /** Objects in the form in which they are stored. */
  readonly store: RegistryParts['store']
}

export interface LargeWrites {
  /** Undefined: the write is small, and its handler goes on with it. */
  take(write: HandedWrite): Promise<HttpResponse> | undefined
  /** From now on every write of the resource is large. */
  takeAll(resource: Resource): void
}

/** A part of the cluster that can be asked how it is; throws where it is not well, with the reason. */
export interface ComponentProbe {
  readonly name: string
  readonly check: (signal: AbortSignal) => Promise<void>
}

export interface WatchParts {
  readonly measures: WatchMeasures
  readonly watchers: Watchers
  /** A watch whose client does not say how long lasts at least so long, and at most twice as long (P-228). */
  readonly shortestSeconds: number
  /** What every watch goes through; absent: nothing. */
  readonly wrap?: ((request: ResourceRequest, watch: Watch) => Watch) | undefined
}

export interface CallersRequest {
  readonly http: HttpRequest
  readonly caller: Caller
}

/** A request for a resource that is served, by a verb that it has. */
export interface ResourceRequest extends CallersRequest {
  readonly info: ResourceInfo
  readonly resource: Resource
  /** Empty for what belongs to the whole cluster, and for lists across all namespaces. */
  readonly namespace: string
}

/** A request to do something with what it is sent. */
export interface ActionRequest extends CallersRequest {
  readonly info: ResourceInfo
  readonly action: Action
  /** Empty where the action belongs to the whole cluster. */
  readonly namespace: string
}

/** A request whose answer is an object of this kind; what it is sent need not be stored. */
export interface ServedRequest extends Pick<ResourceRequest, 'http' | 'caller' | 'info'> {
  readonly resource: WrittenKind
}

/** What is read and written at the place of the request: the resource, or a view of it as another kind. */
export function servedAt({ http, caller, info, resource }: ResourceRequest): ServedRequest {
  const view = info.subresource === undefined ? undefined : resource.subresources.get(info.subresource)?.view
  return { http, caller, info, resource: view ?? resource }
}

/** What objects of the resource can be selected by. */
export function fieldsOf(resource: Resource): SelectableFields {
  return resource.custom?.selectable ?? selectableFields(resource)
}

const SHARDS_GATE = 'ShardedListAndWatch'

export function listRulesOf({ gates }: ResourceParts, resource: Resource): ListRules {
  return { selectable: fieldsOf(resource), hasShards: gates.has(SHARDS_GATE) }
}

export function headerOf(request: HttpRequest, name: string): string {
  const value = request.headers[name]
  return typeof value === 'string' ? value : (value?.[0] ?? '')
}

/** What the client asks to be answered in. */
export function askedBy(request: HttpRequest): Asked {
  return { accept: headerOf(request, 'accept'), contentType: headerOf(request, 'content-type') }
}

function userAgentOf(request: HttpRequest): string {
  const value = headerOf(request, 'user-agent')
  return readHeaderText(value) ?? value
}

/** What a client says of itself is not kept whole. */
const LONGEST_AGENT = 256

export function clientOf({ http, caller, resource }: ResourceRequest): ClientName {
  const agent = userAgentOf(http).slice(0, LONGEST_AGENT)
  return { user: caller.user.name, agent, group: resource.group, resource: resource.resource }
}

/** How long a write of one object may take with all who are asked about it (W-017). */
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

/** The object with its defaults, in the served version; `stored` is what it was made of, in that version too. */
export function withDefaults(
  resource: Pick<Resource, 'withDefaults'>,
  object: ApiObject,
  context: WriteContext,
  stored?: ApiObject,
): ApiObject {
  return resource.withDefaults(object, { gates: context.gates, now: () => context.now, stored })
}
