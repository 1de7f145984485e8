// The checks of the level `restricted`.
import { seccompProfile } from './baseline.ts'
import {
  type Check,
  containerCheck,
  type ContainerView,
  contextCheck,
  named,
  namesWhere,
  plural,
  quoteAll,
  setters,
  sorted,
  uses,
} from './pod-view.ts'

export const allowPrivilegeEscalation: Check = containerCheck(
  'allowPrivilegeEscalation != false',
  ({ security }) => security.allowPrivilegeEscalation !== false,
  () => 'must set securityContext.allowPrivilegeEscalation=false',
)

export const capabilitiesRestricted: Check = (pod) => {
  const added = ({ security: { capabilities } }: ContainerView): readonly string[] =>
    capabilities?.add?.filter((capability) => capability !== 'NET_BIND_SERVICE') ?? []
  const keeping = namesWhere(pod, ({ security: { capabilities } }) => capabilities?.drop?.includes('ALL') !== true)
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
  const bad = (spec.volumes ?? []).filter((volume) => !VOLUMES.some((type) => volume[type] !== undefined))
  if (bad.length === 0) return undefined
  const types = sorted(bad.map((volume) => Object.keys(volume).find((member) => member !== 'name') ?? 'unknown'))
  const names = bad.map(({ name }) => name)
  const what = `${uses(names.length)} ${plural('restricted volume type', types.length)} ${quoteAll(types)}`
  return { reason: 'restricted volume types', detail: `${named('volume', names)} ${what}` }
}

export const runAsNonRoot: Check = (pod) => {
  const [reason, ofPod] = ['runAsNonRoot != true', pod.security.runAsNonRoot]
  const who = setters(pod, ({ runAsNonRoot }) => runAsNonRoot === false)
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` }
  const silent = namesWhere(pod, ({ security }) => security.runAsNonRoot === undefined)
  if (ofPod === true || silent.length === 0) return undefined
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` }
}

export const runAsUser: Check = contextCheck(
  'runAsUser=0',
  (security) => security.runAsUser === 0,
  () => 'must not set runAsUser=0',
)

export const seccompRestricted: Check = (pod) => {
  const forbidden = seccompProfile(pod)
  if (forbidden !== undefined) return forbidden
  if (pod.security.seccompProfile !== undefined) return undefined
  const silent = namesWhere(pod, ({ security }) => security.seccompProfile === undefined)
  if (silent.length === 0) return undefined
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
  return { reason: 'seccompProfile', detail: `pod or ${named('container', silent)} ${what}` }
}
