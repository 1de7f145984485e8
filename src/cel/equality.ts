// Equality and order of values. Numbers of different types are compared by value. Lists that the schema declares as sets or maps are
// compared without regard to order.
import { compareTexts } from '../lib/text-order.ts'
import { type Meter, workOfReading } from './function.ts'
import { mapKey, setKey } from './list-rules.ts'
import type { Fault } from './value.ts'
import { CelList, CelMap, type CelValue, Duration, noSuchOverload, Optional, OpaqueValue } from './value.ts'
import { Timestamp, TypeValue, Uint } from './value.ts'

/** The types whose values `compare` puts in order. */
export const ORDERED_TYPES: readonly string[] = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'duration',
  'timestamp',
]

export function equals(a: CelValue, b: CelValue, meter: Meter): boolean {
  if (a === b) {
    workOfReading(a, meter)
    return a === a || typeof a !== 'number'
  }
  switch (typeof a) {
    case 'string':
      // The comparison above has read texts of one length.
      if (typeof b === 'string' && a.length === b.length) workOfReading(a, meter)
      return false
    case 'boolean':
      return false
    case 'bigint':
    case 'number':
      return isNumeric(b) && compareNumbers(a, b) === 0
    default:
      return a !== null && typeof b === 'object' && b !== null
        ? equalObjects(a, b, meter)
        : isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0
  }
}

type ObjectLike = Exclude<CelValue, boolean | string | bigint | number | null>

function equalObjects(a: ObjectLike, b: ObjectLike, meter: Meter): boolean {
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b, meter)
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b, meter)
  if (a instanceof Uint) return isNumeric(b) && compareNumbers(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b)
  if (!(a instanceof Optional) || !(b instanceof Optional)) return false
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equals(a.value, b.value, meter)
}

function equalLists(a: CelList, b: CelList, meter: Meter): boolean {
  if (a.size !== b.size) return false
  if (a.type?.semantics === 'set') return equalSets(a, b, meter)
  if (a.type?.semantics === 'map') return equalKeyed(a, b, { keys: a.type.keys ?? [], meter })
  const others = b[Symbol.iterator]()
  for (const item of a) {
    meter.work(1)
    const other = others.next()
    if (other.done === true || !equals(item, other.value, meter)) return false
  }
  return true
}

/** The other list may have items twice. Level 1.36 of the reference compares a list with the set of its items then. */
function equalSets(a: CelList, b: CelList, meter: Meter): boolean {
  const names = new Set([...a].map(setKey))
  meter.work(a.size + b.size)
  if (names.has(undefined)) return [...a].every((item) => contains(b, item, meter))
  const others = new Set([...b].map(setKey))
  return names.size === others.size && names.isSubsetOf(others)
}

function equalKeyed(a: CelList, b: CelList, { keys, meter }: { keys: readonly string[]; meter: Meter }): boolean {
  const others = new Map<string, CelValue>()
  for (const item of b) others.set(mapKey(item, keys), item)
  for (const item of a) {
    meter.work(1)
    const other = others.get(mapKey(item, keys))
    if (other === undefined || !equals(item, other, meter)) return false
  }
  return true
}

function equalMaps(a: CelMap, b: CelMap, meter: Meter): boolean {
  workOfReading(a, meter)
  workOfReading(b, meter)
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    meter.work(1)
    const [left, right] = [a.get(key), b.get(key)]
    // A null field has no value. Two fields without a value are equal.
    if (left === undefined && right === undefined) continue
    if (left === undefined || right === undefined || !equals(left, right, meter)) return false
  }
  const [hidden, others] = [a.hidden, b.hidden]
  return hidden === undefined || others === undefined ? hidden === others : equals(hidden, others, meter)
}

export function contains(list: CelList, wanted: CelValue, meter: Meter): boolean {
  for (const item of list) {
    meter.work(1)
    if (equals(item, wanted, meter)) return true
  }
  return false
}

type Numeric = bigint | number | Uint

function isNumeric(value: CelValue): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
}

/** Compares an integer with a double as doubles. Undefined: one of the values is NaN. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  let left = a instanceof Uint ? a.value : a
  let right = b instanceof Uint ? b.value : b
  if (typeof left !== typeof right) {
    left = Number(left)
    right = Number(right)
  }
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : undefined
}

/** The result is negative, zero or positive. A fault: the values have no order. Undefined: a value is NaN, so every comparison is false. */
export function compare(a: CelValue, b: CelValue): number | Fault | undefined {
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : noSuchOverload()
  if (typeof a === 'string') return typeof b === 'string' ? compareTexts(a, b) : noSuchOverload()
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : noSuchOverload()
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos)
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return noSuchOverload()
}
