// A choice between members of an object: exactly one member must be given.
import type { FieldPath } from '../../api/field-path.ts'
import type { ValueMap } from '../../api/value.ts'
import { isAbsent } from '../../schema/defaults/rule.ts'
import type { Check } from '../../schema/validation/check.ts'

interface Choice<T> {
  readonly part: T
  /** The stored part. A change that gives the same members is not checked. Absent: the part is new. */
  readonly stored?: T | undefined
  readonly members: readonly (keyof T & string)[]
}

export function checkChoice<T extends ValueMap>(
  { part, stored, members }: Choice<T>,
  at: FieldPath,
  check: Check,
): void {
  const given = members.filter((name) => isGiven(part, name))
  if (stored !== undefined && members.every((name) => isGiven(stored, name) === given.includes(name))) return
  if (given.length !== 1) refuseChoice(given, members, at, check)
}

function isGiven(part: ValueMap, name: string): boolean {
  const value = part[name]
  return Array.isArray(value) ? value.length > 0 : !isAbsent(value)
}

/** Reports a fault that names the given members and all members. */
export function refuseChoice(given: readonly string[], members: readonly string[], at: FieldPath, check: Check): void {
  const wanted = given.length === 0 ? 'must specify one of' : 'must specify exactly one of'
  const shown = given.length === 0 ? '' : `{${given.join(', ')}}`
  check.invalid(at, shown, `${wanted}: ${members.map((field) => `\`${field}\``).join(', ')}`)
}
