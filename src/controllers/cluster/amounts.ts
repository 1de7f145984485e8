// Counts that are a number or a percentage.

export type Amount = number | string | undefined

/** The count. A percentage is of `total`, rounded up or down. */
export function countOf(amount: Amount, total: number, rounding: 'up' | 'down'): number {
  if (typeof amount !== 'string') return amount ?? 0
  const part = (Number.parseInt(amount, 10) * total) / 100
  return rounding === 'up' ? Math.ceil(part) : Math.floor(part)
}
