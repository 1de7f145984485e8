// Lists: order, sums and extremes, sets, slices, sorting.
import { add } from '../arithmetic.ts'
import { compare, contains, equals, ORDERED_TYPES } from '../equality.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { SORT_BY_KEYS } from '../macros.ts'
import { ArrayList, CelList, type CelValue, Fault, noSuchOverload, NONE, Optional } from '../value.ts'

/** Only some expressions may call this function. */
export const INCLUDES = 'includes'

const SUMMABLE: readonly string[] = ['int', 'uint', 'double', 'duration']

/** One overload for each type of list items. Without `result`, the result has the type of the items. */
const onEach = (types: readonly string[], name: string, result?: string): readonly string[] =>
  types.map((type) => `list_${type}_${name}: list(${type}).() ${result ?? type}`)

function isSorted([list]: [CelList], meter: Meter): CelValue {
  let before: CelValue | undefined
  for (const item of list) {
    meter.work(1)
    const order = before === undefined ? -1 : compare(before, item)
    // In an untyped list, items that have no order among each other may stand in any order.
    if (!(order instanceof Fault) && (order === undefined || order > 0)) return false
    before = item
  }
  return true
}

function sum([list]: [CelList], meter: Meter): CelValue {
  let total: CelValue | undefined
  for (const item of list) {
    meter.work(1)
    total = total === undefined ? item : add(total, item, meter)
    if (total instanceof Fault) return total
  }
  return total ?? 0n
}

function extreme(name: string, better: (order: number) => boolean): (args: [CelList], meter: Meter) => CelValue {
  return ([list], meter) => {
    let best: CelValue | undefined
    for (const item of list) {
      meter.work(1)
      const order = best === undefined ? undefined : compare(item, best)
      if (order instanceof Fault) return order
      if (best === undefined || (order !== undefined && better(order))) best = item
    }
    return best ?? new Fault(`${name} called on empty list`)
  }
}

const MAX = extreme('max', (order) => order > 0)
const MIN = extreme('min', (order) => order < 0)

function indexOf([list, wanted]: [CelList, CelValue], meter: Meter): CelValue {
  let index = 0n
  for (const item of list) {
    meter.work(1)
    if (equals(item, wanted, meter)) return index
    index++
  }
  return -1n
}

/** Whether the list has the value. A value that is not a list is compared with the other value itself. */
function includes([target, wanted]: [CelValue, CelValue], meter: Meter): CelValue {
  return target instanceof CelList ? contains(target, wanted, meter) : equals(target, wanted, meter)
}

function lastIndexOf([list, wanted]: [CelList, CelValue], meter: Meter): CelValue {
  let index = 0n
  let found = -1n
  for (const item of list) {
    meter.work(1)
    if (equals(item, wanted, meter)) found = index
    index++
  }
  return found
}

function subset(part: CelList, whole: CelList, meter: Meter): boolean {
  for (const item of part) if (!contains(whole, item, meter)) return false
  return true
}

function intersects(a: CelList, b: CelList, meter: Meter): boolean {
  for (const item of a) if (contains(b, item, meter)) return true
  return false
}

function slice([list, start, end]: [CelList, bigint, bigint], meter: Meter): CelValue {
  const what = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return new Fault(`${what}, negative indexes not supported`)
  if (start > end) return new Fault(`${what}, start index must be less than or equal to end index`)
  if (BigInt(list.size) < end) return new Fault(`${what}, list is length ${list.size}`)
  meter.work(list.size)
  return new ArrayList([...list].slice(Number(start), Number(end)))
}

function flatten([list, depth = 1n]: [CelList, bigint?], meter: Meter): CelValue {
  if (depth < 0n) return new Fault('level must be non-negative')
  const items: CelValue[] = []
  const collect = (from: CelList, left: bigint): void => {
    for (const item of from) {
      meter.work(1)
      if (item instanceof CelList && left > 0n) collect(item, left - 1n)
      else items.push(item)
    }
  }
  collect(list, depth)
  return new ArrayList(items)
}

/** The items sorted by the keys. Items with equal keys keep their order. */
function sortedBy([list, keys = list]: [CelList, CelList?], meter: Meter): CelValue {
  if (list.size !== keys.size) {
    const sizes = `${list.size} and ${keys.size} elements respectively`
    return new Fault(`${SORT_BY_KEYS}() expected a list of the same size as the associated keys list, but got ${sizes}`)
  }
  meter.work(list.size)
  const ordered = [...list].map((item, i) => ({ item, key: keys.at(i) }))
  let fault: Fault | undefined
  ordered.sort((a, b) => {
    const order = kindOf(a.key) === kindOf(b.key) ? compare(a.key, b.key) : new Fault(MIXED)
    if (!(order instanceof Fault)) return order ?? 0
    fault ??= order.message === MIXED ? order : new Fault('list elements must be comparable')
    return 0
  })
  return fault ?? new ArrayList(ordered.map(({ item }) => item))
}

const MIXED = 'list elements must have the same type'

function kindOf(value: CelValue): unknown {
  return typeof value === 'object' && value !== null ? value.constructor : typeof value
}

function distinct([list]: [CelList], meter: Meter): CelValue {
  const found: CelValue[] = []
  for (const item of list) {
    meter.work(1 + found.length)
    if (!found.some((known) => equals(item, known, meter))) found.push(item)
  }
  return new ArrayList(found)
}

/** Level 1.36 of the reference makes an empty list of a negative size. */
function range([count]: [bigint], meter: Meter): CelValue {
  if (count < 0n) return new Fault(`lists.range: size must be non-negative, got ${count}`)
  const items: CelValue[] = []
  for (let i = 0n; i < count; i++) {
    meter.work(1)
    items.push(i)
  }
  return new ArrayList(items)
}

function unwrapped([list]: [CelList]): CelValue {
  const items: CelValue[] = []
  for (const item of list) {
    if (!(item instanceof Optional)) return noSuchOverload()
    if (item.value !== undefined) items.push(item.value)
  }
  return new ArrayList(items)
}

const at = (list: CelList, index: number): CelValue =>
  index >= 0 && index < list.size ? new Optional(list.at(index)) : NONE

const SORT_SIGNATURES: readonly string[] = ORDERED_TYPES.map(
  (type) => `list_${type}_sort: list(${type}).() list(${type})`,
)
const SORT_BY_KEYS_SIGNATURES: readonly string[] = ORDERED_TYPES.map(
  (type) => `list_${type}_sortByAssociatedKeys: list(A).(list(${type})) list(A)`,
)

type TwoLists = [CelList, CelList]

const set = (name: string): readonly string[] => [`list_sets_${name}_list: (list(A), list(A)) bool`]

export const LISTS: readonly FunctionDefinition[] = [
  define('isSorted', onEach(ORDERED_TYPES, 'is_sorted', 'bool'), isSorted),
  define('sum', onEach(SUMMABLE, 'sum'), sum),
  define('max', onEach(ORDERED_TYPES, 'max'), MAX),
  define('min', onEach(ORDERED_TYPES, 'min'), MIN),
  define('indexOf', ['list_a_index_of: list(A).(A) int'], indexOf),
  define('lastIndexOf', ['list_a_last_index_of: list(A).(A) int'], lastIndexOf),
  define(INCLUDES, ['list_includes_dyn_dyn: dyn.(dyn) bool'], includes),
  define('sets.contains', set('contains'), ([whole, part]: TwoLists, meter) => subset(part, whole, meter)),
  define('sets.equivalent', set('equivalent'), ([a, b]: TwoLists, meter) => subset(a, b, meter) && subset(b, a, meter)),
  define('sets.intersects', set('intersects'), ([a, b]: TwoLists, meter) => intersects(a, b, meter)),
  define('slice', ['list_slice: list(A).(int, int) list(A)'], slice),
  define('flatten', ['list_flatten: list(list(A)).() list(A)', 'list_flatten_int: list(dyn).(int) list(dyn)'], flatten),
  define('sort', SORT_SIGNATURES, sortedBy),
  define(SORT_BY_KEYS, SORT_BY_KEYS_SIGNATURES, sortedBy),
  define('lists.range', ['lists_range: (int) list(int)'], range),
  define('reverse', ['list_reverse: list(A).() list(A)'], ([list]: [CelList]) => new ArrayList([...list].toReversed())),
  define('distinct', ['list_distinct: list(A).() list(A)'], distinct),
  define('first', ['list_first: list(A).() optional(A)'], ([list]: [CelList]) => at(list, 0)),
  define('last', ['list_last: list(A).() optional(A)'], ([list]: [CelList]) => at(list, list.size - 1)),
  define('unwrapOpt', ['optional_unwrapOpt: list(optional(A)).() list(A)'], unwrapped),
  define('optional.unwrap', ['optional_unwrap: (list(optional(A))) list(A)'], unwrapped),
]
