// ExtendedResourceToleration: adds tolerations for the extended resources that a pod requests.
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { Toleration } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'

export const EXTENDED_RESOURCE_TOLERATION: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate({ object: pod, subresource }) {
    if (!isKind(pod, 'core_v1.Pod') || subresource !== '') return pod
    const { containers, initContainers = [], tolerations = [] } = pod.spec
    const names = [...(containers ?? []), ...initContainers].flatMap(({ resources }) =>
      Object.keys(resources.requests ?? {}),
    )
    const tolerated = new Set(tolerations.filter(isBare).map(({ key }) => key))
    const missing = [...new Set(names)].filter((name) => isExtended(name) && !tolerated.has(name)).toSorted()
    if (missing.length === 0) return pod
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))
    return withSpec(pod, { tolerations: [...tolerations, ...added] })
  },
}

/** Whether the toleration is for any value of its taint. */
function isBare({ effect, operator, value }: Toleration): boolean {
  return effect === 'NoSchedule' && operator === 'Exists' && value === undefined
}

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.')
}
