// Reads and validates DeleteOptions.
import { type FieldError, invalid, notSupported } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { isTrue, mapOrEmpty, textOrAbsent, textsOnly } from '../api/members.ts'
import { isList, own, type Value, type ValueMap } from '../api/value.ts'
import type { DeleteOptions } from './deletion.ts'
import { invalidOptionsError } from './errors.ts'

export const IGNORE_READ_ERRORS = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const POLICIES = ['Foreground', 'Background', 'Orphan'] as const

export interface ParsedDeleteOptions extends DeleteOptions {
  readonly dryRun: boolean
  /** The options in the form that admission sees. */
  readonly body: ValueMap
}

export interface DeleteOptionsContext {
  /** Whether the gate `AllowUnsafeMalformedObjectDeletion` is on. */
  readonly mayIgnoreReadErrors: boolean
  readonly isCollection: boolean
}

/** Throws `Invalid` for a fault in the options. */
export function readDeleteOptions(options: ValueMap, context: DeleteOptionsContext): ParsedDeleteOptions {
  const dryRun = textsOnly(options, 'dryRun').filter((value) => value !== '')
  const policy = own(options, 'propagationPolicy')
  const orphan = own(options, 'orphanDependents')
  const ignore = context.mayIgnoreReadErrors && isTrue(options, IGNORE_READ_ERRORS)
  const errors = faultsOf(options, { dryRun, policy, orphan, ignore, isCollection: context.isCollection })
  if (errors.length > 0) throw invalidOptionsError('DeleteOptions', errors)
  const grace = own(options, 'gracePeriodSeconds')
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: wholeSeconds(grace),
    preconditions: preconditionsOf(options),
    orphanDependents: typeof orphan === 'boolean' ? orphan : undefined,
    propagationPolicy: POLICIES.find((known) => known === policy),
    ignoreReadErrors: ignore,
    body: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...withoutType(options) },
  }
}

/** The value as a number, limited to safe integers. Undefined: the value is not a number. */
export function wholeSeconds(value: Value | undefined): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  return Math.max(Math.min(Number(value), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER)
}

function withoutType(options: ValueMap): ValueMap {
  const { kind: _kind, apiVersion: _version, ...rest } = options
  return rest
}

export function dryRunFaults(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === 'All')) return []
  return [notSupported(FieldPath.root('dryRun'), dryRun, ['All'])]
}

function preconditionsOf(options: ValueMap): DeleteOptions['preconditions'] {
  const given = mapOrEmpty(options, 'preconditions')
  return { uid: textOrAbsent(given, 'uid'), resourceVersion: textOrAbsent(given, 'resourceVersion') }
}

interface Judged {
  readonly dryRun: readonly string[]
  readonly policy: Value | undefined
  readonly orphan: Value | undefined
  readonly ignore: boolean
  readonly isCollection: boolean
}

function faultsOf(options: ValueMap, { dryRun, policy, orphan, ignore, isCollection }: Judged): FieldError[] {
  const errors: FieldError[] = []
  const at = FieldPath.root('propagationPolicy')
  if (policy !== undefined && policy !== null) {
    if (typeof orphan === 'boolean') {
      errors.push(invalid(at, policy, 'orphanDependents and deletionPropagation cannot be both set'))
    }
    if (!(POLICIES as readonly Value[]).includes(policy)) errors.push(notSupported(at, policy, [...POLICIES, 'nil']))
  }
  errors.push(...dryRunFaults(dryRun))
  if (!ignore) return errors
  const unsafe = FieldPath.root(IGNORE_READ_ERRORS)
  if (isCollection) {
    errors.push(invalid(unsafe, true, 'is not allowed with DELETECOLLECTION, try again after removing the option'))
  }
  for (const other of ['dryRun', 'propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions']) {
    const value = own(options, other)
    if (value === undefined || value === null || (isList(value) && value.length === 0)) continue
    errors.push(invalid(unsafe, true, `cannot be set together with .${other}`))
  }
  return errors
}
