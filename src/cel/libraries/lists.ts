// Lists: order, sums and extremes, membership as sets.
import { add } from '../arithmetic.ts'
import { compare, contains, equals, ORDERED_TYPES } from '../equality.ts'
import { define, type FunctionDefinition, type Meter } from '../function.ts'
import { CelList, type CelValue, Fault, noSuchOverload } from '../value.ts'

const SUMMABLE: readonly string[] = ['int', 'uint', 'double', 'duration']

const onEach = (types: readonly string[], name: string, result: (type: string) => string): readonly string[] =>
  types.map((type) => `list_${type}_${name}: list(${type}).() ${result(type)}`)

function isSorted(list: CelList, meter: Meter): CelValue {
  let before: CelValue | undefined
  for (const item of list) {
    meter.work(1)
    const order = before === undefined ? -1 : compare(before, item)
    if (order instanceof Fault) return order
    if (order === undefined || order > 0) return false
    before = item
  }
  return true
}

function sum(list: CelList, meter: Meter): CelValue {
  let total: CelValue | undefined
  for (const item of list) {
    meter.work(1)
    total = total === undefined ? item : add(total, item)
    if (total instanceof Fault) return total
  }
  return total ?? 0n
}

function extreme(name: string, better: (order: number) => boolean): (list: CelList, meter: Meter) => CelValue {
  return (list, meter) => {
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

function positionOf(list: CelList, wanted: CelValue, { last, meter }: { last: boolean; meter: Meter }): CelValue {
  let index = 0n
  let found = -1n
  for (const item of list) {
    meter.work(1)
    if (equals(item, wanted, meter)) {
      found = index
      if (!last) return found
    }
    index++
  }
  return found
}

function onList(
  name: string,
  signatures: readonly string[],
  compute: (list: CelList, meter: Meter) => CelValue,
): FunctionDefinition {
  return define(name, signatures, ([list], meter) =>
    list instanceof CelList ? compute(list, meter) : noSuchOverload(),
  )
}

function search(name: string, last: boolean): FunctionDefinition {
  const id = last ? 'last_index_of' : 'index_of'
  return define(name, [`list_a_${id}: list(A).(A) int`], ([list, wanted], meter) =>
    list instanceof CelList && wanted !== undefined ? positionOf(list, wanted, { last, meter }) : noSuchOverload(),
  )
}

function subset(part: CelList, whole: CelList, meter: Meter): boolean {
  for (const item of part) if (!contains(whole, item, meter)) return false
  return true
}

function intersects(a: CelList, b: CelList, meter: Meter): boolean {
  for (const item of a) if (contains(b, item, meter)) return true
  return false
}

function onSets(name: string, compute: (a: CelList, b: CelList, meter: Meter) => boolean): FunctionDefinition {
  return define(`sets.${name}`, [`list_sets_${name}_list: (list(A), list(A)) bool`], ([a, b], meter) =>
    a instanceof CelList && b instanceof CelList ? compute(a, b, meter) : noSuchOverload(),
  )
}

export const LISTS: readonly FunctionDefinition[] = [
  onList(
    'isSorted',
    onEach(ORDERED_TYPES, 'is_sorted', () => 'bool'),
    isSorted,
  ),
  onList(
    'sum',
    onEach(SUMMABLE, 'sum', (type) => type),
    sum,
  ),
  onList(
    'max',
    onEach(ORDERED_TYPES, 'max', (type) => type),
    extreme('max', (order) => order > 0),
  ),
  onList(
    'min',
    onEach(ORDERED_TYPES, 'min', (type) => type),
    extreme('min', (order) => order < 0),
  ),
  search('indexOf', false),
  search('lastIndexOf', true),
  onSets('contains', (whole, part, meter) => subset(part, whole, meter)),
  onSets('equivalent', (a, b, meter) => subset(a, b, meter) && subset(b, a, meter)),
  onSets('intersects', intersects),
]
