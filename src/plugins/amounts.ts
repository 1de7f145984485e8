// Resource lists: quantities by resource name (`cpu`, `memory`, …).
import { mapOrEmpty, quantityOrAbsent } from '../api/members.ts'
import type { ValueMap } from '../api/value.ts'
import { addQuantities, compareQuantities, type Quantity } from '../lib/quantity.ts'

export type Amounts = ReadonlyMap<string, Quantity>

export const NOTHING: Amounts = new Map<string, Quantity>()

/** Invalid quantities are left out; decoding has refused them before. */
function amountsOf(map: ValueMap): Amounts {
  const amounts = new Map<string, Quantity>()
  for (const name of Object.keys(map)) {
    const quantity = quantityOrAbsent(map, name)
    if (quantity !== undefined) amounts.set(name, quantity)
  }
  return amounts
}

export function amountsIn(map: ValueMap, name: string): Amounts {
  return amountsOf(mapOrEmpty(map, name))
}

/** Sorted, for stable messages. */
export function namesOf(amounts: Amounts): readonly string[] {
  return [...amounts.keys()].toSorted()
}

export function sumOf(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) return a
  if (a.size === 0) return b
  const sum = new Map(a)
  for (const [name, quantity] of b) {
    const before = sum.get(name)
    sum.set(name, before === undefined ? quantity : addQuantities(before, quantity))
  }
  return sum
}

/** The greater of both for every name. */
export function greaterOf(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) return a
  const greater = new Map(a)
  for (const [name, quantity] of b) {
    const before = greater.get(name)
    if (before === undefined || compareQuantities(quantity, before) > 0) greater.set(name, quantity)
  }
  return greater
}
