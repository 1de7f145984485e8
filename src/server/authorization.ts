// Who decides what users may do, from the configuration, and what the deciders have to know of the stored objects: every replica
// follows that for itself.
import { allowAll, allowMasters, allowPublicPaths, type Authorizer, chain, denyAll } from '../auth/authorizer.ts'
import { nodeAuthorizer } from '../auth/node-authorizer.ts'
import { type AuthMeasures, countDecisions } from '../auth/measures.ts'
import { RbacIndex, type RbacKind } from '../auth/rbac-index.ts'
import { rbacAuthorizer } from '../auth/rbac.ts'
import { clusterRoleRules, type MadeRole } from '../controllers/bootstrap-roles.ts'
import { type ControllerParts, follow, type Follower, resourceOf } from '../controllers/controllers.ts'
import type { AuthorizationMode } from './config.ts'
import { NodeGraphFeed } from './node-graph-feed.ts'

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
  /** Resolves when everything that was stored at the start is known, and these roles and bindings too. */
  untilKnown(roles: readonly MadeRole[], signal: AbortSignal): Promise<void>
}

/** Administrators first, then the modes in order. */
export function openAuthorization(modes: readonly AuthorizationMode[], measures: AuthMeasures): Authorization {
  const rbac = new RbacIndex()
  const nodes = new NodeGraphFeed()
  const waiting = new Set<() => void>()
  let isLoaded = false
  // Probes are answered from the first moment on, before there are roles.
  const meanwhile = allowPublicPaths()
  const roles = rbacAuthorizer(rbac)
  const byRoles: Authorizer = {
    ...roles,
    authorize: (access, signal) => (isLoaded ? roles : meanwhile).authorize(access, signal),
  }
  const deciders: Readonly<Record<AuthorizationMode, () => Authorizer>> = {
    AlwaysAllow: allowAll,
    AlwaysDeny: denyAll,
    Node: () => nodeAuthorizer({ graph: nodes.get, rules: clusterRoleRules('system:node') }),
    RBAC: () => byRoles,
  }
  const onChange = (isComplete: boolean): void => {
    isLoaded ||= isComplete
    for (const check of waiting) check()
  }
  return {
    authorizer: chain([allowMasters(), ...modes.map((mode) => countDecisions(deciders[mode](), mode, measures))]),
    rbac,
    untilKnown: (roles, signal) =>
      new Promise((resolve) => {
        const missing = [...roles]
        const check = (): void => {
          while (missing.length > 0 && isKnown(rbac, missing.at(-1)!)) missing.pop()
          if (!signal.aborted && (!isLoaded || missing.length > 0)) return
          waiting.delete(check)
          signal.removeEventListener('abort', check)
          resolve()
        }
        waiting.add(check)
        signal.addEventListener('abort', check, { once: true })
        check()
      }),
    async follow(parts, signal) {
      await Promise.all([followRoles(parts, rbac, signal, onChange), nodes.run(parts, signal)])
    },
  }
}

function isKnown(index: RbacIndex, { kind, namespace, name }: MadeRole): boolean {
  return index.has(kind as RbacKind, namespace, name)
}

async function followRoles(
  parts: ControllerParts,
  index: RbacIndex,
  signal: AbortSignal,
  onChange: (isComplete: boolean) => void,
): Promise<void> {
  const missing = new Set(Object.keys(RBAC_RESOURCES) as RbacKind[])
  const followKind = (kind: RbacKind): Promise<void> => {
    const follower: Follower = {
      onPresent: (object) => {
        index.put(kind, object.object())
        onChange(false)
      },
      onGone: ({ namespace, name }) => index.remove(kind, namespace, name),
      onSynced: () => {
        missing.delete(kind)
        onChange(missing.size === 0)
      },
    }
    const resource = resourceOf(parts, 'rbac.authorization.k8s.io', 'v1', RBAC_RESOURCES[kind])
    return follow(parts.registry.store, resource, follower, signal)
  }
  await Promise.all([...missing].map(followKind))
}
