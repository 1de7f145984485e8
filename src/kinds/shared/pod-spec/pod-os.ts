// A pod for one operating system has none of the other's settings.
import type { FieldPath } from '../../../api/field-path.ts'
import { isGiven, listOrEmpty, mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import type { PlacedContainer } from './container-scope.ts'

type Containers = readonly PlacedContainer[]

export function checkOs(spec: ValueMap, containers: Containers, at: FieldPath, check: Check): void {
  const os = mapOrAbsent(spec, 'os')
  if (os === undefined) return
  const name = textOrEmpty(os, 'name')
  if (name === '') check.required(at.child('os').child('name'))
  else if (name === 'linux') refuseWindowsSettings([[spec, at], ...containers], check)
  else if (name === 'windows') refuseLinuxSettings(spec, containers, at, check)
  else check.notSupported(at.child('os'), name, ['linux', 'windows'])
}

function refuseWindowsSettings(holders: Containers, check: Check): void {
  for (const [holder, place] of holders) {
    if (isGiven(mapOrEmpty(holder, 'securityContext'), 'windowsOptions')) {
      const where = place.child('securityContext').child('windowsOptions')
      check.forbidden(where, 'windows options cannot be set for a linux pod')
    }
  }
}

const NOT_ON_WINDOWS = 'cannot be set for a windows pod'

/** In the order of the reference. */
const OF_PODS = [
  { holder: 'securityContext', fields: ['appArmorProfile', 'seLinuxOptions'] },
  { holder: 'spec', fields: ['hostUsers', 'hostPID', 'hostIPC'] },
  { holder: 'securityContext', fields: ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'] },
  { holder: 'spec', fields: ['shareProcessNamespace'] },
  { holder: 'securityContext', fields: ['runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy'] },
  { holder: 'securityContext', fields: ['seLinuxChangePolicy'] },
] as const

const OF_CONTAINERS: readonly string[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

function refuseLinuxSettings(spec: ValueMap, containers: Containers, at: FieldPath, check: Check): void {
  const context = mapOrEmpty(spec, 'securityContext')
  for (const { holder, fields } of OF_PODS) {
    const [map, place] = holder === 'spec' ? [spec, at] : [context, at.child(holder)]
    for (const field of fields) if (isSet(map, field)) check.forbidden(place.child(field), NOT_ON_WINDOWS)
  }
  for (const [container, place] of containers) {
    const own = mapOrEmpty(container, 'securityContext')
    for (const field of OF_CONTAINERS) {
      if (isGiven(own, field)) check.forbidden(place.child('securityContext').child(field), NOT_ON_WINDOWS)
    }
  }
}

/** `hostPID` and `hostIPC` are set where they are true, lists where they have items. */
function isSet(holder: ValueMap, field: string): boolean {
  if (field === 'hostPID' || field === 'hostIPC') return holder[field] === true
  return field === 'sysctls' ? listOrEmpty(holder, field).length > 0 : isGiven(holder, field)
}
