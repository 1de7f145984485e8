// Pods for one operating system have none of the other's settings.
import type { FieldPath } from '../../../api/field-path.ts'
import { isGiven, listOrEmpty, mapOrAbsent, mapOrEmpty, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'

export interface OsScope {
  readonly at: FieldPath
  readonly check: Check
  readonly containers: readonly (readonly [ValueMap, FieldPath])[]
}

export function checkOs(spec: ValueMap, scope: OsScope): void {
  const os = mapOrAbsent(spec, 'os')
  if (os === undefined) return
  const { at, check } = scope
  const name = textOrEmpty(os, 'name')
  if (name === '') check.required(at.child('os').child('name'))
  else if (name === 'linux') refuseWindowsSettings(spec, scope)
  else if (name === 'windows') refuseLinuxSettings(spec, scope)
  else check.notSupported(at.child('os'), name, ['linux', 'windows'])
}

function refuseWindowsSettings(spec: ValueMap, { at, check, containers }: OsScope): void {
  for (const [holder, place] of [[spec, at] as const, ...containers]) {
    if (isGiven(mapOrEmpty(holder, 'securityContext'), 'windowsOptions')) {
      const where = place.child('securityContext').child('windowsOptions')
      check.forbidden(where, 'windows options cannot be set for a linux pod')
    }
  }
}

const NOT_ON_WINDOWS = 'cannot be set for a windows pod'

/** Settings in the order of the reference; `true` marks those that stand beside the security context. */
const OF_PODS: readonly (readonly [string, boolean])[] = [
  ['appArmorProfile', false],
  ['seLinuxOptions', false],
  ['hostUsers', true],
  ['hostPID', true],
  ['hostIPC', true],
  ['seccompProfile', false],
  ['fsGroup', false],
  ['fsGroupChangePolicy', false],
  ['sysctls', false],
  ['shareProcessNamespace', true],
  ['runAsUser', false],
  ['runAsGroup', false],
  ['supplementalGroups', false],
  ['supplementalGroupsPolicy', false],
  ['seLinuxChangePolicy', false],
]

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

function refuseLinuxSettings(spec: ValueMap, { at, check, containers }: OsScope): void {
  const context = mapOrEmpty(spec, 'securityContext')
  for (const [field, beside] of OF_PODS) {
    if (!isSet(beside ? spec : context, field)) continue
    check.forbidden((beside ? at : at.child('securityContext')).child(field), NOT_ON_WINDOWS)
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
