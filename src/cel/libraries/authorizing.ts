// Asking the authorizer from an expression: `authorizer.group('apps').resource('deployments').check('get').allowed()`.
import { define, type FunctionDefinition } from '../function.ts'
import { type CelValue, Fault, noSuchOverload, OpaqueValue } from '../value.ts'

const PACKAGE = 'kubernetes.authorization'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

export type AuthorizationCheck =
  | {
      readonly kind: 'path'
      /** Whose access is asked about; the request's own user where absent. */
      readonly serviceAccount: ServiceAccountName | undefined
      readonly path: string
      readonly verb: string
    }
  | {
      readonly kind: 'resource'
      readonly serviceAccount: ServiceAccountName | undefined
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      readonly fieldSelector: string
      readonly labelSelector: string
    }

export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Empty where the check did not fail. */
  readonly error: string
}

export type Authorize = (check: AuthorizationCheck) => AuthorizationDecision

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

class PathCheck extends Asked {
  readonly typeName = `${PACKAGE}.PathCheck`
  readonly authorizer: AuthorizerValue
  readonly path: string

  constructor(authorizer: AuthorizerValue, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

class GroupCheck extends Asked {
  readonly typeName = `${PACKAGE}.GroupCheck`
  readonly authorizer: AuthorizerValue
  readonly group: string

  constructor(authorizer: AuthorizerValue, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

export interface ResourceToCheck {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

export class ResourceCheck extends Asked {
  readonly typeName = `${PACKAGE}.ResourceCheck`
  readonly authorizer: AuthorizerValue
  readonly asked: ResourceToCheck

  constructor(authorizer: AuthorizerValue, asked: ResourceToCheck) {
    super()
    this.authorizer = authorizer
    this.asked = asked
  }
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

function serviceAccount([authorizer, namespace, name]: readonly CelValue[]): CelValue {
  if (!(authorizer instanceof AuthorizerValue) || typeof namespace !== 'string' || typeof name !== 'string') {
    return noSuchOverload()
  }
  if (!DNS_SUBDOMAIN.test(name)) return new Fault('Invalid service account name')
  if (!DNS_LABEL.test(namespace)) return new Fault('Invalid service account namespace')
  return new AuthorizerValue(authorizer.authorize, { namespace, name })
}

function narrowing(name: keyof ResourceToCheck, id: string): FunctionDefinition {
  return define(name, [`${id}: ${R}.(string) ${R}`], ([check, value]) =>
    check instanceof ResourceCheck && typeof value === 'string'
      ? new ResourceCheck(check.authorizer, { ...check.asked, [name]: value })
      : noSuchOverload(),
  )
}

function check([asked, verb]: readonly CelValue[]): CelValue {
  if (typeof verb !== 'string') return noSuchOverload()
  if (asked instanceof PathCheck) {
    const { authorize, serviceAccount } = asked.authorizer
    return new Decision(authorize({ kind: 'path', serviceAccount, path: asked.path, verb }))
  }
  if (!(asked instanceof ResourceCheck)) return noSuchOverload()
  const { authorize, serviceAccount } = asked.authorizer
  return new Decision(authorize({ kind: 'resource', serviceAccount, verb, ...asked.asked }))
}

function outcome(name: string, result: string, of: (decision: AuthorizationDecision) => CelValue): FunctionDefinition {
  return define(name, [`decision_${name}: ${PACKAGE}.Decision.() ${result}`], ([decision]) =>
    decision instanceof Decision ? of(decision.decision) : noSuchOverload(),
  )
}

export const AUTHORIZING: readonly FunctionDefinition[] = [
  define('path', [`authorizer_path: ${A}.(string) ${PACKAGE}.PathCheck`], ([authorizer, path]) => {
    if (!(authorizer instanceof AuthorizerValue) || typeof path !== 'string') return noSuchOverload()
    return path.trim() === '' ? new Fault('path must not be empty') : new PathCheck(authorizer, path)
  }),
  define('group', [`authorizer_group: ${A}.(string) ${PACKAGE}.GroupCheck`], ([authorizer, group]) =>
    authorizer instanceof AuthorizerValue && typeof group === 'string'
      ? new GroupCheck(authorizer, group)
      : noSuchOverload(),
  ),
  define('serviceAccount', [`authorizer_serviceaccount: ${A}.(string, string) ${A}`], serviceAccount),
  define('resource', [`groupcheck_resource: ${PACKAGE}.GroupCheck.(string) ${R}`], ([asked, resource]) => {
    if (!(asked instanceof GroupCheck) || typeof resource !== 'string') return noSuchOverload()
    if (resource.trim() === '') return new Fault('resource must not be empty')
    const rest = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }
    return new ResourceCheck(asked.authorizer, { group: asked.group, resource, ...rest })
  }),
  narrowing('subresource', 'resourcecheck_subresource'),
  narrowing('namespace', 'resourcecheck_namespace'),
  narrowing('name', 'resourcecheck_name'),
  narrowing('fieldSelector', 'authorizer_fieldselector'),
  narrowing('labelSelector', 'authorizer_labelselector'),
  define(
    'check',
    [
      `pathcheck_check: ${PACKAGE}.PathCheck.(string) ${PACKAGE}.Decision`,
      `resourcecheck_check: ${R}.(string) ${PACKAGE}.Decision`,
    ],
    check,
  ),
  outcome('errored', 'bool', ({ error }) => error !== ''),
  outcome('error', 'string', ({ error }) => error),
  outcome('allowed', 'bool', ({ allowed }) => allowed),
  outcome('reason', 'string', ({ reason }) => reason),
]
