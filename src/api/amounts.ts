// Resource lists: quantities by resource name (`cpu`, `memory`, …).
import { entriesOf, type MapOf } from './value.ts'
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../lib/quantity.ts'

export type Amounts = ReadonlyMap<string, Quantity>

export const NOTHING: Amounts = new Map<string, Quantity>()

/** Invalid quantities are left out. Decoding has refused them before. */
export function amountsOf(map: MapOf<string> | undefined): Amounts {
  if (map === undefined) return NOTHING
  const amounts = new Map<string, Quantity>()
  for (const [name, text] of entriesOf(map)) {
    const parsed = parseQuantity(text)
    if (parsed.ok) amounts.set(name, parsed.quantity)
  }
  return amounts
}

/** The names, sorted for stable messages. */
export function namesOf(amounts: Amounts): readonly string[] {
  return [...amounts.keys()].toSorted()
}

export function sumOf(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) return a
  if (a.size === 0) return b
  const sum = new Map(a)
  addAmounts(sum, b)
  return sum
}

/** For every name, the greater of the two amounts. */
export function greaterOf(a: Amounts, b: Amounts): Amounts {
  if (b.size === 0) return a
  const greater = new Map(a)
  raiseAmounts(greater, b)
  return greater
}

/** Adds the second amounts to the first. */
export function addAmounts(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, quantity] of more) {
    const before = sum.get(name)
    sum.set(name, before === undefined ? quantity : addQuantities(before, quantity))
  }
}

/** Raises the first amounts to the second. */
export function raiseAmounts(greater: Map<string, Quantity>, others: Amounts): void {
  for (const [name, quantity] of others) {
    const before = greater.get(name)
    if (before === undefined || compareQuantities(quantity, before) > 0) greater.set(name, quantity)
  }
}
