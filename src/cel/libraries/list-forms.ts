// Lists made of lists: parts of them, their items in another order, without those that are there twice.
import { compare, equals, ORDERED_TYPES } from '../equality.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { SORT_BY_KEYS } from '../macros.ts'
import { ArrayList, CelList, type CelValue, Fault, noSuchOverload, NONE, Optional } from '../value.ts'

function slice(list: CelList, start: bigint, end: bigint): CelValue {
  const what = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) return new Fault(`${what}, negative indexes not supported`)
  if (start > end) return new Fault(`${what}, start index must be less than or equal to end index`)
  if (BigInt(list.size) < end) return new Fault(`${what}, list is length ${list.size}`)
  return new ArrayList([...list].slice(Number(start), Number(end)))
}

function flatten(list: CelList, depth: bigint, meter: Meter): CelValue {
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

/** The items in the order of the keys; where two keys are alike as they stood. */
function sortedBy(list: CelList, keys: CelList, meter: Meter): CelValue {
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

function distinct(list: CelList, meter: Meter): CelValue {
  const found: CelValue[] = []
  for (const item of list) {
    meter.work(1 + found.length)
    if (!found.some((known) => equals(item, known, meter))) found.push(item)
  }
  return new ArrayList(found)
}

function range(count: bigint, meter: Meter): CelValue {
  const items: CelValue[] = []
  for (let i = 0n; i < count; i++) {
    meter.work(1)
    items.push(i)
  }
  return new ArrayList(items)
}

function unwrapped(list: CelList): CelValue {
  const items: CelValue[] = []
  for (const item of list) {
    if (!(item instanceof Optional)) return noSuchOverload()
    if (item.value !== undefined) items.push(item.value)
  }
  return new ArrayList(items)
}

const onList = (
  name: string,
  signature: string,
  compute: (list: CelList, meter: Meter) => CelValue,
): FunctionDefinition =>
  define(name, [signature], ([list], meter) => (list instanceof CelList ? compute(list, meter) : noSuchOverload()))

const at = (list: CelList, index: number): CelValue =>
  index >= 0 && index < list.size ? new Optional(list.at(index)) : NONE

export const LIST_FORMS: readonly FunctionDefinition[] = [
  define('slice', ['list_slice: list(A).(int, int) list(A)'], ([list, start, end]) =>
    list instanceof CelList && typeof start === 'bigint' && typeof end === 'bigint'
      ? slice(list, start, end)
      : noSuchOverload(),
  ),
  define(
    'flatten',
    ['list_flatten: list(list(A)).() list(A)', 'list_flatten_int: list(dyn).(int) list(dyn)'],
    ([list, depth = 1n], meter) =>
      list instanceof CelList && typeof depth === 'bigint' ? flatten(list, depth, meter) : noSuchOverload(),
  ),
  define(
    'sort',
    ORDERED_TYPES.map((type) => `list_${type}_sort: list(${type}).() list(${type})`),
    ([list], meter) => (list instanceof CelList ? sortedBy(list, list, meter) : noSuchOverload()),
  ),
  define(
    SORT_BY_KEYS,
    ORDERED_TYPES.map((type) => `list_${type}_sortByAssociatedKeys: list(A).(list(${type})) list(A)`),
    ([list, keys], meter) =>
      list instanceof CelList && keys instanceof CelList ? sortedBy(list, keys, meter) : noSuchOverload(),
  ),
  define('lists.range', ['lists_range: (int) list(int)'], ([count], meter) =>
    typeof count === 'bigint' ? range(count, meter) : noSuchOverload(),
  ),
  onList('reverse', 'list_reverse: list(A).() list(A)', (list) => new ArrayList([...list].toReversed())),
  onList('distinct', 'list_distinct: list(A).() list(A)', distinct),
  onList('first', 'list_first: list(A).() optional(A)', (list) => at(list, 0)),
  onList('last', 'list_last: list(A).() optional(A)', (list) => at(list, list.size - 1)),
  onList('unwrapOpt', 'optional_unwrapOpt: list(optional(A)).() list(A)', unwrapped),
  onList('optional.unwrap', 'optional_unwrap: (list(optional(A))) list(A)', unwrapped),
]
