// The rules of roles: the access that a rule allows, whether some rules cover others, and the form of a rule in messages (P-125 to P-128,
// P-138).
import { quoted } from './field-error.ts'
import { mapsOnly, textsOnly } from './members.ts'
import type { ValueMap } from './value.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

const ALL = '*'

/** The rules of a stored Role or ClusterRole. */
export function rulesOf(role: ValueMap): readonly PolicyRule[] {
  return mapsOnly(role, 'rules').map(ruleOf)
}

function ruleOf(rule: ValueMap): PolicyRule {
  return {
    verbs: textsOnly(rule, 'verbs'),
    apiGroups: textsOnly(rule, 'apiGroups'),
    resources: textsOnly(rule, 'resources'),
    resourceNames: textsOnly(rule, 'resourceNames'),
    nonResourceURLs: textsOnly(rule, 'nonResourceURLs'),
  }
}

/** The rule in the form of stored objects: without empty lists, and with fields in the order of the kind. */
export function ruleDocument(rule: PolicyRule): ValueMap {
  const document: Record<string, readonly string[]> = { verbs: rule.verbs }
  for (const field of ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const) {
    if (rule[field].length > 0) document[field] = rule[field]
  }
  return document
}

/** A request for a resource or a subresource. */
interface AskedResource {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string | undefined
  readonly name?: string | undefined
}

export function allowsResource(rule: PolicyRule, asked: AskedResource): boolean {
  return (
    hasOrAll(rule.verbs, asked.verb) &&
    hasOrAll(rule.apiGroups, asked.group) &&
    matchesResource(rule.resources, asked) &&
    (rule.resourceNames.length === 0 || (asked.name !== undefined && rule.resourceNames.includes(asked.name)))
  )
}

function matchesResource(resources: readonly string[], { resource, subresource }: AskedResource): boolean {
  if (subresource === undefined || subresource === '') return hasOrAll(resources, resource)
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

export function allowsPath(rule: PolicyRule, verb: string, path: string): boolean {
  return hasOrAll(rule.verbs, verb) && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, path))
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === ALL || pattern === path) return true
  return pattern.endsWith(ALL) && path.startsWith(withoutStars(pattern))
}

export function withoutStars(pattern: string): string {
  let end = pattern.length
  while (end > 0 && pattern.charCodeAt(end - 1) === 0x2a) end--
  return pattern.slice(0, end)
}

function hasOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes(wanted) || list.includes(ALL)
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "update"]}` */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = parts.flatMap(([name, texts]) => (texts.length === 0 ? [] : [`${name}:${quotedList(texts)}`]))
  return `{${shown.join(', ')}}`
}

/** `["a" "b"]` */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(' ')}]`
}
