// The front door of the pod security standards: what a pod violates of a level, at a version of the standard.
import type { ValueMap } from '../../api/value.ts'
import {
  appArmorProfile,
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  procMountUnlessOwnUsers,
  seLinuxOptions,
  seLinuxOptionsWithEngine,
  seccompAnnotations,
  seccompProfile,
  sysctls,
  sysctls27,
  sysctls29,
  sysctls32,
  windowsHostProcess,
} from './baseline.ts'
import { type Check, type PodView, viewOf, type Violation } from './pod-view.ts'
import type { LevelVersion } from '../pod-security-policy.ts'
import {
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
  unlessOwnUsers,
  unlessWindows,
} from './restricted.ts'

/** One check through the versions of the standard: each from its minor version on, the latest first. */
interface Rule {
  readonly versions: readonly (readonly [from: number, check: Check])[]
  /** From this minor version on, `restricted` has a stricter check in its place. */
  readonly replacedFrom?: number
}

/** In the order that violations are told. */
const BASELINE: readonly Rule[] = [
  { versions: [[0, appArmorProfile]] },
  { versions: [[0, capabilitiesBaseline]], replacedFrom: 22 },
  { versions: [[0, hostNamespaces]] },
  { versions: [[0, hostPathVolumes]], replacedFrom: 0 },
  { versions: [[0, hostPorts]] },
  { versions: [[34, hostProbes]] },
  { versions: [[0, privileged]] },
  {
    versions: [
      [35, procMountUnlessOwnUsers],
      [0, procMount],
    ],
    replacedFrom: 35,
  },
  {
    versions: [
      [31, seLinuxOptionsWithEngine],
      [0, seLinuxOptions],
    ],
  },
  {
    versions: [
      [19, seccompProfile],
      [0, seccompAnnotations],
    ],
    replacedFrom: 19,
  },
  {
    versions: [
      [32, sysctls32],
      [29, sysctls29],
      [27, sysctls27],
      [0, sysctls],
    ],
  },
  { versions: [[0, windowsHostProcess]] },
]

const RESTRICTED: readonly Rule[] = [
  {
    versions: [
      [25, unlessWindows(allowPrivilegeEscalation)],
      [8, allowPrivilegeEscalation],
    ],
  },
  {
    versions: [
      [25, unlessWindows(capabilitiesRestricted)],
      [22, capabilitiesRestricted],
    ],
  },
  { versions: [[35, procMount]] },
  { versions: [[0, restrictedVolumes]] },
  {
    versions: [
      [35, unlessOwnUsers(runAsNonRoot)],
      [0, runAsNonRoot],
    ],
  },
  {
    versions: [
      [35, unlessOwnUsers(runAsUser)],
      [23, runAsUser],
    ],
  },
  {
    versions: [
      [25, unlessWindows(seccompRestricted)],
      [19, seccompRestricted],
    ],
  },
]

/** Empty where the pod, or what pods are made after, is allowed. */
export function violationsOf({ level, minor }: LevelVersion, metadata: ValueMap, spec: ValueMap): readonly Violation[] {
  if (level === 'privileged') return []
  const view = viewOf(metadata, spec)
  const isRestricted = level === 'restricted'
  const common = isRestricted
    ? BASELINE.filter(({ replacedFrom }) => replacedFrom === undefined || minor < replacedFrom)
    : BASELINE
  return [...common, ...(isRestricted ? RESTRICTED : [])].flatMap((rule) => check(rule, minor, view) ?? [])
}

function check({ versions }: Rule, minor: number, view: PodView): Violation | undefined {
  return versions.find(([from]) => minor >= from)?.[1](view)
}

/** With details in parentheses. */
export function detailOf(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')
}

export function reasonOf(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ')
}
