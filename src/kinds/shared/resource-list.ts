// Amounts of resources are rounded up to thousandths.
import type { ResourceRequirements } from '../../api/gen/kinds.ts'
import { entriesOf, type MapOf, setOwn, type Value } from '../../api/value.ts'
import { formatQuantity, milliQuantityOf, parseQuantity, scaledValue } from '../../lib/quantity.ts'
import { type OwnRule, within } from '../../schema/defaults/rule.ts'

/** Canonical quantities without these characters are not finer than a thousandth. */
const MAYBE_FINER = /[nu]$|\.|e-/

export const rounded: OwnRule<MapOf<string>> = (given) => {
  let changed: Record<string, Value> | undefined
  for (const [name, amount] of entriesOf(given ?? {})) {
    if (!MAYBE_FINER.test(amount)) continue
    const after = roundedUp(amount)
    if (after === amount) continue
    changed ??= { ...given }
    setOwn(changed, name, after)
  }
  return changed ?? given
}

export const roundedResources = within<ResourceRequirements>({ limits: rounded, requests: rounded })

function roundedUp(text: string): string {
  const parsed = parseQuantity(text)
  if (!parsed.ok || parsed.quantity.scale >= -3) return text
  const { unscaled, scale, format } = parsed.quantity
  const thousandths = scaledValue(parsed.quantity, -3)
  const isExact = thousandths * 10n ** BigInt(-3 - scale) === unscaled
  return isExact ? text : formatQuantity(milliQuantityOf(thousandths, format))
}

/** `target` with the members that only `source` has. */
export function withMissing(target: MapOf<string> | undefined, source: MapOf<string>): MapOf<string> | undefined {
  const entries = entriesOf(source)
  if (entries.length === 0) return target
  if (target === undefined || Object.keys(target).length === 0) return source
  const missing = entries.filter(([name]) => !Object.hasOwn(target, name))
  if (missing.length === 0) return target
  const result: Record<string, Value> = { ...target }
  for (const [name, amount] of missing) setOwn(result, name, amount)
  return result
}
