// The front door of the pod security standards: the violations of a pod, for a level and a version.
import type { LevelVersion } from '../pod-security-policy.ts'
import {
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  seLinuxOptions,
  seccompAnnotations,
  seccompProfile,
  sysctls,
  windowsHostProcess,
} from './baseline.ts'
import {
  type Check,
  type CheckVersions,
  type PodOrTemplate,
  unlessOwnUsers,
  unlessWindows,
  viewOf,
  type Violation,
} from './pod-view.ts'

export type { PodOrTemplate } from './pod-view.ts'
import {
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
} from './restricted.ts'

interface Rule {
  readonly versions: readonly (readonly [from: number, check: Check])[]
  /** From this minor version on, `restricted` has a stricter check in place of this rule. */
  readonly replacedFrom: number | undefined
}

function rule(versions: CheckVersions, replacedFrom?: number): Rule {
  return { versions: Object.entries(versions).map(([from, check]) => [Number(from), check]), replacedFrom }
}

/** In the order of the reference. */
const BASELINE: readonly Rule[] = [
  rule({ 0: appArmorProfile }),
  rule({ 0: capabilitiesBaseline }, 22),
  rule({ 0: hostNamespaces }),
  rule({ 0: hostPathVolumes }, 0),
  rule({ 0: hostPorts }),
  rule({ 34: hostProbes }),
  rule({ 0: privileged }),
  rule({ 0: procMount, 35: unlessOwnUsers(procMount) }, 35),
  rule(seLinuxOptions),
  rule({ 0: seccompAnnotations, 19: seccompProfile }, 19),
  rule(sysctls),
  rule({ 0: windowsHostProcess }),
]

const RESTRICTED: readonly Rule[] = [
  rule({ 8: allowPrivilegeEscalation, 25: unlessWindows(allowPrivilegeEscalation) }),
  rule({ 22: capabilitiesRestricted, 25: unlessWindows(capabilitiesRestricted) }),
  rule({ 35: procMount }),
  rule({ 0: restrictedVolumes }),
  rule({ 0: runAsNonRoot, 35: unlessOwnUsers(runAsNonRoot) }),
  rule({ 23: runAsUser, 35: unlessOwnUsers(runAsUser) }),
  rule({ 19: seccompRestricted, 25: unlessWindows(seccompRestricted) }),
]

/** The violations of a pod or template. Empty: the pod or template is allowed. */
export function violationsOf({ level, minor }: LevelVersion, pod: PodOrTemplate): readonly Violation[] {
  if (level === 'privileged') return []
  const view = viewOf(pod)
  const isRestricted = level === 'restricted'
  const common = isRestricted
    ? BASELINE.filter(({ replacedFrom }) => replacedFrom === undefined || minor < replacedFrom)
    : BASELINE
  return [...common, ...(isRestricted ? RESTRICTED : [])].flatMap(
    ({ versions }) => versions.findLast(([from]) => minor >= from)?.[1](view) ?? [],
  )
}

/** The reasons, with details in parentheses. */
export function detailOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
}

export function reasonOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ')
}
