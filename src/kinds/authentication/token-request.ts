// TokenRequest (`serviceaccounts/<name>/token`): issues a token for a service account, and stores nothing (P-045 to P-050, W-562 to W-565).
import { invalid, shownJson } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { invalidError } from '../../api/invalid-error.ts'
import type { BoundObjectReference, TokenRequest } from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import { metaText, specOf, withMeta, withSpec } from '../../api/object-members.ts'
import { type ApiObject, parseGroupVersion } from '../../api/object.ts'
import { isMap, own } from '../../api/value.ts'
import { ApiError } from '../../api/status.ts'
import type { IssuedToken, Named, TokenOrder } from '../../auth/service-account-token.ts'
import { conflictError } from '../../registry/errors.ts'
import { withMemberOf } from '../../registry/object-meta.ts'
import { getObject } from '../../registry/read.ts'
import type { Action, ActionAnswer, ActionContext } from '../../registry/registry.ts'
import { servedResource } from '../../registry/served-resource.ts'
import { absent, always, within } from '../../schema/defaults/rule.ts'
import type { SchemaTable } from '../../schema/table.ts'
import { type KindRules, pathSegment, validateCreate } from '../../schema/validation/validation.ts'
import type { Kind } from '../kind.ts'
import { actionBody } from '../shared/action-body.ts'
import { checkTokenSeconds } from '../shared/pod-spec/projected-volume.ts'
import { question } from '../shared/question.ts'

const SPEC = FieldPath.root('spec')
const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const

/** Kubelets request this lifetime for pods. Some clients in pods never reload their token. */
const EXTENDABLE_SECONDS = 3607
const EXTENDED_SECONDS = 365 * 24 * 60 * 60

export interface TokenRequestOptions {
  readonly issue: (order: TokenOrder) => IssuedToken
  readonly apiAudiences: readonly string[]
  /** Longer lifetimes are shortened to this number of seconds. Undefined: no limit. */
  readonly maxLifetimeSeconds: number | undefined
  /** Whether tokens of the lifetime that kubelets request are valid for a year. */
  readonly extend: boolean
}

const WEBHOOKS: readonly string[] = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']

const VALIDATION: KindRules = question((object, check) => {
  const { expirationSeconds: seconds, attestations, boundObjectRef: bound } = specOf(object)
  const isOfWebhook = isMap(bound) && WEBHOOKS.some((kind) => own(bound, 'kind') === kind)
  if (isMap(attestations) && Object.keys(attestations).length > 0 && !isOfWebhook) {
    const detail = 'attestations may only be specified with a webhook bound object reference'
    return check.invalid(SPEC.child('attestations'), shownJson(attestations), detail)
  }
  const isNumber = typeof seconds === 'number' || typeof seconds === 'bigint'
  checkTokenSeconds(isNumber ? seconds : 0, SPEC.child('expirationSeconds'), check)
})

export const TOKEN_REQUEST: Kind = {
  validation: VALIDATION,
  defaults: within({ spec: always({ expirationSeconds: absent(3600) }) }),
}

export function tokenRequestAction(schemas: SchemaTable, options: TokenRequestOptions): Action {
  return {
    at: { group: '', version: 'v1', resource: 'serviceaccounts', subresource: 'token', namespaced: true },
    body: actionBody(schemas, KIND, TOKEN_REQUEST),
    alsoVersions: [],
    run: async (request, context) =>
      isKind(request, 'authentication.k8s.io_v1.TokenRequest')
        ? makeToken(request, context, options)
        : { kind: 'done' },
  }
}

async function makeToken(
  sent: TokenRequest,
  context: ActionContext,
  options: TokenRequestOptions,
): Promise<ActionAnswer> {
  const { name, namespace, now } = context
  checkName(sent, name)
  const account = await read(context, 'serviceaccounts', name)
  const request = prepared(sent, options, context)
  const errors = validateCreate(VALIDATION, request, { gates: context.gates, namespaced: true })
  if (errors.length > 0) throw invalidError(KIND, '', errors)
  await context.validate(request)
  const uid = metaText(account, 'uid')
  checkAccountUid(request, name, uid)
  const bound = await boundTo(request, context)
  const audiences = request.spec.audiences ?? []
  const seconds = limitedSeconds(Number(request.spec.expirationSeconds), options, context.warn)
  const isExtended =
    options.extend &&
    bound.pod !== undefined &&
    seconds === EXTENDABLE_SECONDS &&
    audiences.every((audience) => options.apiAudiences.includes(audience))
  const { token, id } = options.issue({
    account: { namespace, name, uid },
    ...bound,
    audiences,
    lifetimeSeconds: isExtended ? EXTENDED_SECONDS : seconds,
    ...(isExtended ? { warnAfterSeconds: seconds } : {}),
  })
  context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`)
  const expires = new Date(Date.parse(now) + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
  const named = withMeta(withSpec(request, { expirationSeconds: seconds }), { uid })
  return { kind: 'object', object: { ...named, status: { token, expirationTimestamp: expires } } }
}

function checkName(request: ApiObject, name: string): void {
  const given = metaText(request, 'name')
  if (given === '' || given === name) return
  const at = FieldPath.root('metadata').child('name')
  throw invalidError(KIND, name, [invalid(at, given, 'must match the service account name if specified')])
}

function checkAccountUid(request: ApiObject, name: string, uid: string): void {
  const given = metaText(request, 'uid')
  if (given === '' || given === uid) return
  const why = `the UID in the token request (${given}) does not match the UID of the service account (${uid})`
  throw conflictError({ group: KIND.group, resource: KIND.kind }, name, why)
}

/** The request with its defaults, and without a status. */
function prepared(
  sent: TokenRequest,
  { apiAudiences }: TokenRequestOptions,
  { name, namespace, now }: ActionContext,
): TokenRequest {
  const request = withMeta(withMemberOf(sent, {}, 'status'), { name, namespace, creationTimestamp: now })
  return (request.spec.audiences ?? []).length > 0 ? request : withSpec(request, { audiences: apiAudiences })
}

function limitedSeconds(
  seconds: number,
  { maxLifetimeSeconds: most }: TokenRequestOptions,
  warn: (text: string) => void,
): number {
  if (most === undefined || seconds <= most) return seconds
  warn(`requested expiration of ${seconds} seconds shortened to ${most} seconds`)
  return most
}

const BINDABLE: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' }

type Bound = Pick<TokenOrder, 'pod' | 'secret' | 'node'>

/** The object that the token is bound to. The token is valid as long as this object exists. */
async function boundTo({ spec }: TokenRequest, context: ActionContext): Promise<Bound> {
  const reference = spec.boundObjectRef
  if (reference === null) return {}
  const { kind = '', name = '', apiVersion = '' } = reference
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: '', version: '' }
  const plural = group === '' && Object.hasOwn(BINDABLE, kind) ? BINDABLE[kind] : undefined
  if (plural === undefined) {
    throw new ApiError('BadRequest', `cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
  const object = await read(context, plural, name)
  const { serviceAccountName, nodeName: node = '' } = isKind(object, 'core_v1.Pod') ? object.spec : {}
  if (kind === 'Pod' && serviceAccountName !== context.name) {
    const who = `serviceaccount ${JSON.stringify(context.name)}`
    const why = `cannot bind token for ${who} to pod running with different serviceaccount name.`
    throw new ApiError('BadRequest', why)
  }
  checkUid(reference, object)
  if (kind === 'Node') return { node: named(object) }
  if (kind === 'Secret') return { secret: named(object) }
  return { pod: named(object), ...(node === '' ? {} : { node: await nodeNamed(context, node) }) }
}

function checkUid({ kind = '', name = '', uid = '' }: BoundObjectReference, object: ApiObject): void {
  if (uid === '' || uid === metaText(object, 'uid')) return
  throw conflictError(
    { group: '', resource: kind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  )
}

function named(object: ApiObject): Named {
  return { name: metaText(object, 'name'), uid: metaText(object, 'uid') }
}

/** A node that does not exist is named without a uid. */
async function nodeNamed(context: ActionContext, name: string): Promise<Named> {
  try {
    return named(await read(context, 'nodes', name))
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return { name, uid: '' }
    throw error
  }
}

async function read(
  { parts, resources, namespace, signal }: ActionContext,
  plural: string,
  name: string,
): Promise<ApiObject> {
  const fault = name === '' ? undefined : pathSegment(name)[0]
  if (name === '') throw new ApiError('BadRequest', 'Name parameter required.')
  if (fault !== undefined) throw new ApiError('BadRequest', `Name parameter invalid: ${JSON.stringify(name)}: ${fault}`)
  const resource = servedResource(resources, plural)
  const place = { resource, namespace: resource.namespaced ? namespace : '' }
  return (await getObject(parts, place, { name, at: { kind: 'latest' } }, signal)).object()
}
