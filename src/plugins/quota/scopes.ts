// The scopes of a quota: which objects it counts.
import { mapOrAbsent, mapOrEmpty, mapsOnly, numberOrAbsent, textOrEmpty, textsOnly } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import { type ApiObject, formatGroupResource, type GroupResource } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { qosOf } from '../../api/pod-qos.ts'

/** Scopes select pods, and claims by their volume attributes class. */
export function isInScopes(quota: ApiObject, type: GroupResource, object: ApiObject): boolean {
  return selectorsOf(quota).every((selector) => isSelected(selector, type, object))
}

export function selectorsOf(quota: ApiObject): readonly ValueMap[] {
  const spec = specOf(quota)
  return [
    ...textsOnly(spec, 'scopes').map((scopeName): ValueMap => ({ scopeName, operator: 'Exists' })),
    ...mapsOnly(mapOrEmpty(spec, 'scopeSelector'), 'matchExpressions'),
  ]
}

export function isSelected(selector: ValueMap, type: GroupResource, object: ApiObject): boolean {
  const name = formatGroupResource(type)
  if (name === 'pods') return isPodIn(selector, object)
  return name === 'persistentvolumeclaims' && isClaimIn(selector, object)
}

function isPodIn(selector: ValueMap, pod: ApiObject): boolean {
  const spec = specOf(pod)
  switch (textOrEmpty(selector, 'scopeName')) {
    case 'Terminating':
      return hasDeadline(pod)
    case 'NotTerminating':
      return !hasDeadline(pod)
    case 'BestEffort':
      return qosOf(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosOf(spec) !== 'BestEffort'
    case 'PriorityClass': {
      const name = textOrEmpty(spec, 'priorityClassName')
      return matches(selector, name === '' ? [] : [name])
    }
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(spec)
    default:
      return false
  }
}

export function hasDeadline(pod: ApiObject): boolean {
  return (numberOrAbsent(specOf(pod), 'activeDeadlineSeconds') ?? -1) >= 0
}

function isClaimIn(selector: ValueMap, claim: ApiObject): boolean {
  if (textOrEmpty(selector, 'scopeName') !== 'VolumeAttributesClass') return false
  const status = mapOrEmpty(claim, 'status')
  const names = [
    textOrEmpty(specOf(claim), 'volumeAttributesClassName'),
    textOrEmpty(status, 'currentVolumeAttributesClassName'),
    textOrEmpty(mapOrEmpty(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ]
  return matches(selector, [...new Set(names.filter((name) => name !== ''))])
}

function matches(selector: ValueMap, names: readonly string[]): boolean {
  const values = textsOnly(selector, 'values')
  switch (textOrEmpty(selector, 'operator')) {
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

function hasCrossNamespaceAffinity(spec: ValueMap): boolean {
  const affinity = mapOrEmpty(spec, 'affinity')
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const part = mapOrEmpty(affinity, kind)
    const terms = [
      ...mapsOnly(part, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...mapsOnly(part, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
        mapOrEmpty(term, 'podAffinityTerm'),
      ),
    ]
    return terms.some(
      (term) => textsOnly(term, 'namespaces').length > 0 || mapOrAbsent(term, 'namespaceSelector') !== undefined,
    )
  })
}
