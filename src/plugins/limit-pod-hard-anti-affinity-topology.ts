// LimitPodHardAntiAffinityTopology: required pod anti-affinity is limited to the hostname topology.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'
import { isKind } from '../api/kind-guard.ts'

const HOSTNAME = 'kubernetes.io/hostname'

export const LIMIT_HARD_ANTI_AFFINITY: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    const { object: pod, subresource } = request
    if (!isKind(pod, 'core_v1.Pod') || subresource !== '') return
    const { requiredDuringSchedulingIgnoredDuringExecution: terms = [] } = pod.spec.affinity?.podAntiAffinity ?? {}
    for (const { topologyKey: key } of terms) {
      if (key === HOSTNAME) continue
      const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOSTNAME} is allowed`
      throw forbidden(request, why)
    }
  },
}
