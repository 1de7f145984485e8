// The pod security policy of a namespace, from its labels: three modes, each with a level and a version of the standard.
import { type FieldError, invalid } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { type MapOf, own } from '../api/value.ts'

const LEVELS = ['privileged', 'baseline', 'restricted'] as const
export type Level = (typeof LEVELS)[number]

export interface LevelVersion {
  readonly level: Level
  /** The minor version after `v1.`. Infinity: the latest version. */
  readonly minor: number
}

export const MODES = ['enforce', 'audit', 'warn'] as const
export type Mode = (typeof MODES)[number]

export type Policy = Readonly<Record<Mode, LevelVersion>>

export const LATEST = Number.POSITIVE_INFINITY
const PRIVILEGED: LevelVersion = { level: 'privileged', minor: LATEST }
export const ALL_PRIVILEGED: Policy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED }

const PREFIX = 'pod-security.kubernetes.io/'
export const LEVEL_WRONG = `must be one of ${LEVELS.join(', ')}`
export const VERSION_WRONG = 'must be "latest" or "v1.x"'

export function formatLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === LATEST ? 'latest' : `v1.${minor}`}`
}

export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor
}

/** Positive: the first is stricter. */
export function compareLevels(a: Level, b: Level): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b)
}

export function parseLevel(text: string): Level | undefined {
  return LEVELS.find((level) => level === text)
}

export function parseVersion(text: string): number | undefined {
  if (text === 'latest') return LATEST
  const minor = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

/** Reads the policy from labels. An invalid level counts as `restricted` for enforce, and as `privileged` for the other modes. */
export function policyOf(
  labels: MapOf<string>,
  defaults: Policy,
): { readonly policy: Policy; readonly faults: readonly FieldError[] } {
  const faults: FieldError[] = []
  const read = (mode: Mode): LevelVersion => {
    const [level, version] = [own(labels, PREFIX + mode), own(labels, `${PREFIX}${mode}-version`)]
    let { level: chosen, minor } = defaults[mode]
    if (version !== undefined) {
      const parsed = parseVersion(version)
      if (parsed === undefined) faults.push(invalid(at(`${mode}-version`), version, VERSION_WRONG))
      minor = parsed ?? LATEST
    }
    if (level !== undefined) {
      const parsed = parseLevel(level)
      if (parsed === undefined) faults.push(invalid(at(mode), level, LEVEL_WRONG))
      chosen = parsed ?? (mode === 'enforce' ? 'restricted' : 'privileged')
    }
    return { level: chosen, minor }
  }
  const [enforce, audit, warn] = [read('enforce'), read('audit'), read('warn')]
  return { policy: { enforce, audit, warn: withEnforced(labels, enforce, warn) }, faults }
}

function at(label: string): FieldPath {
  return FieldPath.root('metadata')
    .child('labels')
    .key(PREFIX + label)
}

/** Without a warn label, a stricter enforced level is also the warn level. */
function withEnforced(labels: MapOf<string>, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const level = own(labels, `${PREFIX}enforce`)
  if (level === undefined || parseLevel(level) === undefined) return warn
  if (own(labels, `${PREFIX}warn`) !== undefined || compareLevels(enforce.level, warn.level) <= 0) return warn
  const minor = own(labels, `${PREFIX}warn-version`) === undefined ? enforce.minor : warn.minor
  return { level: enforce.level, minor }
}

/** Whether the labels set a mode. */
export function namesMode(labels: MapOf<string>, mode: Mode): boolean {
  return own(labels, PREFIX + mode) !== undefined || own(labels, `${PREFIX}${mode}-version`) !== undefined
}
