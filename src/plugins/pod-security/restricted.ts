// The checks of the level `restricted`.
import { mapOrAbsent, mapOrEmpty, mapsOnly, textOrEmpty, textsOnly } from '../../api/members.ts'
import { own } from '../../api/value.ts'
import { seccompProfile } from './baseline.ts'
import {
  type Check,
  containerCheck,
  type ContainerView,
  contextCheck,
  named,
  namesWhere,
  plural,
  profileType,
  quoteAll,
  setters,
  sorted,
  uses,
} from './pod-view.ts'

export const allowPrivilegeEscalation: Check = containerCheck(
  'allowPrivilegeEscalation != false',
  ({ security }) => own(security, 'allowPrivilegeEscalation') !== false,
  () => 'must set securityContext.allowPrivilegeEscalation=false',
)

export const capabilitiesRestricted: Check = (pod) => {
  const capabilities = (member: string, { security }: ContainerView): readonly string[] =>
    textsOnly(mapOrEmpty(security, 'capabilities'), member)
  const added = (container: ContainerView): readonly string[] =>
    capabilities('add', container).filter((capability) => capability !== 'NET_BIND_SERVICE')
  const keeping = namesWhere(pod, (container) => !capabilities('drop', container).includes('ALL'))
  const adding = namesWhere(pod, (container) => added(container).length > 0)
  const extra = quoteAll(sorted(pod.containers.flatMap(added)))
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${named('container', adding)} must not include ${extra} in securityContext.capabilities.add`]),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const

export const restrictedVolumes: Check = ({ spec }) => {
  const bad = mapsOnly(spec, 'volumes').filter(
    (volume) => !VOLUMES.some((type) => mapOrAbsent(volume, type) !== undefined),
  )
  if (bad.length === 0) return undefined
  const types = sorted(bad.map((volume) => Object.keys(volume).find((member) => member !== 'name') ?? 'unknown'))
  const names = bad.map((volume) => textOrEmpty(volume, 'name'))
  const what = `${uses(names.length)} ${plural('restricted volume type', types.length)} ${quoteAll(types)}`
  return { reason: 'restricted volume types', detail: `${named('volume', names)} ${what}` }
}

export const runAsNonRoot: Check = (pod) => {
  const [reason, ofPod] = ['runAsNonRoot != true', own(pod.security, 'runAsNonRoot')]
  const who = setters(pod, (security) => own(security, 'runAsNonRoot') === false)
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` }
  const silent = namesWhere(pod, ({ security }) => typeof own(security, 'runAsNonRoot') !== 'boolean')
  if (ofPod === true || silent.length === 0) return undefined
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` }
}

export const runAsUser: Check = contextCheck(
  'runAsUser=0',
  (security) => own(security, 'runAsUser') === 0,
  () => 'must not set runAsUser=0',
)

export const seccompRestricted: Check = (pod) => {
  const forbidden = seccompProfile(pod)
  if (forbidden !== undefined) return forbidden
  if (profileType(pod.security, 'seccompProfile') !== undefined) return undefined
  const silent = namesWhere(pod, ({ security }) => profileType(security, 'seccompProfile') === undefined)
  if (silent.length === 0) return undefined
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
  return { reason: 'seccompProfile', detail: `pod or ${named('container', silent)} ${what}` }
}
