// A pod for one operating system has none of the other's settings; and the settings of Windows containers.
import type { FieldPath } from '../../../api/field-path.ts'
import {
  isGiven,
  isTrue,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { longerThan } from '../../../schema/validation/formats.ts'
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

const MAX_CREDENTIAL_KIB = 64
const MAX_DOMAIN = 256
const MAX_USER = 104

/** Longer names are refused for their length and not matched. */
const MAX_MATCHED = 4096
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

export function checkWindowsOptions(options: ValueMap, at: FieldPath, check: Check): void {
  check.fields(options, at, 'core_v1.WindowsSecurityContextOptions')
  const spec = textOrAbsent(options, 'gmsaCredentialSpec')
  if (spec === '') check.invalid(at.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string')
  else if (spec !== undefined && longerThan(spec, MAX_CREDENTIAL_KIB * 1024)) {
    const detail = `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`
    check.invalid(at.child('gmsaCredentialSpec'), spec, detail)
  }
  const user = textOrAbsent(options, 'runAsUserName')
  if (user === undefined) return
  for (const fault of userFaults(user)) check.invalid(at.child('runAsUserName'), user, fault)
}

const CONTROL_CHARACTER = /[^ -~\u0080-\u{10ffff}]/u

function userFaults(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (CONTROL_CHARACTER.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const [domain, user = ''] = parts.length === 2 ? parts : [undefined, ...parts]
  const faults: string[] = []
  if (domain !== undefined) {
    if (domain.length >= MAX_DOMAIN) faults.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`)
    const known = domain.length <= MAX_MATCHED && (NETBIOS.test(domain) || DOMAIN.test(domain))
    if (!known) faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  }
  if (user === '') faults.push("runAsUserName's User cannot be empty")
  else if (longerThan(user, MAX_USER)) {
    faults.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`)
  }
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  }
  return faults
}

const ALL_OR_NONE = 'If pod contains any hostProcess containers then all containers must be HostProcess containers'
const NEEDS_HOST_NETWORK = 'hostNetwork must be true if pod contains any hostProcess containers'

/** Host processes: all containers or none, and only on the network of the host. */
export function checkHostProcesses(spec: ValueMap, containers: Containers, at: FieldPath, check: Check): void {
  const ofPod = hostProcess(spec)
  let found = 0
  for (const [container, place] of containers) {
    const own = hostProcess(container)
    if (own === undefined && ofPod === undefined) continue
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`
      check.invalid(place.child('securityContext').child('windowsOptions').child('hostProcess'), own, detail)
    }
    if (own ?? ofPod) found++
  }
  if (found === 0) return
  if (found !== containers.length) check.invalid(at, '', ALL_OR_NONE)
  if (!isTrue(spec, 'hostNetwork')) check.invalid(at.child('hostNetwork'), false, NEEDS_HOST_NETWORK)
  if (check.context.allowPrivileged !== true) {
    check.forbidden(at, 'hostProcess containers are disallowed by cluster policy')
  }
}

function hostProcess(holder: ValueMap): boolean | undefined {
  const value = mapOrEmpty(mapOrEmpty(holder, 'securityContext'), 'windowsOptions')['hostProcess']
  return typeof value === 'boolean' ? value : undefined
}
