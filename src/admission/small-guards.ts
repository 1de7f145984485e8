// Plugins that refuse one thing each: addresses from elsewhere on services, anti-affinity that keeps whole zones free,
// everything.
import type { ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import type { AdmissionPlugin } from './admission.ts'
import { mapIn, mapsIn, specOf, textIn, textsIn } from './members.ts'
import { forbidden } from './refusal.ts'

/** Whoever may set addresses can take traffic that is meant for others (CVE-2020-8554); what is there may stay. */
export const DENY_SERVICE_EXTERNAL_IPS: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  resources: ['services'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    const { object, oldObject, subresource } = request
    if (object === undefined || subresource !== '') return
    const before = new Set(oldObject === undefined ? [] : textsIn(specOf(oldObject), 'externalIPs'))
    if (textsIn(specOf(object), 'externalIPs').some((address) => !before.has(address))) {
      throw forbidden(request, 'Use of external IPs is denied by admission control')
    }
  },
}

const HOSTNAME = 'kubernetes.io/hostname'

export const LIMIT_HARD_ANTI_AFFINITY: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  validate(request) {
    const { object: pod, subresource } = request
    if (pod === undefined || subresource !== '') return
    const affinity = mapIn(mapIn(specOf(pod), 'affinity'), 'podAntiAffinity')
    for (const term of mapsIn(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')) {
      const key = textIn(term, 'topologyKey')
      if (key === HOSTNAME) continue
      throw forbidden(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${HOSTNAME} is allowed`,
      )
    }
  },
}

export const ALWAYS_DENY: AdmissionPlugin = {
  name: 'AlwaysDeny',
  mutate(request) {
    throw forbidden(request, 'admission control is denying all modifications')
  },
}

/** A pod that asks for something rare tolerates that its nodes are kept for those who do. */
export const EXTENDED_RESOURCE_TOLERATION: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  resources: ['pods'],
  operations: ['CREATE', 'UPDATE'],
  mutate({ object: pod, subresource }) {
    if (pod === undefined || subresource !== '') return pod
    const spec = specOf(pod)
    const containers = [...mapsIn(spec, 'containers'), ...mapsIn(spec, 'initContainers')]
    const names = containers.flatMap((container) => Object.keys(mapIn(mapIn(container, 'resources'), 'requests')))
    const tolerations = mapsIn(spec, 'tolerations')
    const tolerated = new Set(tolerations.filter(isBare).map((toleration) => textIn(toleration, 'key')))
    const missing = [...new Set(names)].filter((name) => isExtended(name) && !tolerated.has(name)).toSorted()
    if (missing.length === 0) return pod
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))
    return { ...pod, spec: { ...spec, tolerations: [...tolerations, ...added] } }
  },
}

/** Tolerates the taint whatever its value is. */
function isBare(toleration: ValueMap): boolean {
  return (
    textIn(toleration, 'effect') === 'NoSchedule' &&
    textIn(toleration, 'operator') === 'Exists' &&
    own(toleration, 'value') === undefined
  )
}

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.')
}
