// Applies the rules of a user's review to a kind and a verb.
import type { Kind } from './kind.ts'

export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const
export type Verb = (typeof VERBS)[number]

export interface Subject {
  /** Empty: the user who is logged in. */
  readonly user: string
  readonly groups: readonly string[]
}

/** `some`: only objects of certain names. */
export type Answer = 'yes' | 'some' | 'no'

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export function answerOf(
  rules: readonly ResourceRule[],
  { group, plural }: Pick<Kind, 'group' | 'plural'>,
  verb: string,
): Answer {
  const fitting = rules.filter(
    (rule) => names(rule.verbs, verb) && names(rule.apiGroups, group) && names(rule.resources, plural),
  )
  if (fitting.length === 0) return 'no'
  return fitting.some(({ resourceNames = [] }) => resourceNames.length === 0) ? 'yes' : 'some'
}

export function names(listed: readonly string[] | undefined, ...wanted: readonly string[]): boolean {
  return listed?.some((one) => one === '*' || wanted.includes(one)) === true
}

/** A user by its name, with its groups. A service account is in groups of service accounts. */
export function subjectNamed(name: string): Subject {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name)
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`]
  return { user: name, groups: [...own, 'system:authenticated'] }
}
