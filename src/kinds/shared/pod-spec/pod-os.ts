// Rules for the operating system of a pod, which must have no settings of the other system. Also checks the settings of Windows containers.
import type {
  PodSecurityContext,
  PodSpec,
  SecurityContext,
  WindowsSecurityContextOptions,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { longerThan } from '../../../schema/validation/formats.ts'
import type { PlacedContainer } from './container-scope.ts'

type Containers = readonly PlacedContainer[]
interface Secured {
  readonly securityContext?: PodSecurityContext | SecurityContext
}

export function checkOs(spec: PodSpec, containers: Containers, at: FieldPath<PodSpec>, check: Check): void {
  if (spec.os === undefined) return
  const { name } = spec.os
  if (name === '') check.required(at.child('os').child('name'))
  else if (name === 'linux') refuseWindowsSettings([[spec, at], ...containers], check)
  else if (name === 'windows') refuseLinuxSettings(spec, containers, at, check)
  else check.notSupported(at.child('os'), name, ['linux', 'windows'])
}

function refuseWindowsSettings(holders: readonly (readonly [Secured, FieldPath<Secured>])[], check: Check): void {
  for (const [holder, place] of holders) {
    if (holder.securityContext?.windowsOptions !== undefined) {
      const where = place.child('securityContext').child('windowsOptions')
      check.forbidden(where, 'windows options cannot be set for a linux pod')
    }
  }
}

const NOT_ON_WINDOWS = 'cannot be set for a windows pod'

/** In the order of the reference. */
const OF_PODS: readonly (
  | { readonly ofPod: readonly (keyof PodSpec)[] }
  | { readonly ofContext: readonly (keyof PodSecurityContext)[] }
)[] = [
  { ofContext: ['appArmorProfile', 'seLinuxOptions'] },
  { ofPod: ['hostUsers', 'hostPID', 'hostIPC'] },
  { ofContext: ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'] },
  { ofPod: ['shareProcessNamespace'] },
  { ofContext: ['runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy'] },
]

const OF_CONTAINERS: readonly (keyof SecurityContext)[] = [
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

function refuseLinuxSettings(spec: PodSpec, containers: Containers, at: FieldPath<PodSpec>, check: Check): void {
  const context = spec.securityContext ?? {}
  const contextAt = at.child('securityContext')
  for (const fields of OF_PODS) {
    if ('ofPod' in fields) {
      // `hostPID` and `hostIPC` are omitted if they are false.
      for (const field of fields.ofPod) if (spec[field] !== undefined) check.forbidden(at.child(field), NOT_ON_WINDOWS)
    } else {
      for (const field of fields.ofContext) {
        if (context[field] !== undefined) check.forbidden(contextAt.child(field), NOT_ON_WINDOWS)
      }
    }
  }
  for (const [container, place] of containers) {
    const own = container.securityContext ?? {}
    for (const field of OF_CONTAINERS) {
      if (own[field] !== undefined) check.forbidden(place.child('securityContext').child(field), NOT_ON_WINDOWS)
    }
  }
}

const MAX_CREDENTIAL_KIB = 64
const MAX_DOMAIN = 256
const MAX_USER = 104

/** Longer names are refused for their length and not matched. */
const MAX_MATCHED = 4096
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

export function checkWindowsOptions(
  options: WindowsSecurityContextOptions,
  at: FieldPath<WindowsSecurityContextOptions>,
  check: Check,
): void {
  check.fields(options, at, 'core_v1.WindowsSecurityContextOptions')
  const { gmsaCredentialSpec: spec, runAsUserName: user } = options
  if (spec === '') check.invalid(at.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string')
  else if (spec !== undefined && longerThan(spec, MAX_CREDENTIAL_KIB * 1024)) {
    const detail = `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`
    check.invalid(at.child('gmsaCredentialSpec'), spec, detail)
  }
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

/** Either all containers are host processes, or none. Host processes need the network of the host. */
export function checkHostProcesses(spec: PodSpec, containers: Containers, at: FieldPath<PodSpec>, check: Check): void {
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
  if (spec.hostNetwork !== true) check.invalid(at.child('hostNetwork'), false, NEEDS_HOST_NETWORK)
  if (check.context.allowPrivileged !== true) {
    check.forbidden(at, 'hostProcess containers are disallowed by cluster policy')
  }
}

function hostProcess({ securityContext }: Secured): boolean | undefined {
  return securityContext?.windowsOptions?.hostProcess
}
