// Amounts of resources are rounded up to thousandths.
import { isMap, setOwn, type Value, type ValueMap } from '../../api/value.ts'
import { formatQuantity, milliQuantityOf, parseQuantity, scaledValue } from '../../lib/quantity.ts'
import { type Rule, within } from '../../schema/defaults/rule.ts'

/** Only canonical quantities like these can be finer than a thousandth. */
const MAYBE_FINER = /[nu]$|\.|e-/

export const rounded: Rule = (given) => {
  if (!isMap(given)) return given
  let changed: Record<string, Value> | undefined
  for (const name of Object.keys(given)) {
    const amount = given[name]
    if (typeof amount !== 'string' || !MAYBE_FINER.test(amount)) continue
    const after = roundedUp(amount)
    if (after === amount) continue
    changed ??= { ...given }
    setOwn(changed, name, after)
  }
  return changed ?? given
}

export const roundedResources: Rule = within({ limits: rounded, requests: rounded })

function roundedUp(text: string): string {
  const parsed = parseQuantity(text)
  if (!parsed.ok || parsed.quantity.scale >= -3) return text
  const { unscaled, scale, format } = parsed.quantity
  const thousandths = scaledValue(parsed.quantity, -3)
  const isExact = thousandths * 10n ** BigInt(-3 - scale) === unscaled
  return isExact ? text : formatQuantity(milliQuantityOf(thousandths, format))
}

/** `target` with what only `source` has. */
export function withMissing(target: ValueMap | undefined, source: ValueMap): ValueMap | undefined {
  const names = Object.keys(source)
  if (names.length === 0) return target
  if (target === undefined || Object.keys(target).length === 0) return source
  const missing = names.filter((name) => !Object.hasOwn(target, name))
  if (missing.length === 0) return target
  const result: Record<string, Value> = { ...target }
  for (const name of missing) setOwn(result, name, source[name]!)
  return result
}
