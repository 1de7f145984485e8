// The users and groups that the server itself knows.

import type { User } from '../api/user.ts'

export type { User }

export const MASTERS = 'system:masters'
export const AUTHENTICATED = 'system:authenticated'
export const UNAUTHENTICATED = 'system:unauthenticated'

export const ANONYMOUS: User = {
  name: 'system:anonymous',
  uid: undefined,
  groups: [UNAUTHENTICATED],
  extra: {},
}

/** Every user whose identity was proven belongs to `system:authenticated`, last in the list (P-013). */
export function asAuthenticated(user: User): User {
  const known = user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)
  if (known || user.name === ANONYMOUS.name) return user
  return { ...user, groups: [...user.groups, AUTHENTICATED] }
}
