// The audit policy: the first rule that matches a request says how much of it is logged (P-181, P-182).
import { asMap, isGiven, isTrue, mapsInPlace, textOrEmpty } from '../api/members.ts'
import type { User } from '../api/user.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { AUDIT_LEVELS, AUDIT_STAGES, type AuditedRequest, type AuditLevel, type AuditStage } from './audit.ts'

export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
}

/** A rule, with the defaults of the policy. */
export interface AuditRule {
  readonly level: AuditLevel
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly ResourceChoice[]
  readonly namespaces: readonly string[]
  readonly paths: readonly string[]
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

export interface ResourceChoice {
  readonly group: string
  readonly resources: readonly string[]
  readonly names: readonly string[]
}

export class PolicyError extends Error {
  override readonly name = 'PolicyError'
}

const API_VERSION = 'audit.k8s.io/v1'

/** Throws a `PolicyError` with a message of one line. */
export function parsePolicy(document: Value): AuditPolicy {
  const policy = asMap(document)
  if (own(policy, 'kind') !== 'Policy' || own(policy, 'apiVersion') !== API_VERSION) {
    throw new PolicyError(`it is not a Policy of ${API_VERSION}`)
  }
  const rules = mapsInPlace(policy, 'rules')
  if (rules.length === 0) throw new PolicyError('loaded illegal policy with 0 rules')
  const omitted = stagesIn(policy, 'omitStages', '')
  const withoutOwners = isTrue(policy, 'omitManagedFields')
  return { rules: rules.map((rule, i) => ruleOf(rule, `rules[${i}]`, { omitted, withoutOwners })) }
}

interface ForAll {
  readonly omitted: readonly AuditStage[]
  readonly withoutOwners: boolean
}

function ruleOf(rule: ValueMap, at: string, { omitted, withoutOwners }: ForAll): AuditRule {
  const level = AUDIT_LEVELS.find((candidate) => candidate === own(rule, 'level'))
  if (level === undefined) throw new PolicyError(`${at}.level: must be one of ${AUDIT_LEVELS.join(', ')}`)
  const choices = checkedList(rule, 'resources', at, { isItem: isMap, named: 'objects' })
  const resources = choices.map((choice, i) => choiceOf(choice, `${at}.resources[${i}]`))
  const namespaces = checkedTexts(rule, 'namespaces', at)
  const paths = checkedTexts(rule, 'nonResourceURLs', at)
  if (paths.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw new PolicyError(`${at}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`)
  }
  for (const path of paths) {
    const star = path.indexOf('*')
    if (path !== '*' && (!path.startsWith('/') || (star !== -1 && star !== path.length - 1))) {
      throw new PolicyError(`${at}.nonResourceURLs: "${path}" must begin with a '/' and have a '*' only at its end`)
    }
  }
  return {
    level,
    users: checkedTexts(rule, 'users', at),
    userGroups: checkedTexts(rule, 'userGroups', at),
    verbs: checkedTexts(rule, 'verbs', at),
    resources,
    namespaces,
    paths,
    omitStages: new Set([...omitted, ...stagesIn(rule, 'omitStages', at)]),
    omitManagedFields: isGiven(rule, 'omitManagedFields') ? isTrue(rule, 'omitManagedFields') : withoutOwners,
  }
}

function choiceOf(choice: ValueMap, at: string): ResourceChoice {
  const resources = checkedTexts(choice, 'resources', at)
  const names = checkedTexts(choice, 'resourceNames', at)
  if (names.length > 0 && resources.length === 0) {
    throw new PolicyError(`${at}.resourceNames: using resourceNames requires at least one resource`)
  }
  return { group: textOrEmpty(choice, 'group'), resources, names }
}

function stagesIn(map: ValueMap, name: string, at: string): readonly AuditStage[] {
  return checkedTexts(map, name, at).map((text) => {
    const stage = AUDIT_STAGES.find((candidate) => candidate === text)
    if (stage === undefined) throw new PolicyError(`${memberAt(at, name)}: "${text}" is not a stage`)
    return stage
  })
}

function checkedTexts(map: ValueMap, name: string, at: string): readonly string[] {
  return checkedList(map, name, at, { isItem: (item) => typeof item === 'string', named: 'strings' })
}

/** Refuses every wrong entry of a list: a rule with an empty list would match more requests than its author meant. */
function checkedList<T extends Value>(
  map: ValueMap,
  name: string,
  at: string,
  { isItem, named }: { readonly isItem: (item: Value) => item is T; readonly named: string },
): readonly T[] {
  const value = own(map, name) ?? []
  if (isList(value) && value.every(isItem)) return value
  throw new PolicyError(`${memberAt(at, name)}: must be a list of ${named}`)
}

function memberAt(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

/** The first rule that matches. Undefined: nothing is logged. If the user is unknown (undefined), rules match any user. */
export function findRule(
  { rules }: AuditPolicy,
  request: AuditedRequest,
  user: User | undefined,
): AuditRule | undefined {
  const rule = rules.find((candidate) => matches(candidate, request, user))
  return rule?.level === 'None' ? undefined : rule
}

/** The user is the authenticated one, not the impersonated one. */
function matches(rule: AuditRule, { info, path }: AuditedRequest, user: User | undefined): boolean {
  if (user !== undefined && !matchesUser(rule, user)) return false
  if (rule.verbs.length > 0 && (info.kind === 'broken' || !rule.verbs.includes(info.verb))) return false
  if (rule.resources.length > 0 || rule.namespaces.length > 0) return matchesResource(rule, info)
  if (rule.paths.length === 0) return true
  return info.kind !== 'resource' && rule.paths.some((pattern) => matchesPath(pattern, path))
}

function matchesUser({ users, userGroups }: AuditRule, { name, groups }: User): boolean {
  if (users.length > 0 && !users.includes(name)) return false
  return userGroups.length === 0 || userGroups.some((group) => groups.includes(group))
}

function matchesResource({ resources, namespaces }: AuditRule, info: AuditedRequest['info']): boolean {
  if (info.kind !== 'resource') return false
  if (namespaces.length > 0 && !namespaces.includes(info.namespace ?? '')) return false
  return resources.length === 0 || resources.some((choice) => choiceMatches(choice, info))
}

function choiceMatches(
  { group, resources, names }: ResourceChoice,
  info: Extract<AuditedRequest['info'], { kind: 'resource' }>,
): boolean {
  if (group !== info.group) return false
  if (resources.length === 0) return true
  if (names.length > 0 && !names.includes(info.name ?? '')) return false
  const { resource, subresource } = info
  return resources.some((wanted) => {
    if (wanted === '*') return true
    if (subresource === undefined) return wanted === resource
    return wanted === `${resource}/${subresource}` || wanted === `*/${subresource}` || wanted === `${resource}/*`
  })
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}
