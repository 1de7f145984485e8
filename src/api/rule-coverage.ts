// Whether the rules that somebody holds cover the rules that they give away, and what is missing (P-138, P-145).
import type { PolicyRule } from './policy-rule.ts'

/**
 * Rules are lists, and what is compared are all their combinations, which somebody could make too many of to be looked at. A rule
 * of more combinations counts as covered only where one rule covers all of it.
 */
const MAX_COMBINATIONS = 10_000

/** What `held` does not cover of `wanted`, in rules of one resource or path each. Empty: everything is covered. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const owners = held.map(owned)
  const missing: PolicyRule[] = []
  let budget = MAX_COMBINATIONS
  for (const rule of wanted) {
    if (owners.some((owner) => coversAll(owner, rule))) continue
    budget -= combinations(rule)
    if (budget < 0) missing.push(rule)
    else missing.push(...broken(rule).filter((single) => !owners.some((owner) => coversAll(owner, single))))
  }
  return compact(missing)
}

interface Owned {
  readonly verbs: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  /** What stands before the star of those that end in one. */
  readonly pathPrefixes: readonly string[]
}

function owned(rule: PolicyRule): Owned {
  return {
    verbs: new Set(rule.verbs),
    groups: new Set(rule.apiGroups),
    resources: new Set(rule.resources),
    names: new Set(rule.resourceNames),
    paths: new Set(rule.nonResourceURLs),
    pathPrefixes: rule.nonResourceURLs.flatMap((path) => (path.endsWith('*') ? [path.replace(/\*+$/, '')] : [])),
  }
}

/** One rule covers every combination of the other. */
function coversAll(owner: Owned, rule: PolicyRule): boolean {
  return (
    hasAll(owner.verbs, rule.verbs) &&
    hasAll(owner.groups, rule.apiGroups) &&
    rule.resources.every((resource) => coversResource(owner.resources, resource)) &&
    rule.nonResourceURLs.every((path) => coversPath(owner, path)) &&
    (owner.names.size === 0 ||
      (rule.resourceNames.length > 0 && rule.resourceNames.every((name) => owner.names.has(name))))
  )
}

function hasAll(set: ReadonlySet<string>, texts: readonly string[]): boolean {
  return set.has('*') || texts.every((text) => set.has(text))
}

function coversResource(set: ReadonlySet<string>, resource: string): boolean {
  if (set.has('*') || set.has(resource)) return true
  const slash = resource.indexOf('/')
  return slash !== -1 && set.has(`*${resource.slice(slash)}`)
}

function coversPath({ paths, pathPrefixes }: Owned, path: string): boolean {
  return paths.has(path) || pathPrefixes.some((prefix) => path.startsWith(prefix))
}

function combinations(rule: PolicyRule): number {
  const names = Math.max(rule.resourceNames.length, 1)
  const resources = rule.apiGroups.length * rule.resources.length * names
  return (resources + rule.nonResourceURLs.length) * rule.verbs.length
}

/** One group, resource, verb and name each; or one path and verb. */
function broken(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) => names.map((name) => single({ group, resource, verb }, name))),
    ),
  )
  const paths = rule.nonResourceURLs.flatMap((path) =>
    rule.verbs.map((verb) => ({
      verbs: [verb],
      apiGroups: [],
      resources: [],
      resourceNames: [],
      nonResourceURLs: [path],
    })),
  )
  return [...resources, ...paths]
}

function single(
  { group, resource, verb }: { group: string; resource: string; verb: string },
  resourceNames: readonly string[],
): PolicyRule {
  return { verbs: [verb], apiGroups: [group], resources: [resource], resourceNames, nonResourceURLs: [] }
}

/** Rules about one and the same resource become one with all their verbs; those about paths stay single. */
function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const complex: PolicyRule[] = []
  const simple = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>()
  for (const rule of rules) {
    const isSimple =
      rule.apiGroups.length === 1 &&
      rule.resources.length === 1 &&
      rule.resourceNames.length < 2 &&
      isAboutResources(rule)
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = simple.get(key)
    if (!isSimple) complex.push(rule)
    else if (known === undefined) simple.set(key, { rule, verbs: new Set(rule.verbs) })
    else for (const verb of rule.verbs) known.verbs.add(verb)
  }
  return [...complex, ...[...simple.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs] }))]
}

function isAboutResources(rule: PolicyRule): boolean {
  return rule.nonResourceURLs.length === 0
}
