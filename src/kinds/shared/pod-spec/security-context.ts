// Security contexts of pods and containers.
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { isSysctlName, longerThan } from '../../../schema/validation/formats.ts'
import { formOf, shownAs } from '../internal-form.ts'
import { checkDescendingPath } from '../paths.ts'
import type { ContainerScope } from './container-scope.ts'
import { checkWindowsOptions } from './pod-os.ts'
import { hasAdminCapability } from './stored-pod-spec.ts'

/** `at`: the place that the fault names. */
export function checkSharing({ shareProcessNamespace: shares, hostPID }: PodSpec, at: FieldPath, check: Check): void {
  if (shares !== true || hostPID !== true) return
  check.invalid(at.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled')
}

/** Checks the security context of a pod, and the fields of the spec that belong to the context. */
export function checkPodSecurity(spec: PodSpec, at: FieldPath<PodSecurityContext>, check: Check): void {
  const { securityContext: context = {} } = spec
  check.fields(context, at, 'core_v1.PodSecurityContext', 'fsGroup', 'runAsUser', 'runAsGroup', 'supplementalGroups')
  if (!check.form.placesSharing) checkSharing(spec, at, check)
  checkSysctls(spec, at.child('sysctls'), check)
  check.fields(context, at, 'core_v1.PodSecurityContext', 'fsGroupChangePolicy')
  check.part(context, 'seccompProfile', at, checkSeccomp)
  check.part(context, 'windowsOptions', at, checkWindowsOptions)
  check.part(context, 'appArmorProfile', at, checkAppArmor)
  check.fields(context, at, 'core_v1.PodSecurityContext', 'supplementalGroupsPolicy')
  const { seLinuxChangePolicy: policy } = context
  const policies = check.gate('SELinuxMount') ? ['MountOption', 'Recursive'] : ['Recursive']
  if (policy !== undefined) check.oneOf(at.child('seLinuxChangePolicy'), policy, policies)
}

const SYSCTL_FORM =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'

function checkSysctls(spec: PodSpec, list: FieldPath<readonly Sysctl[]>, check: Check): void {
  const names = new Set<string>()
  for (const [i, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = list.index(i).child('name')
    if (name === '') check.required(at)
    else if (longerThan(name, 253) || !isSysctlName(name)) check.invalid(at, name, SYSCTL_FORM)
    else if (names.has(name)) check.duplicate(at, name)
    const namespace = sysctlNamespace(name)
    if (spec.hostNetwork === true && namespace === 'net') {
      check.invalid(at, name, "may not be specified when 'hostNetwork' is true")
    } else if (spec.hostIPC === true && namespace === 'ipc') {
      check.invalid(at, name, "may not be specified when 'hostIPC' is true")
    }
    names.add(name)
  }
}

const IPC_SYSCTLS: readonly string[] = ['kernel.sem', 'kernel.shm_rmid_forced']

/** The kernel namespace that a sysctl belongs to. */
function sysctlNamespace(name: string): 'net' | 'ipc' | undefined {
  const dotted = name.replaceAll('/', '.')
  if (dotted.startsWith('net.')) return 'net'
  const ofIpc = IPC_SYSCTLS.includes(dotted) || /^(kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted)
  return ofIpc ? 'ipc' : undefined
}

function checkSeccomp(profile: SeccompProfile, at: FieldPath<SeccompProfile>, check: Check): void {
  const { type, localhostProfile: local } = profile
  check.fields(profile, at, 'core_v1.SeccompProfile')
  const place = at.child('localhostProfile')
  if (type !== 'Localhost') {
    const detail = 'can only be set when seccomp type is Localhost'
    if (local !== undefined) check.invalid(place, shownAs(profile, formOf('core_v1.SeccompProfile')), detail)
  } else if (local === undefined) check.required(place, 'must be set when seccomp type is Localhost')
  else checkDescendingPath(local, place, check)
}

const MAX_PROFILE_BYTES = 4095

function checkAppArmor(
  { type, localhostProfile: local }: AppArmorProfile,
  at: FieldPath<AppArmorProfile>,
  check: Check,
): void {
  const place = at.child('localhostProfile')
  switch (type) {
    case 'Localhost':
      if (local === undefined) check.required(place, 'must be set when AppArmor type is Localhost')
      else checkLocalProfile(local, place, check)
      break
    case 'RuntimeDefault':
    case 'Unconfined':
      if (local !== undefined) check.invalid(place, local, 'can only be set when AppArmor type is Localhost')
      break
    case '':
      check.required(at.child('type'), 'type is required when appArmorProfile is set')
      break
    default:
      check.notSupported(at.child('type'), type, ['Localhost', 'RuntimeDefault', 'Unconfined'])
  }
}

function checkLocalProfile(profile: string, at: FieldPath<string>, check: Check): void {
  if (profile.trim() !== profile) check.invalid(at, profile, 'must not be padded with whitespace')
  else if (profile === '') check.required(at, 'must be set when AppArmor type is Localhost')
  if (longerThan(profile, MAX_PROFILE_BYTES)) check.tooLong(at, MAX_PROFILE_BYTES)
}

/** The security context of a container. */
export function checkContainerSecurity(
  context: SecurityContext,
  at: FieldPath<SecurityContext>,
  { check, hostUsers }: ContainerScope,
): void {
  if (context.privileged === true && check.context.allowPrivileged !== true) {
    check.forbidden(at.child('privileged'), 'disallowed by cluster policy')
  }
  check.fields(context, at, 'core_v1.SecurityContext')
  if (hostUsers && context.procMount === 'Unmasked') {
    check.invalid(at.child('procMount'), 'Unmasked', '`hostUsers` must be false to use `Unmasked`')
  }
  check.part(context, 'seccompProfile', at, checkSeccomp)
  if (context.allowPrivilegeEscalation === false) checkNoEscalation(context, at, check)
  check.part(context, 'windowsOptions', at, checkWindowsOptions)
  check.part(context, 'appArmorProfile', at, checkAppArmor)
}

function checkNoEscalation(context: SecurityContext, at: FieldPath<SecurityContext>, check: Check): void {
  const refuse = (what: string): void => {
    const detail = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`
    check.invalid(at, shownAs(context, formOf('core_v1.SecurityContext')), detail)
  }
  if (context.privileged === true) refuse('`privileged` to true')
  const isAdmin = context.capabilities?.add?.includes('CAP_SYS_ADMIN') === true
  const isKept = check.form.keepsPodFaults && hasAdminCapability(check)
  if (isAdmin && !isKept) refuse('`capabilities.Add` CAP_SYS_ADMIN')
}
