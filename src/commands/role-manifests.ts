// The manifests of roles and bindings.
import type { ValueMap } from '../api/value.ts'
import { accountOf } from '../auth/user.ts'

const GROUP = 'rbac.authorization.k8s.io'

export interface RolePlace {
  readonly name: string
  /** Empty: the role is a ClusterRole. */
  readonly namespace: string
}

export function roleOf({ rules, ...place }: RolePlace & { readonly rules: readonly ValueMap[] }): ValueMap {
  return { apiVersion: `${GROUP}/v1`, kind: roleKind(place), metadata: metadataOf(place), rules }
}

/** Binds the role of the same name to a user. */
export function bindingOf({ user, ...place }: RolePlace & { readonly user: string }): ValueMap {
  const account = accountOf(user)
  return {
    apiVersion: `${GROUP}/v1`,
    kind: `${roleKind(place)}Binding`,
    metadata: metadataOf(place),
    roleRef: { apiGroup: GROUP, kind: roleKind(place), name: place.name },
    subjects: [
      account === undefined ? { apiGroup: GROUP, kind: 'User', name: user } : { kind: 'ServiceAccount', ...account },
    ],
  }
}

function roleKind({ namespace }: RolePlace): string {
  return namespace === '' ? 'ClusterRole' : 'Role'
}

function metadataOf({ name, namespace }: RolePlace): ValueMap {
  return namespace === '' ? { name } : { name, namespace }
}
