// `+` and `==` of lists that the schema declares as sets or maps: their items have an identity, and their order does not count.
import type { Meter } from './function.ts'
import {
  ArrayList,
  type CelList,
  CelMap,
  type CelValue,
  Duration,
  Fault,
  JoinedList,
  Timestamp,
  Uint,
} from './value.ts'

/** The sum of two lists. The rule of the first one counts. */
export function joinLists(a: CelList, b: CelList, meter: Meter): CelList | Fault {
  if (a.type?.semantics === 'set') return union(a, b, meter)
  if (a.type?.semantics === 'map') return merged(a, b, meter)
  if (a.size + b.size > Number.MAX_SAFE_INTEGER) meter.work(Number.POSITIVE_INFINITY)
  if (b.size === 0) return a
  return a.size === 0 ? b : new JoinedList(a, b)
}

/** The items of `a`, and after them the new items of `b`. */
function union(a: CelList, b: CelList, meter: Meter): CelList | Fault {
  const items: CelValue[] = [...a]
  const keys = new Set(items.map(setKey))
  for (const item of b) {
    const key = setKey(item)
    if (!keys.has(key)) items.push(item)
    keys.add(key)
  }
  meter.work(a.size + b.size)
  if (keys.has(undefined)) return new Fault('listSet operations are only supported on lists of scalar values')
  return new ArrayList(items, a.type)
}

/** The items of `a`, replaced by the items of `b` with the same keys. The other items of `b` follow. */
function merged(a: CelList, b: CelList, meter: Meter): CelList {
  const items: CelValue[] = [...a]
  const keys = a.type?.keys ?? []
  const places = new Map(items.map((item, place) => [mapKey(item, keys), place]))
  for (const item of b) items[places.get(mapKey(item, keys)) ?? items.length] = item
  meter.work(a.size + b.size)
  return new ArrayList(items, a.type)
}

/** The identity of an item of a set. Undefined: the item is a list, a map or a value of a library. */
export function setKey(value: CelValue): string | undefined {
  if (value === null) return 'null'
  if (typeof value === 'number' && Number.isInteger(value)) return `n${BigInt(value)}`
  if (typeof value !== 'object') return `${(typeof value)[0]}${value}`
  if (value instanceof Timestamp) return `t${value.nanos}`
  if (value instanceof Duration) return `d${value.nanos}`
  if (value instanceof Uint) return `u${value.value}`
  return value instanceof Uint8Array ? `y${Buffer.from(value).toString('base64')}` : undefined
}

/** The values of the key fields of an item, as one text. */
export function mapKey(item: CelValue, keys: readonly string[]): string {
  if (!(item instanceof CelMap)) return ''
  return JSON.stringify(keys.map((key) => setKey(item.get(key) ?? null)))
}
