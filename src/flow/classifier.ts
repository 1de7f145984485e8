// Finds the flow schema of a request. Of the schemas with a rule for the user and the target of the request, the schema with the lowest
// precedence number counts (P-207). Schemas are indexed by user and group, so that few rules are checked even if there are many schemas.
import type { User } from '../api/user.ts'
import { getOrInsert } from '../lib/map-entries.ts'
import type { FlowInfo } from './flow.ts'
import type { PathRule, ResourceRule, RuleSpec, SchemaSpec, Words } from './flow-objects.ts'

interface Candidate<S> {
  /** The place among the schemas. The matching schema with the lowest place counts. */
  readonly order: number
  readonly schema: S
  readonly rule: RuleSpec
}

export interface FlowQuestion {
  readonly user: User
  readonly path: string
  readonly info: FlowInfo
}

const ACCOUNT_PREFIX = 'system:serviceaccount:'
const NO_CANDIDATES: readonly never[] = []

export class Classifier<S extends { readonly spec: SchemaSpec }> {
  readonly #users = new Map<string, Candidate<S>[]>()
  readonly #groups = new Map<string, Candidate<S>[]>()
  /** The candidates for all service accounts of a namespace. */
  readonly #namespaces = new Map<string, Candidate<S>[]>()
  readonly #ofAllUsers: Candidate<S>[] = []

  constructor(schemas: readonly S[]) {
    for (const [order, schema] of schemas.toSorted(byPrecedence).entries()) {
      for (const rule of schema.spec.rules) {
        const candidate = { order, schema, rule }
        for (const list of new Set(this.#listsFor(rule))) list.push(candidate)
      }
    }
  }

  /** Undefined: no schema matches. */
  find(question: FlowQuestion): S | undefined {
    const { name, groups } = question.user
    let best = firstMatch(this.#ofAllUsers, question, undefined)
    best = firstMatch(this.#users.get(name) ?? NO_CANDIDATES, question, best)
    if (this.#namespaces.size > 0 && name.startsWith(ACCOUNT_PREFIX)) {
      const end = name.indexOf(':', ACCOUNT_PREFIX.length)
      const list = end === -1 ? undefined : this.#namespaces.get(name.slice(ACCOUNT_PREFIX.length, end))
      best = firstMatch(list ?? NO_CANDIDATES, question, best)
    }
    for (const group of groups) best = firstMatch(this.#groups.get(group) ?? NO_CANDIDATES, question, best)
    return best?.schema
  }

  #listsFor(rule: RuleSpec): Candidate<S>[][] {
    return rule.subjects.map((subject) => {
      switch (subject.kind) {
        case 'user':
          return subject.name === '*' ? this.#ofAllUsers : listUnder(this.#users, subject.name)
        case 'group':
          return subject.name === '*' ? this.#ofAllUsers : listUnder(this.#groups, subject.name)
        case 'account':
          return subject.name === '*'
            ? listUnder(this.#namespaces, subject.namespace)
            : listUnder(this.#users, `${ACCOUNT_PREFIX}${subject.namespace}:${subject.name}`)
      }
    })
  }
}

function byPrecedence(a: { readonly spec: SchemaSpec }, b: { readonly spec: SchemaSpec }): number {
  return a.spec.precedence - b.spec.precedence || (a.spec.name < b.spec.name ? -1 : 1)
}

function listUnder<S>(map: Map<string, Candidate<S>[]>, key: string): Candidate<S>[] {
  return getOrInsert(map, key, () => [])
}

/** Returns the first match in the list, unless `best` is better. The list is sorted, so its first match is its best one. */
function firstMatch<S>(
  list: readonly Candidate<S>[],
  question: FlowQuestion,
  best: Candidate<S> | undefined,
): Candidate<S> | undefined {
  for (const candidate of list) {
    if (best !== undefined && candidate.order >= best.order) return best
    if (ruleMatches(candidate.rule, question)) return candidate
  }
  return best
}

function ruleMatches({ resources, paths }: RuleSpec, { info, path }: FlowQuestion): boolean {
  if (info.kind === 'resource') {
    for (const rule of resources) if (resourceMatches(rule, info)) return true
    return false
  }
  for (const rule of paths) if (pathMatches(rule, info.kind === 'path' ? info.verb : '', path)) return true
  return false
}

function resourceMatches(rule: ResourceRule, info: Extract<FlowInfo, { kind: 'resource' }>): boolean {
  if (!holds(rule.verbs, info.verb) || !holds(rule.groups, info.group)) return false
  if (rule.resources !== 'all') {
    const { resource, subresource } = info
    if (!rule.resources.has(subresource === undefined ? resource : `${resource}/${subresource}`)) return false
  }
  return info.namespace === undefined ? rule.clusterScope : holds(rule.namespaces, info.namespace)
}

function pathMatches({ verbs, roots }: PathRule, verb: string, path: string): boolean {
  if (!holds(verbs, verb)) return false
  if (roots === 'all') return true
  return roots.some((root) => path === root || (path.startsWith(root) && path.charAt(root.length) === '/'))
}

function holds(words: Words, word: string): boolean {
  return words === 'all' || words.has(word)
}
