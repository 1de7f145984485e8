// ExtendedResourceToleration: adds tolerations for the extended resources that a pod requests.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { specOf } from '../api/object-members.ts'
import { own, type ValueMap } from '../api/value.ts'

export const EXTENDED_RESOURCE_TOLERATION: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate({ object: pod, subresource }) {
    if (pod === undefined || subresource !== '') return pod
    const spec = specOf(pod)
    const containers = [...mapsOnly(spec, 'containers'), ...mapsOnly(spec, 'initContainers')]
    const names = containers.flatMap((container) =>
      Object.keys(mapOrEmpty(mapOrEmpty(container, 'resources'), 'requests')),
    )
    const tolerations = mapsOnly(spec, 'tolerations')
    const tolerated = new Set(tolerations.filter(isBare).map((toleration) => textOrEmpty(toleration, 'key')))
    const missing = [...new Set(names)].filter((name) => isExtended(name) && !tolerated.has(name)).toSorted()
    if (missing.length === 0) return pod
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))
    return { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added] } }
  },
}

/** Tolerates the taint with any value. */
function isBare(toleration: ValueMap): boolean {
  return (
    textOrEmpty(toleration, 'effect') === 'NoSchedule' &&
    textOrEmpty(toleration, 'operator') === 'Exists' &&
    own(toleration, 'value') === undefined
  )
}

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.')
}
