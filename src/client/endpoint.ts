// Where the objects of a kind are: their paths, and requests to them.
import type { Discovery, KnownKind } from './discovery.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import { APPLY_TYPE, type Query, type Requests } from './requests.ts'

/** Of every call. */
export interface CallOptions {
  /** Ends the call, which rejects with its reason. */
  readonly signal?: AbortSignal
  /** Absent: that of the client. */
  readonly timeoutMs?: number
}

/** Of every call that writes. */
export interface WriteOptions extends CallOptions {
  /** Do everything but keep it. */
  readonly dryRun?: boolean
  /** Who owns the fields that are written. */
  readonly fieldManager?: string
  /** What becomes of fields that the kind does not have. The server's default is `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** Of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string
  /** Take fields over that others have set otherwise; without it that is a `Conflict`. */
  readonly force?: boolean
}

/**
 * `merge`: RFC 7396, members are replaced and null removes them. `json`: RFC 6902, a list of operations. `strategic`: as `merge`, with lists
 * merged by their keys; for the server's own kinds only.
 */
export type PatchType = 'merge' | 'json' | 'strategic'

/** Of a patch. */
export interface PatchOptions extends WriteOptions {
  /** `merge` where absent. */
  readonly type?: PatchType
}

export interface Place {
  readonly name?: string
  readonly namespace?: string | undefined
  readonly subresource?: string
}

export interface EndpointCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly place: Place
  readonly query?: Query
  readonly body?: unknown
  readonly contentType?: string
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const satisfies Readonly<Record<PatchType, string>>

export class Endpoint {
  readonly requests: Requests
  readonly kind: Kind<unknown>
  readonly namespace: string | undefined
  readonly #discovery: Discovery

  constructor(requests: Requests, discovery: Discovery, kind: Kind<unknown>, namespace?: string) {
    this.requests = requests
    this.#discovery = discovery
    this.kind = kind
    this.namespace = namespace
  }

  inNamespace(namespace: string): Endpoint {
    return new Endpoint(this.requests, this.#discovery, this.kind, namespace)
  }

  async call<R>({ place, ...call }: EndpointCall, { signal, timeoutMs }: CallOptions = {}): Promise<R> {
    const path = await this.path(place, signal)
    return this.requests.json<R>({ ...call, path, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  }

  patch<R>(place: Place, patch: object, { type = 'merge', ...options }: PatchOptions): Promise<R> {
    const query = writeQuery(options)
    return this.call({ method: 'PATCH', place, query, body: patch, contentType: PATCH_TYPES[type] }, options)
  }

  apply<R>(place: Place, object: object, options: ApplyOptions): Promise<R> {
    const query = { ...writeQuery(options), force: options.force }
    const body = this.complete(object)
    return this.call({ method: 'PATCH', place, query, body, contentType: APPLY_TYPE }, options)
  }

  /** The object with its kind, as far as that is known. */
  complete(object: object): object {
    const { kind } = this.kind
    return { apiVersion: apiVersionOf(this.kind), ...(kind === undefined ? {} : { kind }), ...object }
  }

  async path({ name, namespace = this.namespace, subresource }: Place, signal?: AbortSignal): Promise<string> {
    const { plural, namespaced, kind = plural } = await this.#known(signal)
    if (name !== undefined && namespaced === true && namespace === undefined) {
      throw new TypeError(`${kind} "${name}": in which namespace? Say resource.inNamespace(…), or give the object one`)
    }
    const { group, version } = this.kind
    const parts = [
      ...(group === '' ? ['api', version] : ['apis', group, version]),
      ...(namespace === undefined || namespaced === false ? [] : ['namespaces', namespace]),
      plural,
      ...[name, subresource].filter((part) => part !== undefined),
    ]
    return `/${parts.map(encodeURIComponent).join('/')}`
  }

  async #known(signal: AbortSignal | undefined): Promise<KnownKind<unknown>> {
    const { plural } = this.kind
    return plural === undefined ? this.#discovery.find(this.kind, signal) : { ...this.kind, plural }
  }
}

export function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation }
}
