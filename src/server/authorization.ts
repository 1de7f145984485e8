// Who decides what users may do, from the configuration, and what the deciders have to know of the stored objects: every replica
// follows that for itself.
import { allowAll, allowMasters, allowPublicPaths, type Authorizer, chain, denyAll } from '../auth/authorizer.ts'
import { RbacIndex, type RbacKind } from '../auth/rbac-index.ts'
import { rbacAuthorizer } from '../auth/rbac.ts'
import { type ControllerParts, follow, resourceOf } from '../controllers/controllers.ts'
import type { AuthorizationMode } from './config.ts'

const RBAC_RESOURCES: Readonly<Record<RbacKind, string>> = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
}

export interface Authorization {
  readonly authorizer: Authorizer
  readonly rbac: RbacIndex
  /** Follows what is stored until the signal fires. Where the cache is lost, what was known stays known. */
  follow(parts: ControllerParts, signal: AbortSignal): Promise<void>
  /** Resolves when everything that was stored at the start is known. */
  readonly loaded: Promise<void>
}

/** Administrators first, then the modes in order. */
export function openAuthorization(modes: readonly AuthorizationMode[]): Authorization {
  const rbac = new RbacIndex()
  const loaded = Promise.withResolvers<void>()
  let isLoaded = false
  // Probes are answered from the first moment on, before there are roles.
  const meanwhile = allowPublicPaths()
  const roles = rbacAuthorizer(rbac)
  const byRoles: Authorizer = {
    ...roles,
    authorize: (access, signal) => (isLoaded ? roles : meanwhile).authorize(access, signal),
  }
  return {
    authorizer: chain([allowMasters(), ...modes.map((mode) => authorizerOf(mode, byRoles))]),
    rbac,
    loaded: loaded.promise,
    follow: (parts, signal) =>
      followRoles(parts, rbac, signal, () => {
        isLoaded = true
        loaded.resolve()
      }),
  }
}

function authorizerOf(mode: AuthorizationMode, byRoles: Authorizer): Authorizer {
  switch (mode) {
    case 'AlwaysAllow':
      return allowAll()
    case 'AlwaysDeny':
      return denyAll()
    case 'Node':
      return chain([])
    case 'RBAC':
      return byRoles
  }
}

async function followRoles(
  parts: ControllerParts,
  index: RbacIndex,
  signal: AbortSignal,
  onLoaded: () => void,
): Promise<void> {
  const missing = new Set(Object.keys(RBAC_RESOURCES) as RbacKind[])
  const followKind = (kind: RbacKind): Promise<void> => {
    const resource = resourceOf(parts, 'rbac.authorization.k8s.io', 'v1', RBAC_RESOURCES[kind])
    const follower = {
      onPresent: (object: Parameters<Parameters<typeof follow>[2]['onPresent']>[0]) => index.put(kind, object.object()),
      onGone: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
        index.remove(kind, namespace, name),
      onSynced: () => {
        missing.delete(kind)
        if (missing.size === 0) onLoaded()
      },
    }
    return follow(parts.registry.store, resource, follower, signal)
  }
  await Promise.all([...missing].map(followKind))
}
