// The cost of a call by the sizes of its arguments: the reference's numbers, so that this server and the reference end the same
// evaluations. The numbers are those of level 1.37 at both levels. At 1.36 the reference charges 1 for `matches(text, pattern)`, and for
// `startsWith` and `endsWith` the text instead of the part.
import { ORDERED_TYPES } from './equality.ts'
import type { Meter } from './function.ts'
import { CelList, CelMap, type CelValue, OpaqueValue } from './value.ts'

type CallCost = (args: readonly CelValue[], meter: Meter) => number

export const TRAVERSAL = 0.1
export const REGEX_LENGTH = 0.25
export const LIST_COST = 10
export const MAP_COST = 30
export const STRUCT_COST = 40
export const CHECK_COST = 350_000

/** The number of characters, bytes, items or members. Values without a size count as 1. */
function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return characters(value)
  if (typeof value !== 'object' || value === null) return 1
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof Uint8Array) return value.length
  return value instanceof OpaqueValue ? value.size : 1
}

/** The number of code points of a text. */
export function characters(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length) {
      count--
      i++
    }
  }
  return count
}

const traversal = (size: number, factor = TRAVERSAL): number => Math.ceil(size * factor)
const ofFirst: CallCost = ([a]) => traversal(sizeOf(a))
const ofSecond: CallCost = ([, b]) => traversal(sizeOf(b))
const ofFirstTwice: CallCost = ([a]) => traversal(sizeOf(a), 2 * TRAVERSAL)
const one: CallCost = () => 1
const smaller: CallCost = ([a, b]) => traversal(Math.min(sizeOf(a), sizeOf(b)))
const both: CallCost = ([a, b]) => traversal(sizeOf(a) + sizeOf(b))
const pattern: CallCost = ([text, regex]) => traversal(1 + sizeOf(text)) * Math.ceil(sizeOf(regex) * REGEX_LENGTH)
const product: CallCost = ([a, b]) => traversal(sizeOf(a)) * traversal(sizeOf(b))
const wholeTraversal: CallCost = ([a], meter) => traverse(a ?? null, meter)
const sets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.floor(sizeOf(a) * sizeOf(b) * factor)

/** A function that makes a list costs `factor` for each value that it reads, 1 for the call, and the cost of a list. */
const makesList = (size: number, factor = 1): number => Math.floor(size * factor) + 1 + LIST_COST

/** Every item is compared with every other item. Comparing texts or bytes also costs a traversal. */
function selfCompared(list: CelValue | undefined): number {
  const size = sizeOf(list)
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined
  const isText = typeof first === 'string' || first instanceof Uint8Array
  return makesList(size * size, isText ? 2 + TRAVERSAL : 2)
}

const whole = (value: CelValue | undefined): number => (typeof value === 'bigint' ? Math.max(0, Number(value)) : 1)

/** Visits a value as a tree. Texts and bytes cost a tenth of their bytes, and every other value without items costs 1. */
function traverse(value: CelValue, meter: Meter): number {
  meter.work(1)
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * TRAVERSAL)
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL)
  let cost = 0
  if (value instanceof CelList) {
    for (const item of value) cost += traverse(item, meter)
    return cost
  }
  if (!(value instanceof CelMap)) return 1
  for (const key of value.keys()) cost += traverse(key, meter) + traverse(value.get(key) ?? null, meter)
  return cost
}

function selector(text: CelValue | undefined): number {
  const size = sizeOf(text)
  return LIST_COST + traversal(size) + Math.ceil(Math.ceil(size * 0.5) * (LIST_COST + STRUCT_COST))
}

/** The length of the longest regular expression of a named format. */
export const MAX_FORMAT_PATTERN = 128

const each = (names: string, cost: CallCost): Readonly<Record<string, CallCost>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, cost]))

const BY_FUNCTION: Readonly<Record<string, CallCost>> = {
  check: () => CHECK_COST,
  ...each('fieldSelector labelSelector', ([, text]) => selector(text)),
  ...each('isSorted sum max min indexOf lastIndexOf includes', wholeTraversal),
  ...each('url lowerAscii upperAscii substring trim jsonpatch.escapeKey', ofFirst),
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', ofFirst),
  ...each('replace split ip.isCanonical', ofFirstTwice),
  ...each('find findAll', pattern),
  join: () => 0,
  validate: ([format, text]) => traversal(1 + sizeOf(text)) * Math.ceil(sizeOf(format) * REGEX_LENGTH),
}

const BY_OVERLOAD: Readonly<Record<string, CallCost>> = {
  cidr_ip: one,
  string_to_ip: ofFirst,
  cidr_contains_ip_ip: ([cidr]) => traversal(2 * sizeOf(cidr)),
  cidr_contains_ip_string: ([cidr, ip]) => traversal(2 * sizeOf(cidr)) + traversal(sizeOf(ip)),
  cidr_contains_cidr: ([cidr]) => traversal(2 * sizeOf(cidr)) + traversal(sizeOf(cidr)) + 1,
  cidr_contains_cidr_string: ([cidr, other]) =>
    traversal(2 * sizeOf(cidr)) + traversal(sizeOf(cidr)) + 1 + traversal(sizeOf(other)),
  ...each('list_sets_contains_list list_sets_intersects_list', sets(1)),
  list_sets_equivalent_list: sets(2),
  list_slice: ([, start, end]) => makesList(Math.max(0, whole(end) - whole(start))),
  list_flatten_int: ([list, depth]) => makesList(sizeOf(list), whole(depth)),
  lists_range: ([count]) => makesList(whole(count)),
  ...each('list_flatten list_reverse', ([list]) => makesList(sizeOf(list))),
  list_distinct: ([list]) => selfCompared(list),
  ...Object.fromEntries(
    ORDERED_TYPES.flatMap((type): [string, CallCost][] => [
      [`list_${type}_sort`, ([list]) => selfCompared(list)],
      [`list_${type}_sortByAssociatedKeys`, ([, keys]) => selfCompared(keys)],
    ]),
  ),
  ...each('starts_with_string ends_with_string', ofSecond),
  ...each('string_to_bytes bytes_to_string strings_quote string_format', ofFirst),
  in_list: ([, list]) => sizeOf(list),
  ...each('less_string greater_string less_equals_string greater_equals_string', smaller),
  ...each('less_bytes greater_bytes less_equals_bytes greater_equals_bytes not_equals', smaller),
  equals: ([a, b]) => (a instanceof OpaqueValue ? 1 : traversal(Math.min(sizeOf(a), sizeOf(b)))),
  ...each('add_string add_bytes', both),
  ...each('matches matches_string', pattern),
  contains_string: product,
}

/** The cost that is charged before the call. If several signatures are possible, only the name of the function counts. */
export function callCost(name: string, overloads: readonly string[]): CallCost {
  const byFunction = Object.hasOwn(BY_FUNCTION, name) ? BY_FUNCTION[name] : undefined
  if (byFunction !== undefined) return byFunction
  const [only] = overloads
  if (only === undefined || overloads.length > 1) return one
  return (Object.hasOwn(BY_OVERLOAD, only) ? BY_OVERLOAD[only] : undefined) ?? one
}

/** The cost that is charged after the call, because it depends on the result. */
export function resultCost(name: string, result: CelValue): number {
  return name === 'join' ? traversal(sizeOf(result), 2 * TRAVERSAL) : 0
}
