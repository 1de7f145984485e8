// The scopes of a quota: which objects it counts.
import type {
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuota,
  ScopedResourceSelectorRequirement as ScopeSelector,
} from '../../api/gen/kinds.ts'
import { isKind } from '../../api/kind-guard.ts'
import type { ApiObject } from '../../api/object.ts'
import { qosOf } from '../../api/pod-qos.ts'

/** A new object may have no status. */
export type MaybeNew<T extends { readonly status: unknown }> = Omit<T, 'status'> & Partial<Pick<T, 'status'>>

/** Whether the object is in all scopes of the quota. Scopes select pods, and claims by their volume attributes class. */
export function isInScopes(quota: ResourceQuota, object: ApiObject): boolean {
  return selectorsOf(quota).every((selector) => isSelected(selector, object))
}

export function selectorsOf({ spec }: ResourceQuota): readonly ScopeSelector[] {
  const { scopes = [], scopeSelector } = spec
  return [...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })), ...(scopeSelector?.matchExpressions ?? [])]
}

export function isSelected(selector: ScopeSelector, object: ApiObject): boolean {
  if (isKind(object, 'core_v1.Pod')) return isPodIn(selector, object)
  return isKind(object, 'core_v1.PersistentVolumeClaim') && isClaimIn(selector, object)
}

function isPodIn(selector: ScopeSelector, pod: Pod): boolean {
  const { spec } = pod
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(pod)
    case 'NotTerminating':
      return !hasDeadline(pod)
    case 'BestEffort':
      return qosOf(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosOf(spec) !== 'BestEffort'
    case 'PriorityClass':
      return matches(selector, [spec.priorityClassName])
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(spec)
    default:
      return false
  }
}

export function hasDeadline({ spec }: Pod): boolean {
  return (spec.activeDeadlineSeconds ?? -1) >= 0
}

function isClaimIn(selector: ScopeSelector, { spec, status }: MaybeNew<PersistentVolumeClaim>): boolean {
  if (selector.scopeName !== 'VolumeAttributesClass') return false
  return matches(selector, [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ])
}

/** Names that are absent or empty do not count. */
function matches({ operator, values = [] }: ScopeSelector, given: readonly (string | undefined)[]): boolean {
  const names = given.flatMap((name = '') => (name === '' ? [] : [name]))
  switch (operator) {
    case 'Exists':
      return names.length > 0
    case 'DoesNotExist':
      return names.length === 0
    case 'In':
      return names.some((name) => values.includes(name))
    case 'NotIn':
      return !names.some((name) => values.includes(name))
    default:
      return false
  }
}

function hasCrossNamespaceAffinity({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  )
}
