// Which objects a quota is about: all of the types that it counts, or only those in its scopes.
import type { ApiObject, GroupResource } from '../../api/object.ts'
import { formatGroupResource } from '../../api/object.ts'
import type { ValueMap } from '../../api/value.ts'
import { qosOf } from '../../api/pod-qos.ts'
import { mapIn, mapsIn, numberIn, partIn, specOf, textIn, textsIn } from '../../admission/members.ts'

/** A quota with scopes is about pods, and claims by the class of their attributes. */
export function isInScopes(quota: ApiObject, type: GroupResource, object: ApiObject): boolean {
  return selectorsOf(quota).every((selector) => isSelected(selector, type, object))
}

export function selectorsOf(quota: ApiObject): readonly ValueMap[] {
  const spec = specOf(quota)
  return [
    ...textsIn(spec, 'scopes').map((scopeName): ValueMap => ({ scopeName, operator: 'Exists' })),
    ...mapsIn(mapIn(spec, 'scopeSelector'), 'matchExpressions'),
  ]
}

export function isSelected(selector: ValueMap, type: GroupResource, object: ApiObject): boolean {
  const name = formatGroupResource(type)
  if (name === 'pods') return isPodIn(selector, object)
  return name === 'persistentvolumeclaims' && isClaimIn(selector, object)
}

function isPodIn(selector: ValueMap, pod: ApiObject): boolean {
  const spec = specOf(pod)
  switch (textIn(selector, 'scopeName')) {
    case 'Terminating':
      return isBounded(pod)
    case 'NotTerminating':
      return !isBounded(pod)
    case 'BestEffort':
      return qosOf(spec) === 'BestEffort'
    case 'NotBestEffort':
      return qosOf(spec) !== 'BestEffort'
    case 'PriorityClass': {
      const name = textIn(spec, 'priorityClassName')
      return matches(selector, name === '' ? [] : [name])
    }
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(spec)
    default:
      return false
  }
}

/** Whether a pod has a time set to end by. */
export function isBounded(pod: ApiObject): boolean {
  return (numberIn(specOf(pod), 'activeDeadlineSeconds') ?? -1) >= 0
}

function isClaimIn(selector: ValueMap, claim: ApiObject): boolean {
  if (textIn(selector, 'scopeName') !== 'VolumeAttributesClass') return false
  const status = mapIn(claim, 'status')
  const names = [
    textIn(specOf(claim), 'volumeAttributesClassName'),
    textIn(status, 'currentVolumeAttributesClassName'),
    textIn(mapIn(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ]
  return matches(selector, [...new Set(names.filter((name) => name !== ''))])
}

function matches(selector: ValueMap, names: readonly string[]): boolean {
  const values = textsIn(selector, 'values')
  switch (textIn(selector, 'operator')) {
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

function looksAcrossNamespaces(spec: ValueMap): boolean {
  const affinity = mapIn(spec, 'affinity')
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const part = mapIn(affinity, kind)
    const terms = [
      ...mapsIn(part, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...mapsIn(part, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) => mapIn(term, 'podAffinityTerm')),
    ]
    return terms.some(
      (term) => textsIn(term, 'namespaces').length > 0 || partIn(term, 'namespaceSelector') !== undefined,
    )
  })
}
