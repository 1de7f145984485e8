// Makes a request from one operation of a transaction, for the handler of its verb.
import { parseGroupVersion } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import type { Caller, HttpRequest, RequestHeaders } from '../../http/http.ts'
import { parseQuery } from '../../http/query.ts'
import type { ResourceInfo, ResourceVerb } from '../../http/request-info.ts'
import type { Resource, ResourceTable } from '../../registry/registry.ts'
import { resourceOfKind } from '../../registry/served-resource.ts'
import type { ResourceRequest } from '../resource-parts.ts'
import type { Operation, OperationVerb } from './operations.ts'

/** The parameters of a transaction that hold for all of its operations. */
export interface SharedOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: string
}

interface Asked {
  readonly http: HttpRequest
  readonly operation: Operation
  readonly at: number
  readonly options: SharedOptions
}

const VERBS: Readonly<Record<OperationVerb, { readonly verb: ResourceVerb; readonly method: string }>> = {
  create: { verb: 'create', method: 'POST' },
  update: { verb: 'update', method: 'PUT' },
  apply: { verb: 'patch', method: 'PATCH' },
  patch: { verb: 'patch', method: 'PATCH' },
  delete: { verb: 'delete', method: 'DELETE' },
  expect: { verb: 'get', method: 'GET' },
}

const PATCH_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

/** The resource of the operation's kind. Undefined: the kind has no resource. */
export function resourceOf(table: ResourceTable, { target }: Operation): Resource | undefined {
  const asked = parseGroupVersion(target.apiVersion)
  return asked && resourceOfKind(table, { ...asked, kind: target.kind })
}

/** The operation as a request to the path of its object. Throws `BadRequest` if the name or namespace of the operation does not fit. */
export function requestOf(asked: Asked, resource: Resource, caller: Caller): ResourceRequest {
  const { operation } = asked
  const { name } = operation.target
  const { verb } = VERBS[operation.verb]
  const namespace = namespaceOf(operation, resource)
  if (name === '' && verb !== 'create') throw new ApiError('BadRequest', 'name must be provided')
  if (name.includes('%')) {
    throw new ApiError('BadRequest', `Name parameter invalid: ${JSON.stringify(name)}: may not contain '%'`)
  }
  const info: ResourceInfo = {
    kind: 'resource',
    verb,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    subresource: undefined,
    rest: [],
    namespace: resource.namespaced ? namespace : undefined,
    name: verb === 'create' ? undefined : name,
    selectedName: undefined,
    legacy: false,
  }
  return { http: httpOf(asked, info), caller, info, resource, namespace }
}

function namespaceOf({ target }: Operation, { namespaced, kind }: Resource): string {
  if (namespaced && target.namespace === '') {
    throw new ApiError('BadRequest', `an object of kind ${kind} needs a namespace`)
  }
  if (!namespaced && target.namespace !== '') {
    throw new ApiError('BadRequest', `an object of kind ${kind} has no namespace`)
  }
  return target.namespace
}

function httpOf({ http, operation, at, options }: Asked, info: ResourceInfo): HttpRequest {
  const { method } = VERBS[operation.verb]
  const path = pathOf(info)
  const search = searchOf(operation, options)
  const body = bodyOf(operation, options)
  return {
    auditId: `${http.auditId}-${at}`,
    method,
    target: search === '' ? path : `${path}?${search}`,
    path,
    query: parseQuery(search),
    info,
    headers: { ...headersOf(http), 'content-type': contentType(operation), accept: 'application/json' },
    remote: http.remote,
    host: http.host,
    isOfConsole: http.isOfConsole,
    transport: 'plain',
    signal: http.signal,
    deadline: http.deadline,
    receivedAt: http.receivedAt,
    filterSince: http.filterSince,
    turns: http.turns,
    resume: (now) => http.resume(now),
    isAudited: http.isAudited,
    body: { read: () => Promise.resolve(body), putBack: () => {}, length: body.length, onRead: undefined },
    responder: http.responder,
    breakOff: () => http.breakOff(),
    takeCredential: () => undefined,
    useSession: () => {},
    hasHeaderLike: (prefix) => http.hasHeaderLike(prefix),
    takeHeader: () => [],
  }
}

/** Only the User-Agent counts for operations. The other headers, such as a browser's conditions, are about the transaction. */
function headersOf({ headers }: HttpRequest): RequestHeaders {
  return { 'user-agent': headers['user-agent'] }
}

function pathOf({ group, version, resource, namespace, name }: ResourceInfo): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${root}${place}/${resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

function searchOf({ verb, force, ...operation }: Operation, options: SharedOptions): string {
  if (verb === 'expect') return ''
  // A delete has its options in its body.
  if (verb === 'delete') return ''
  const query = new URLSearchParams()
  if (options.dryRun) query.set('dryRun', 'All')
  const fieldManager = operation.fieldManager === '' ? options.fieldManager : operation.fieldManager
  if (fieldManager !== '') query.set('fieldManager', fieldManager)
  if (options.fieldValidation !== '') query.set('fieldValidation', options.fieldValidation)
  if (force) query.set('force', 'true')
  return query.toString()
}

function bodyOf({ verb, body }: Operation, { dryRun }: SharedOptions): Buffer {
  if (verb !== 'delete' || !dryRun) return body
  const members = body.length === 0 ? '' : body.toString().trim().slice(1, -1).trim()
  return Buffer.from(`{"dryRun":["All"]${members === '' ? '' : `,${members}`}}`)
}

function contentType({ verb, patchType }: Operation): string {
  if (verb === 'apply') return 'application/apply-patch+yaml'
  return verb === 'patch' ? PATCH_TYPES[patchType]! : 'application/json'
}
