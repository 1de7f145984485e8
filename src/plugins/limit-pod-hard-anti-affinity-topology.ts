// LimitPodHardAntiAffinityTopology: required pod anti-affinity is limited to the hostname topology.
import type { AdmissionPlugin } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'
import { mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { specOf } from '../api/object-members.ts'

const HOSTNAME = 'kubernetes.io/hostname'

export const LIMIT_HARD_ANTI_AFFINITY: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    const { object: pod, subresource } = request
    if (pod === undefined || subresource !== '') return
    const affinity = mapOrEmpty(mapOrEmpty(specOf(pod), 'affinity'), 'podAntiAffinity')
    for (const term of mapsOnly(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')) {
      const key = textOrEmpty(term, 'topologyKey')
      if (key === HOSTNAME) continue
      const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOSTNAME} is allowed`
      throw forbidden(request, why)
    }
  },
}
