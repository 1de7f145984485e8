// Finds the rules that a user wants to grant but does not hold (P-138, P-145).
import { addToList } from '../lib/map-entries.ts'
import { type PolicyRule, withoutStars } from './policy-rule.ts'

/**
 * A rule has several lists, and all combinations of their items are compared. A user could write a rule with too many combinations. Such a
 * rule counts as covered only if one held rule covers all of it.
 */
const MAX_COMBINATIONS = 10_000

/**
 * The limit for comparisons of a wanted rule with a held one. A user who holds very many rules could make all of them alike. Afterwards a
 * rule counts as missing.
 */
const MAX_COMPARISONS = 1_000_000
/** The number of held rules that are indexed, or of wanted rules that are compared, in one step. */
const RULES_PER_STEP = 100

/** The part of `wanted` that `held` does not cover, in rules of one resource or path each. Empty: everything is covered. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const steps = missingRulesInSteps(held, wanted)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Like `missingRules`, in steps of a few milliseconds. Stops when more than `most` rules are missing. */
export function* missingRulesInSteps(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  most = Number.POSITIVE_INFINITY,
): Generator<undefined, readonly PolicyRule[]> {
  const covering = new HeldRules()
  for (const [i, rule] of held.entries()) {
    covering.add(rule)
    if (i % RULES_PER_STEP === 0) yield
  }
  const missing: PolicyRule[] = []
  let budget = MAX_COMBINATIONS
  for (const [i, rule] of wanted.entries()) {
    if (i % RULES_PER_STEP === 0) yield
    if (missing.length > most) break
    if (covering.cover(rule)) continue
    budget -= combinations(rule)
    for (const single of budget < 0 ? [rule] : breakdown(rule))
      if (budget < 0 || !covering.cover(single)) missing.push(single)
  }
  return compact(missing)
}

/** The rules that a user holds. They are indexed, because a user with thousands of rules may grant thousands. */
class HeldRules {
  readonly #all: IndexedRule[] = []
  readonly #verbs: Index = new Map()
  readonly #groups: Index = new Map()
  readonly #resources: Index = new Map()
  readonly #names: Index = new Map()
  #comparisonsLeft = MAX_COMPARISONS

  add(held: PolicyRule): void {
    const rule = indexedRule(held)
    const { verbs, groups, resources, names } = rule
    this.#all.push(rule)
    for (const verb of verbs) addToList(this.#verbs, verb, rule)
    for (const group of groups) addToList(this.#groups, group, rule)
    for (const resource of resources) addToList(this.#resources, resource, rule)
    for (const name of names.size === 0 ? ANY_NAME : names) addToList(this.#names, name, rule)
  }

  /** Whether one held rule covers every combination of the rule. */
  cover(rule: PolicyRule): boolean {
    let fewest: readonly (readonly IndexedRule[])[] = [this.#all]
    const narrow = (index: Index, text: string | undefined, ...more: readonly string[]): void => {
      if (text === undefined) return
      const found = [text, ...more].map((key) => index.get(key) ?? NO_RULES)
      if (countOf(found) < countOf(fewest)) fewest = found
    }
    const [resource] = rule.resources
    const slash = resource?.indexOf('/') ?? -1
    narrow(this.#verbs, rule.verbs[0], ALL)
    narrow(this.#groups, rule.apiGroups[0], ALL)
    narrow(this.#resources, resource, ALL, ...(slash < 0 ? [] : [`*${resource!.slice(slash)}`]))
    narrow(this.#names, rule.resourceNames[0] ?? '', '')
    for (const rules of fewest) {
      for (const held of rules) {
        if (this.#comparisonsLeft-- <= 0) return false
        if (coversAll(held, rule)) return true
      }
    }
    return false
  }
}

/** The rules by every text in one of their lists. */
type Index = Map<string, IndexedRule[]>

const ALL = '*'
const NO_RULES: readonly IndexedRule[] = Object.freeze([])
/** A rule without names applies to all names. */
const ANY_NAME: ReadonlySet<string> = new Set([''])

function countOf(lists: readonly (readonly IndexedRule[])[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0)
}

interface IndexedRule {
  readonly verbs: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly resources: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  /** The prefixes of the paths that end in a star, sorted. No prefix begins with another. */
  readonly pathPrefixes: readonly string[]
}

function indexedRule(rule: PolicyRule): IndexedRule {
  return {
    verbs: new Set(rule.verbs),
    groups: new Set(rule.apiGroups),
    resources: new Set(rule.resources),
    names: new Set(rule.resourceNames),
    paths: new Set(rule.nonResourceURLs),
    pathPrefixes: shortest(rule.nonResourceURLs.filter((path) => path.endsWith(ALL)).map(withoutStars)),
  }
}

/** Sorts the prefixes. A prefix that begins with another one is redundant, and is dropped. */
function shortest(prefixes: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const prefix of prefixes.toSorted()) {
    const last = kept.at(-1)
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix)
  }
  return kept
}

/** Whether `held` covers every combination of `rule`. */
function coversAll(held: IndexedRule, rule: PolicyRule): boolean {
  return (
    hasAll(held.verbs, rule.verbs) &&
    hasAll(held.groups, rule.apiGroups) &&
    rule.resources.every((resource) => coversResource(held.resources, resource)) &&
    rule.nonResourceURLs.every((path) => coversPath(held, path)) &&
    (held.names.size === 0 ||
      (rule.resourceNames.length > 0 && rule.resourceNames.every((name) => held.names.has(name))))
  )
}

function hasAll(set: ReadonlySet<string>, texts: readonly string[]): boolean {
  return set.has(ALL) || texts.every((text) => set.has(text))
}

function coversResource(set: ReadonlySet<string>, resource: string): boolean {
  if (set.has(ALL) || set.has(resource)) return true
  const slash = resource.indexOf('/')
  return slash !== -1 && set.has(`*${resource.slice(slash)}`)
}

function coversPath({ paths, pathPrefixes }: IndexedRule, path: string): boolean {
  if (paths.has(path)) return true
  // No prefix in the list begins with another. So only the last prefix that does not sort after the path can be a prefix of the path.
  let [low, high] = [0, pathPrefixes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (pathPrefixes[middle]! <= path) low = middle + 1
    else high = middle
  }
  const before = pathPrefixes[low - 1]
  return before !== undefined && path.startsWith(before)
}

function combinations(rule: PolicyRule): number {
  const names = Math.max(rule.resourceNames.length, 1)
  const resources = rule.apiGroups.length * rule.resources.length * names
  return (resources + rule.nonResourceURLs.length) * rule.verbs.length
}

/** Splits a rule into rules with one group, resource, verb and name, or with one path and verb. */
function breakdown(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...NOTHING,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
  )
  const paths = rule.nonResourceURLs.flatMap((path) =>
    rule.verbs.map((verb) => ({ ...NOTHING, verbs: [verb], nonResourceURLs: [path] })),
  )
  return [...resources, ...paths]
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

/** Rules about the same resource become one rule with all their verbs. Rules about paths stay single. */
function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const complex: PolicyRule[] = []
  const simple = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>()
  for (const rule of rules) {
    const isSimple =
      rule.apiGroups.length === 1 &&
      rule.resources.length === 1 &&
      rule.resourceNames.length < 2 &&
      rule.nonResourceURLs.length === 0
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = simple.get(key)
    if (!isSimple) complex.push(rule)
    else if (known === undefined) simple.set(key, { rule, verbs: new Set(rule.verbs) })
    else for (const verb of rule.verbs) known.verbs.add(verb)
  }
  return [...complex, ...[...simple.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs] }))]
}
