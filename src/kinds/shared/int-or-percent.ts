// Counts that are integers or percentages: `3`, `25%`.
import type { FieldPath } from '../../api/field-path.ts'
import type { Value } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { percentage } from '../../schema/validation/formats.ts'

export function checkIntOrPercent(value: Value | undefined, at: FieldPath, check: Check): void {
  if (typeof value === 'string') check.format(at, value, percentage(value))
  else check.notNegative(at, typeof value === 'number' ? value : 0)
}

export function checkAtMostAll(value: Value | undefined, at: FieldPath, check: Check): void {
  if (typeof value === 'string' && percentage(value).length === 0 && Number(value.slice(0, -1)) > 100) {
    check.invalid(at, value, 'must not be greater than 100%')
  }
}

/** The integer, or the number of the percentage. Other values give 0. */
export function amountIn(value: Value | undefined): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return 0
  const number = Number(percentage(value).length === 0 ? value.slice(0, -1) : value)
  return Number.isInteger(number) ? number : 0
}
