// The paths of the objects of a kind, and requests to them. Invariant: the path of a request to one object has its name.
import { checkOptions, checkValue, type OptionType, type OptionTypes, type ValueType } from '../lib/known-options.ts'
import { type Discovery, type KnownKind, notServed } from './discovery.ts'
import { ApiStatusError } from './errors.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { KubernetesObject } from './objects.ts'
import { APPLY_TYPE, type Query, type Requests } from './requests.ts'

/** The options of every call. */
export interface CallOptions {
  /** When the signal fires, the call rejects with its reason. */
  readonly signal?: AbortSignal
  /** Default: the client's. */
  readonly timeoutMs?: number
}

/** The options of every write. */
export interface WriteOptions extends CallOptions {
  /** The server does everything except store the object. */
  readonly dryRun?: boolean
  /** The owner of the written fields. */
  readonly fieldManager?: string
  /** The server's treatment of unknown fields. Its default is `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}

/** The options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string
  /** Takes over fields to which other managers have given other values. Otherwise the server answers with a `Conflict`. */
  readonly force?: boolean
}

/** `merge`: RFC 7396; null removes a member. `json`: RFC 6902, a list of operations. `strategic`: merges lists by key (built-in kinds). */
export type PatchType = 'merge' | 'json' | 'strategic'

/** The options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** Default: `merge`. */
  readonly type?: PatchType
}

export const CALL: OptionTypes<CallOptions> = { signal: 'signal?', timeoutMs: 'duration?' }
const FIELDS = { fieldManager: 'text?', fieldValidation: ['Ignore', 'Warn', 'Strict'] } as const
const WRITE: OptionTypes<WriteOptions> = { ...CALL, ...FIELDS, dryRun: 'boolean' }
const APPLY: OptionTypes<ApplyOptions> = { ...WRITE, fieldManager: 'text', force: 'boolean?' }
const PATCH: OptionTypes<PatchOptions> = { ...WRITE, type: ['merge', 'json', 'strategic'] }

/** The place of an object, or of the collection if there is no name. */
export interface Place {
  readonly name?: string
  /** The namespace of the written object. Default: the endpoint's. */
  readonly namespace?: string | undefined
  readonly subresource?: string
}

export interface EndpointCall {
  /** The name of the client's function, for messages. */
  readonly verb: string
  readonly method: 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
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
    pathPart(this.subject('inNamespace'), 'namespace', namespace)
    return new Endpoint(this.requests, this.#discovery, this.kind, namespace)
  }

  /** The beginning of messages: `delete of ConfigMap`. */
  subject(verb: string): string {
    return `${verb} of ${this.kind.kind ?? this.kind.plural}`
  }

  /** Returns the options. Throws a `TypeError` for an unknown option or a value of the wrong type. */
  checked<O extends object>(verb: string, options: O, types: Readonly<Record<string, OptionType>>): O {
    checkOptions(this.subject(verb), options, types)
    return options
  }

  /** Sends one request. If a name is missing, it throws a `TypeError` and sends nothing. */
  async call<R>(call: EndpointCall, { signal, timeoutMs }: CallOptions): Promise<R> {
    const { verb, place, ...request } = call
    const limits = { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
    const path = await this.path(verb, place, signal)
    try {
      return await this.requests.json<R>({ ...request, ...limits, path })
    } catch (error) {
      throw this.explained(error, verb, place)
    }
  }

  async write<R>(call: EndpointCall, options: WriteOptions): Promise<R> {
    const query = writeQuery(this.checked(call.verb, options, WRITE))
    checkValue(this.subject(call.verb), 'object', call.body, 'object')
    return this.call({ ...call, query }, options)
  }

  async patch<R>(place: Place, patch: object, options: PatchOptions): Promise<R> {
    const { type = 'merge' } = this.checked('patch', options, PATCH)
    checkValue(this.subject('patch'), 'patch', patch, type === 'json' ? 'list' : 'object')
    const query = writeQuery(options)
    const contentType = PATCH_TYPES[type]
    return this.call({ verb: 'patch', method: 'PATCH', place, query, body: patch, contentType }, options)
  }

  async apply<R>(place: Place, object: object, options: ApplyOptions): Promise<R> {
    const { force, fieldManager } = this.checked('apply', options ?? {}, APPLY)
    checkValue(this.subject('apply'), 'fieldManager', fieldManager, 'text')
    checkValue(this.subject('apply'), 'object', object, 'object')
    const query = { ...writeQuery(options), force }
    const call = { verb: 'apply', method: 'PATCH', contentType: APPLY_TYPE } as const
    return this.call({ ...call, place, query, body: this.complete(object) }, options)
  }

  /** The place of an object. The name may be missing: `call` throws then. */
  placeOf(verb: string, object: KubernetesObject): Place {
    checkValue(this.subject(verb), 'object', object, 'object')
    const { metadata } = object
    checkValue(this.subject(verb), "object's metadata", metadata, 'object')
    return { name: metadata.name!, namespace: metadata.namespace }
  }

  /** Adds the apiVersion, and the kind if it is known. */
  complete(object: object): object {
    const { kind } = this.kind
    return { apiVersion: apiVersionOf(this.kind), ...(kind === undefined ? {} : { kind }), ...object }
  }

  async path(verb: string, place: Place, signal?: AbortSignal): Promise<string> {
    const subject = this.subject(verb)
    const { namespace = this.namespace, ...below } = place
    // An undefined name is refused. A path without a name would be the path of all objects.
    const named = Object.entries(below).map(([what, value]) => pathPart(subject, what, value))
    if (namespace !== undefined && this.kind.namespaced !== false) pathPart(subject, 'namespace', namespace)
    if (this.namespace !== undefined && namespace !== this.namespace) {
      throw new TypeError(`${subject}: the object is in namespace "${namespace}", not in "${this.namespace}"`)
    }
    const { plural, namespaced } = await this.#known(signal)
    if (namespaced === false && this.namespace !== undefined) {
      const what = this.kind.kind ?? plural
      throw new TypeError(
        `${subject}: ${what} belongs to the whole cluster: leave out inNamespace("${this.namespace}")`,
      )
    }
    if (namespaced === true && namespace === undefined && !READS_ALL.includes(verb)) {
      throw new TypeError(`${subject}: the namespace is missing. Say resource.inNamespace(…), or give the object one`)
    }
    const { group, version } = this.kind
    const parts = [
      ...(group === '' ? ['api', version] : ['apis', group, version]),
      ...(namespace === undefined || namespaced === false ? [] : ['namespaces', namespace]),
      plural,
      ...named,
    ]
    return `/${parts.map(encodeURIComponent).join('/')}`
  }

  /** The error, with the kind in its message if the server does not know the kind or the request has no namespace. */
  explained(error: unknown, verb: string, { namespace = this.namespace, subresource }: Place): unknown {
    if (!(error instanceof ApiStatusError) || error.details?.kind !== undefined) return error
    const said = (message: string): ApiStatusError =>
      new ApiStatusError(this.subject(verb), { ...error.status, message }, error.retryAfter)
    const below = subresource === undefined ? '' : `subresource ${subresource} of `
    const kind = `${below}${this.kind.kind ?? this.kind.plural}`
    if (error.code === 404) return said(notServed(kind, this.kind))
    if (error.code !== 405 || namespace !== undefined || this.kind.namespaced !== undefined) return error
    return said(`${error.status.message}; if ${kind} has namespaces, say resource.inNamespace(…)`)
  }

  async #known(signal: AbortSignal | undefined): Promise<KnownKind<unknown>> {
    const { plural } = this.kind
    return plural === undefined ? this.#discovery.find(this.kind, signal) : { ...this.kind, plural }
  }
}

/** The verbs that work on all namespaces. */
const READS_ALL: readonly string[] = ['list', 'watch']

/** Returns the value. Throws if it cannot be one part of a path. A path with an empty part would name something else. */
export function pathPart(subject: string, what: string, value: unknown): string {
  checkValue(subject, what, value, PATH_PART)
  return value as string
}

const PATH_PART: ValueType = {
  wanted: 'a text without / and %, and not . or ..',
  fits: (value) => typeof value === 'string' && value !== '' && value.isWellFormed() && !/^\.\.?$|[/%]/.test(value),
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation }
}
