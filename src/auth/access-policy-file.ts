// The ABAC authorizer: a file of policies, one JSON object a line, read once (P-176). It never denies.
import { isTrue, mapOrEmpty, textOrEmpty } from '../api/members.ts'
import { type Reach, ReachBuilder } from '../api/reach.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isMap } from '../api/value.ts'
import { type Access, type Authorizer, type Decision, readAccess, type ResourceAccess } from './authorizer.ts'
import { AUTHENTICATED, UNAUTHENTICATED } from './user.ts'

interface Policy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

const GROUP = 'abac.authorization.kubernetes.io'
const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const ALLOW: Decision = { kind: 'allow' }
const NO_MATCH: Decision = { kind: 'no-opinion', reason: 'No policy matched.' }

/** Throws an `Error` with a message of one line if the text is malformed. */
export function accessPolicies(text: string): Authorizer {
  const policies = text.split('\n').flatMap((line, i) => {
    const trimmed = line.trim()
    return trimmed === '' || trimmed.startsWith('#') ? [] : [policyOf(trimmed, i + 1)]
  })
  return {
    authorize: (access) => (policies.some((policy) => allows(policy, access)) ? ALLOW : NO_MATCH),
    reachOf: (access) => reachOf(policies, access),
    rulesFor: () => ({
      rules: [],
      incomplete: true,
      problem: 'ABAC policy files do not support rule resolution',
    }),
  }
}

function policyOf(line: string, number: number): Policy {
  const document = parse(line, number)
  const version = textOrEmpty(document, 'apiVersion')
  if (textOrEmpty(document, 'kind') !== 'Policy' || !version.startsWith(`${GROUP}/`)) {
    throw new Error(`line ${number} is not a Policy of ${GROUP}/v1beta1`)
  }
  const spec = mapOrEmpty(document, 'spec')
  const all = (name: string): string => textOrEmpty(spec, name)
  return {
    user: all('user'),
    group: all('group'),
    readonly: isTrue(spec, 'readonly'),
    apiGroup: all('apiGroup'),
    resource: all('resource'),
    namespace: all('namespace'),
    nonResourcePath: all('nonResourcePath'),
  }
}

function parse(line: string, number: number): ValueMap {
  try {
    const value = JSON.parse(line) as Value
    if (isMap(value)) return value
  } catch {
    // The error below reports this.
  }
  throw new Error(`line ${number} is not a JSON object`)
}

function allows(policy: Policy, access: Access): boolean {
  return concerns(policy, access) && (!policy.readonly || READING.has(access.verb)) && covers(policy, access)
}

function reachOf(policies: readonly Policy[], asked: ResourceAccess): Reach {
  const { access, isNamespaces } = readAccess(asked)
  const reach = new ReachBuilder()
  for (const policy of policies) {
    const { namespace } = policy
    if (!allows(policy, { ...access, namespace })) continue
    // A policy without a namespace allows requests without a namespace. The request for a Namespace object has the namespace of that name.
    if (namespace === '*' || namespace === '') {
      if (namespace === '*' || !isNamespaces) reach.addAll('')
    } else if (isNamespaces) reach.addName(namespace)
    else reach.addAll(namespace)
  }
  return reach.build()
}

function concerns({ user, group }: Policy, { user: who }: Access): boolean {
  const isKnown = who.groups.includes(AUTHENTICATED)
  // A star stands for every authenticated user. A policy for anonymous requests names their group.
  if (user === '' && group === '') return false
  const isUser = user === '' || (user === '*' ? isKnown : user === who.name)
  const isGroup = group === '' || (group === '*' ? isKnown : who.groups.includes(group))
  return isUser && isGroup && (isKnown || who.groups.includes(UNAUTHENTICATED))
}

function covers(policy: Policy, access: Access): boolean {
  if (access.kind === 'path') {
    const { nonResourcePath: pattern } = policy
    if (pattern === '' || pattern === '*') return pattern === '*'
    return pattern === access.path || (pattern.endsWith('*') && access.path.startsWith(pattern.slice(0, -1)))
  }
  return (
    meets(policy.namespace, access.namespace ?? '') &&
    meets(policy.resource, access.resource) &&
    meets(policy.apiGroup, access.group)
  )
}

function meets(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value
}
