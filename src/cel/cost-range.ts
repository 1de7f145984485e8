// Ranges of costs and sizes. No bound is above 2^64.
import type { Expr } from './ast.ts'
import type { Type } from './type.ts'

export interface CostEstimate {
  readonly min: number
  readonly max: number
}

/** The sizes of the keys (or positions) and values of a list or map. */
export interface EntrySizes {
  readonly container: 'list' | 'map'
  readonly key: CostEstimate
  readonly value: CostEstimate
}

/** The facts about a node for the estimate of a call. */
export interface Node {
  readonly expression: Expr
  readonly type: Type
  readonly size: CostEstimate | undefined
  readonly entries: EntrySizes | undefined
  /** The sizes that a schema allows for the items of this list. */
  readonly itemSize: () => CostEstimate | undefined
}

const MAX_COST = 2 ** 64

export const UNKNOWN: CostEstimate = Object.freeze({ min: 0, max: MAX_COST })

export function exactly(amount: number): CostEstimate {
  return { min: amount, max: amount }
}

export function add(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: Math.min(MAX_COST, a.min + b.min), max: Math.min(MAX_COST, a.max + b.max) }
}

export function times(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: product(a.min, b.min), max: product(a.max, b.max) }
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.min(MAX_COST, a * b)
}

/** The range times a factor, rounded up. */
export function scaled(range: CostEstimate, factor: number): CostEstimate {
  return {
    min: Math.min(MAX_COST, Math.ceil(range.min * factor)),
    max: Math.min(MAX_COST, Math.ceil(range.max * factor)),
  }
}

export function union(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}

export function unionEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  if (a === undefined || b === undefined) return undefined
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) }
}
