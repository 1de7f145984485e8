// The users and groups that the server itself knows, and the names of service accounts and nodes as users (P-042).
import type { User } from '../api/user.ts'

export type { User }

export const MASTERS = 'system:masters'
export const MONITORING = 'system:monitoring'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

export const ANONYMOUS: User = {
  name: 'system:anonymous',
  uid: undefined,
  groups: [UNAUTHENTICATED],
  extra: {},
}

/** Adds the group `system:authenticated` at the end, unless the user has it or is anonymous (P-013). */
export function asAuthenticated(user: User): User {
  const known = user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
  if (known || user.name === ANONYMOUS.name) return user
  return { ...user, groups: [...user.groups, AUTHENTICATED] }
}

const ACCOUNT_PREFIX = 'system:serviceaccount:'
const ALL_ACCOUNTS = 'system:serviceaccounts'
const NODE_PREFIX = 'system:node:'
export const NODES = 'system:nodes'

export interface AccountName {
  readonly namespace: string
  readonly name: string
}

export function accountUserName({ namespace, name }: AccountName): string {
  return `${ACCOUNT_PREFIX}${namespace}:${name}`
}

export function accountGroups(namespace: string): readonly string[] {
  return [ALL_ACCOUNTS, `${ALL_ACCOUNTS}:${namespace}`]
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** The node that a user name names. Undefined: the user is not a node. */
export function nodeOf(username: string): string | undefined {
  if (!username.startsWith(NODE_PREFIX)) return undefined
  const name = username.slice(NODE_PREFIX.length)
  return isSubdomain(name) ? name : undefined
}

/** The service account that a user name names. Undefined: the user is not a service account. */
export function accountOf(username: string): AccountName | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined
  const [namespace = '', name = '', ...more] = username.slice(ACCOUNT_PREFIX.length).split(':')
  const isOne = more.length === 0 && namespace.length <= 63 && LABEL.test(namespace) && isSubdomain(name)
  return isOne ? { namespace, name } : undefined
}

export function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text)
}

/** The name of the node that the user is. Empty: a node without a name. Undefined: the user is not a node. */
export function nodeOfUser({ name, groups }: User): string | undefined {
  return name.startsWith(NODE_PREFIX) && groups.includes(NODES) ? name.slice(NODE_PREFIX.length) : undefined
}
