// Where the objects of a kind are: their paths, and requests to them. Invariant: the path of a request to one object has its name.
import { checkOptions, checkPresent, type OptionNames } from '../lib/known-options.ts'
import { type Discovery, type KnownKind, notServed } from './discovery.ts'
import { ApiStatusError } from './errors.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { KubernetesObject } from './objects.ts'
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

export const CALL: OptionNames<CallOptions> = ['signal', 'timeoutMs']
const WRITE: OptionNames<WriteOptions> = [...CALL, 'dryRun', 'fieldManager', 'fieldValidation']
const APPLY: OptionNames<ApplyOptions> = [...WRITE, 'force']
const PATCH: OptionNames<PatchOptions> = [...WRITE, 'type']

/** Without a name: the collection. */
export interface Place {
  readonly name?: string
  /** Of the object that is written. Absent: that of the endpoint. */
  readonly namespace?: string | undefined
  readonly subresource?: string
}

export interface EndpointCall {
  /** The client's name of the call, for messages. */
  readonly verb: string
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
    pathPart(this.subject('inNamespace'), 'namespace', namespace)
    return new Endpoint(this.requests, this.#discovery, this.kind, namespace)
  }

  /** What messages begin with: `delete of ConfigMap`. */
  subject(verb: string): string {
    return `${verb} of ${this.kind.kind ?? this.kind.plural}`
  }

  /** Throws a `TypeError` before anything is sent, where a name is missing or an option is unknown. */
  async call<R>(call: EndpointCall, options: CallOptions, known: readonly string[]): Promise<R> {
    const { verb, place, ...request } = call
    const { signal, timeoutMs } = options
    checkOptions(this.subject(verb), options, known)
    const limits = { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
    const path = await this.path(verb, place, signal)
    try {
      return await this.requests.json<R>({ ...request, ...limits, path })
    } catch (error) {
      throw this.explained(error, verb, place)
    }
  }

  async write<R>(call: EndpointCall, options: WriteOptions): Promise<R> {
    return this.call({ ...call, query: writeQuery(options) }, options, WRITE)
  }

  async patch<R>(place: Place, patch: object, options: PatchOptions): Promise<R> {
    const contentType = PATCH_TYPES[options.type ?? 'merge']
    const query = writeQuery(options)
    return this.call({ verb: 'patch', method: 'PATCH', place, query, body: patch, contentType }, options, PATCH)
  }

  async apply<R>(place: Place, object: object, options: ApplyOptions): Promise<R> {
    checkPresent(this.subject('apply'), 'fieldManager', options?.fieldManager)
    const query = { ...writeQuery(options), force: options.force }
    const call = { verb: 'apply', method: 'PATCH', contentType: APPLY_TYPE } as const
    return this.call({ ...call, place, query, body: this.complete(object) }, options, APPLY)
  }

  /** That of an object. Its name may be missing, which `call` refuses. */
  placeOf(verb: string, { metadata }: KubernetesObject): Place {
    checkPresent(this.subject(verb), "object's metadata", metadata)
    return { name: metadata.name!, namespace: metadata.namespace }
  }

  /** The object with its kind, as far as that is known. */
  complete(object: object): object {
    const { kind } = this.kind
    return { apiVersion: apiVersionOf(this.kind), ...(kind === undefined ? {} : { kind }), ...object }
  }

  async path(verb: string, place: Place, signal?: AbortSignal): Promise<string> {
    const subject = this.subject(verb)
    const { namespace = this.namespace, ...below } = place
    // A name that is there and undefined is missing: without it the path would be that of all objects.
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

  /** The error with a message that names the kind, where the server does not know it or misses its namespace. */
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

/** What may go over all namespaces. */
const READS_ALL: readonly string[] = ['list', 'watch']

/** Throws where the value cannot be one part of a path. An empty one would make it the path of something else. */
export function pathPart(subject: string, what: string, value: unknown): string {
  checkPresent(subject, what, value)
  if (typeof value === 'string' && value.isWellFormed() && !/^\.\.?$|[/%]/.test(value)) return value
  throw new TypeError(`${subject}: ${JSON.stringify(value)} is no ${what}: it is no text, . or .., or has a / or %`)
}

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query {
  return { dryRun: checkedDryRun(dryRun) ? 'All' : undefined, fieldManager, fieldValidation }
}

/** `{ dryRun: 'All' }`, as kubectl has it, must not write. */
export function checkedDryRun(dryRun: boolean | undefined): boolean {
  if (dryRun === undefined || typeof dryRun === 'boolean') return dryRun === true
  throw new TypeError(`dryRun must be true or false, not ${JSON.stringify(dryRun)}`)
}
