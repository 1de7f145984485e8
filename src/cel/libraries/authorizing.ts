// Access checks in expressions: `authorizer.group('apps').resource('deployments').check('get').allowed()`.
import { define, type FunctionDefinition } from '../function.ts'
import { type CelValue, Fault, OpaqueValue } from '../value.ts'

const PACKAGE = 'kubernetes.authorization'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

interface Asker {
  readonly verb: string
  /** The user whose access is checked. Absent: the user of the request. */
  readonly serviceAccount: ServiceAccountName | undefined
}

interface ResourceToCheck {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

export type AuthorizationCheck =
  | (Asker & { readonly kind: 'path'; readonly path: string })
  | (Asker & ResourceToCheck & { readonly kind: 'resource' })

export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Empty: the check did not fail. */
  readonly error: string
}

type Authorize = (check: AuthorizationCheck) => AuthorizationDecision

abstract class Asked extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return this === other
  }
}

export class AuthorizerValue extends Asked {
  readonly typeName = `${PACKAGE}.Authorizer`
  readonly authorize: Authorize
  readonly serviceAccount: ServiceAccountName | undefined

  constructor(authorize: Authorize, serviceAccount?: ServiceAccountName) {
    super()
    this.authorize = authorize
    this.serviceAccount = serviceAccount
  }
}

/** The parts of an access check that have been given so far. */
abstract class Question<T> extends Asked {
  readonly authorizer: AuthorizerValue
  readonly asked: T

  constructor(authorizer: AuthorizerValue, asked: T) {
    super()
    this.authorizer = authorizer
    this.asked = asked
  }
}

class PathCheck extends Question<string> {
  readonly typeName = `${PACKAGE}.PathCheck`
}

class GroupCheck extends Question<string> {
  readonly typeName = `${PACKAGE}.GroupCheck`
}

export class ResourceCheck extends Question<ResourceToCheck> {
  readonly typeName = `${PACKAGE}.ResourceCheck`
}

class Decision extends Asked {
  readonly typeName = `${PACKAGE}.Decision`
  readonly decision: AuthorizationDecision

  constructor(decision: AuthorizationDecision) {
    super()
    this.decision = decision
  }
}

const A = `${PACKAGE}.Authorizer`
const R = `${PACKAGE}.ResourceCheck`
const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

function serviceAccount([authorizer, namespace, name]: [AuthorizerValue, string, string]): CelValue {
  if (!DNS_SUBDOMAIN.test(name)) return new Fault('Invalid service account name')
  if (!DNS_LABEL.test(namespace)) return new Fault('Invalid service account namespace')
  return new AuthorizerValue(authorizer.authorize, { namespace, name })
}

function path([authorizer, asked]: [AuthorizerValue, string]): CelValue {
  return asked.trim() === '' ? new Fault('path must not be empty') : new PathCheck(authorizer, asked)
}

function resource([{ authorizer, asked: group }, name]: [GroupCheck, string]): CelValue {
  if (name.trim() === '') return new Fault('resource must not be empty')
  const rest = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }
  return new ResourceCheck(authorizer, { group, resource: name, ...rest })
}

function narrowing(name: keyof ResourceToCheck, id: string): FunctionDefinition {
  return define(
    name,
    [`${id}: ${R}.(string) ${R}`],
    ([{ authorizer, asked }, value]: [ResourceCheck, string]) =>
      new ResourceCheck(authorizer, { ...asked, [name]: value }),
  )
}

function check([question, verb]: [PathCheck | ResourceCheck, string]): CelValue {
  const { authorize, serviceAccount } = question.authorizer
  return new Decision(
    question instanceof PathCheck
      ? authorize({ kind: 'path', serviceAccount, path: question.asked, verb })
      : authorize({ kind: 'resource', serviceAccount, verb, ...question.asked }),
  )
}

function outcome(name: string, result: string, of: (decision: AuthorizationDecision) => CelValue): FunctionDefinition {
  const signature = `decision_${name}: ${PACKAGE}.Decision.() ${result}`
  return define(name, [signature], ([{ decision }]: [Decision]) => of(decision))
}

const CHECK_SIGNATURES: readonly string[] = [
  `pathcheck_check: ${PACKAGE}.PathCheck.(string) ${PACKAGE}.Decision`,
  `resourcecheck_check: ${R}.(string) ${PACKAGE}.Decision`,
]

export const AUTHORIZING: readonly FunctionDefinition[] = [
  define('path', [`authorizer_path: ${A}.(string) ${PACKAGE}.PathCheck`], path),
  define(
    'group',
    [`authorizer_group: ${A}.(string) ${PACKAGE}.GroupCheck`],
    ([authorizer, group]: [AuthorizerValue, string]) => new GroupCheck(authorizer, group),
  ),
  define('serviceAccount', [`authorizer_serviceaccount: ${A}.(string, string) ${A}`], serviceAccount),
  define('resource', [`groupcheck_resource: ${PACKAGE}.GroupCheck.(string) ${R}`], resource),
  narrowing('subresource', 'resourcecheck_subresource'),
  narrowing('namespace', 'resourcecheck_namespace'),
  narrowing('name', 'resourcecheck_name'),
  narrowing('fieldSelector', 'authorizer_fieldselector'),
  narrowing('labelSelector', 'authorizer_labelselector'),
  define('check', CHECK_SIGNATURES, check),
  outcome('errored', 'bool', ({ error }) => error !== ''),
  outcome('error', 'string', ({ error }) => error),
  outcome('allowed', 'bool', ({ allowed }) => allowed),
  outcome('reason', 'string', ({ reason }) => reason),
]
