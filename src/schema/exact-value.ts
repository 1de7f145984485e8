// JSON without loss: all members in their order, including repeated members, and numbers in their spelling. This form is used only if that
// matters (duplicate members, `1.0`, `1e3`, integers of 64 bits). Decoding accepts this form and plain values.
import { numberOf } from '../api/json-number.ts'
import { setOwn, type Value } from '../api/value.ts'

export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class ExactMap {
  readonly keys: readonly string[]
  readonly values: readonly ExactValue[]

  constructor(keys: readonly string[], values: readonly ExactValue[]) {
    this.keys = keys
    this.values = values
  }
}

export type ExactValue = string | boolean | null | ExactNumber | readonly ExactValue[] | ExactMap

/** The input of decoding: plain values or exact values. */
export type SourceValue = Value | ExactValue

/** The plain value. The last of repeated members counts. Throws `RangeError` if a number is too large for a double. */
export function plainValue(exact: ExactValue): Value {
  if (exact instanceof ExactNumber) {
    const number = numberOf(exact.text)
    if (number === undefined)
      throw new RangeError(`json: cannot unmarshal number ${exact.text} into Go value of type float64`)
    return number
  }
  if (exact instanceof ExactMap) {
    const map: Record<string, Value> = {}
    exact.keys.forEach((key, i) => {
      setOwn(map, key, plainValue(exact.values[i] ?? null))
    })
    return map
  }
  if (isExactList(exact)) return exact.map(plainValue)
  return exact
}

/** The paths of repeated members in document order. Each path occurs once, and at most `limit` paths are returned. */
export function duplicatesIn(root: ExactValue, limit: number): readonly string[] {
  const found = new Set<string>()
  const visit = (exact: ExactValue, path: string): void => {
    if (found.size >= limit) return
    if (isExactList(exact)) for (const [i, item] of exact.entries()) visit(item, `${path}[${i}]`)
    if (!(exact instanceof ExactMap)) return
    const seen = new Set<string>()
    for (const [i, key] of exact.keys.entries()) {
      const at = path === '' ? key : `${path}.${key}`
      if (seen.has(key) && found.size < limit) found.add(at)
      seen.add(key)
      visit(exact.values[i] ?? null, at)
    }
  }
  visit(root, '')
  return [...found]
}

function isExactList(value: ExactValue): value is readonly ExactValue[] {
  return Array.isArray(value)
}
