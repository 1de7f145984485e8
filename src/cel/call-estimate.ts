// Estimates the cost of one call as the reference does: by a rule for the function, else by a rule for the signature, else 1.
import { ORDERED_TYPES } from './equality.ts'
import { sameType } from './assignable.ts'
import {
  add,
  type CostEstimate,
  type EntrySizes,
  exactly,
  type Node,
  scaled,
  times,
  union,
  unionEntries,
  UNKNOWN,
} from './cost-range.ts'
import { CHECK_COST, LIST_COST, MAX_FORMAT_PATTERN, REGEX_LENGTH, STRUCT_COST, TRAVERSAL } from './runtime-cost.ts'

interface CallToEstimate {
  readonly name: string
  readonly overload: string
  readonly target: Node | undefined
  readonly args: readonly Node[]
  readonly argCosts: readonly CostEstimate[]
}

interface CallEstimate {
  readonly cost: CostEstimate
  /** The size of the result, if it has one. */
  readonly size?: CostEstimate | undefined
  readonly entries?: EntrySizes | undefined
}

export function estimateCall(call: CallToEstimate): CallEstimate {
  const own = BY_FUNCTION.get(call.name)?.(call) ?? BY_OVERLOAD.get(call.overload)?.(call)
  if (own !== undefined) return { ...own, cost: add(own.cost, argumentCosts(call)) }
  return byOperands(call) ?? { cost: add(ONE, argumentCosts(call)) }
}

const ONE = exactly(1)

function argumentCosts({ argCosts }: CallToEstimate): CostEstimate {
  return argCosts.reduce(add, exactly(0))
}

const sizeOf = (node: Node | undefined): CostEstimate => node?.size ?? UNKNOWN
const traversal = (size: CostEstimate, factor = TRAVERSAL): CostEstimate => scaled(size, factor)

type Rule = (call: CallToEstimate) => CallEstimate | undefined

const nominal: Rule = () => ({ cost: ONE })
const parse: Rule = ({ args: [text] }) => ({ cost: traversal(sizeOf(text)) })
const ofTarget: Rule = ({ target }) =>
  target === undefined ? undefined : { cost: traversal(sizeOf(target)), size: sizeOf(target) }
const ofArgument: Rule = ({ args: [text] }) => ({ cost: traversal(sizeOf(text)), size: sizeOf(text) })

const overItems: Rule = ({ target }) => {
  if (target === undefined) return undefined
  if (target.type.kind !== 'list') return { cost: traversal(sizeOf(target)) }
  const { item } = target.type
  const text = item.kind === 'string' || item.kind === 'bytes'
  const each = text ? add(ONE, traversal(target.itemSize() ?? UNKNOWN)) : ONE
  return { cost: times(sizeOf(target), each) }
}

const find: Rule = ({ target, args: [pattern] }) => {
  if (target === undefined) return undefined
  const size = sizeOf(target)
  return { cost: regexCost(size, sizeOf(pattern)), size: { min: 0, max: size.max } }
}

function regexCost(text: CostEstimate, pattern: CostEstimate): CostEstimate {
  return times(traversal(add(text, ONE)), scaled(pattern, REGEX_LENGTH))
}

const replace: Rule = ({ target, args: [old, by] }) => {
  if (target === undefined) return undefined
  const [size, from, to] = [sizeOf(target), sizeOf(old), sizeOf(by)]
  const most = replacements(size.max, from.min, to.max <= from.min)
  const least = replacements(size.min, from.max, from.max <= to.min)
  const count = { min: least.count, max: most.count }
  const kept = { min: least.kept, max: most.kept }
  return { cost: traversal(size, 2 * TRAVERSAL), size: add(times(count, to), kept) }
}

/** The largest number of replacements in a text of this size, and the size of the text that stays. `same`: the text stays as it is. */
function replacements(size: number, replaced: number, same: boolean): { count: number; kept: number } {
  if (replaced === 0) return { count: size + 1, kept: size }
  return same ? { count: 0, kept: size } : { count: Math.ceil(size / replaced), kept: 0 }
}

const split: Rule = ({ target, args: [, limit] }) => {
  if (target === undefined) return undefined
  const size = sizeOf(target)
  const literal = limit?.expression.kind === 'literal' ? limit.expression.value : undefined
  const max = typeof literal === 'bigint' ? Number(BigInt.asUintN(64, literal)) : size.max
  return { cost: traversal(size, 2 * TRAVERSAL), size: { min: 0, max } }
}

const join: Rule = ({ target, args: [separator] }) => {
  if (target === undefined) return undefined
  const count = sizeOf(target)
  const items = target.type.kind === 'list' ? times(count, target.itemSize() ?? UNKNOWN) : exactly(0)
  const gaps = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
  const size = separator === undefined ? items : add(items, times(sizeOf(separator), gaps))
  return { cost: traversal(size), size }
}

const ADDRESS: CostEstimate = Object.freeze({ min: 4, max: 16 })
const compareAddresses = traversal(add(ADDRESS, ADDRESS))

const contains =
  (more: CostEstimate, parsed: string): Rule =>
  ({ overload, args: [other] }) => {
    const base = add(compareAddresses, more)
    return { cost: overload === parsed ? add(base, traversal(sizeOf(other))) : base }
  }

const selector: Rule = ({ args: [text] }) => {
  const requirements = scaled(scaled(sizeOf(text), 0.5), LIST_COST + STRUCT_COST)
  return { cost: add(add(exactly(LIST_COST), traversal(sizeOf(text))), requirements) }
}

const sets =
  (factor: number): Rule =>
  ({ args: [a, b] }) => ({ cost: add(scaled(times(sizeOf(a), sizeOf(b)), factor), ONE) })

/** A function that makes a list costs `factor` for each item, 1 for the call, and the cost of a list. */
function makesList(size: CostEstimate, factor = 1): CallEstimate {
  return { cost: add(scaled(size, factor), exactly(1 + LIST_COST)), size }
}

/** The value of an integer literal, at least 0. `otherwise`: the value for every other node. */
function literalOf(node: Node | undefined, otherwise: number): number {
  const value = node?.expression.kind === 'literal' ? node.expression.value : undefined
  return typeof value === 'bigint' ? Number(value < 0n ? 0n : value) : otherwise
}

const sliced: Rule = ({ target, args: [start, end] }) => {
  const size = literalOf(end, sizeOf(target).max) - literalOf(start, 0)
  return makesList(size < 0 ? UNKNOWN_SIZE : exactly(size))
}
const flattened: Rule = ({ target, args: [depth] }) =>
  makesList(sizeOf(target), depth === undefined ? 1 : literalOf(depth, UNKNOWN.max))
/** Every item is compared with every other item. Comparing texts or bytes also costs a traversal. */
const sorted =
  (factor: number, ofKeys: boolean): Rule =>
  ({ target, args: [keys] }) => {
    const size = sizeOf(ofKeys ? keys : target)
    return makesList(times(size, size), factor)
  }
const UNKNOWN_SIZE = exactly(UNKNOWN.max)
const COMPARED = 2

const sortRules = ORDERED_TYPES.flatMap((type): readonly [string, Rule][] => {
  const factor = type === 'string' || type === 'bytes' ? COMPARED + TRAVERSAL : COMPARED
  return [
    [`list_${type}_sort`, sorted(factor, false)],
    [`list_${type}_sortByAssociatedKeys`, sorted(factor, true)],
  ]
})

const each = (names: string, rule: Rule): readonly [string, Rule][] => names.split(' ').map((name) => [name, rule])

const BY_FUNCTION: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...each('serviceAccount path group resource subresource namespace name allowed reason error errored', nominal),
  ...each('masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast', nominal),
  ...each('isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan', nominal),
  ...each('compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery', nominal),
  ['check', () => ({ cost: exactly(CHECK_COST) })],
  ...each('fieldSelector labelSelector', selector),
  ...each('isSorted sum max min indexOf lastIndexOf', overItems),
  ['includes', (call) => (call.target?.type.kind === 'list' ? overItems(call) : { cost: sizeOf(call.target) })],
  ...each('url jsonpatch.escapeKey', ofArgument),
  ...each('lowerAscii upperAscii substring trim', ofTarget),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ...each('find findAll', find),
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', parse),
  ['ip', (call) => (call.target === undefined ? parse(call) : nominal(call))],
  ['ip.isCanonical', ({ args: [text] }) => ({ cost: traversal(sizeOf(text), 2 * TRAVERSAL) })],
  ['containsIP', contains(exactly(0), 'cidr_contains_ip_string')],
  ['containsCIDR', contains(add(traversal(ADDRESS), ONE), 'cidr_contains_cidr_string')],
  ['validate', ({ args: [text] }) => ({ cost: scaled(traversal(sizeOf(text)), MAX_FORMAT_PATTERN * REGEX_LENGTH) })],
  ['_==_', opaqueEquality],
])

/** Comparing two values of a library type costs 1, and for named formats the traversal of a name. Undefined: other types. */
function opaqueEquality({ args: [a, b] }: CallToEstimate): CallEstimate | undefined {
  if (a?.type.kind !== 'opaque' || b === undefined || !sameType(a.type, b.type)) return undefined
  const named = a.type.name === 'kubernetes.NamedFormat'
  return { cost: named ? traversal({ min: 1, max: MAX_FORMAT_NAME }) : ONE }
}

const MAX_FORMAT_NAME = 64

const BY_OVERLOAD: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...each('list_sets_contains_list list_sets_intersects_list', sets(1)),
  ['list_sets_equivalent_list', sets(2)],
  ['list_slice', sliced],
  ...each('list_flatten list_flatten_int', flattened),
  ['lists_range', ({ args: [count] }) => makesList(exactly(literalOf(count, UNKNOWN.max)))],
  ['list_reverse', ({ target }) => makesList(sizeOf(target))],
  ['list_distinct', sorted(COMPARED, false)],
  ...sortRules,
  ['string_format', ({ target }) => ({ cost: traversal(sizeOf(target)) })],
  ['string_to_bytes', ({ args: [text] }) => sized(text, (size) => ({ min: size.min, max: size.max * 4 }))],
  ['bytes_to_string', ({ args: [text] }) => sized(text, (size) => ({ min: Math.floor(size.min / 4), max: size.max }))],
  ['strings_quote', ({ args: [text] }) => sized(text, (size) => ({ min: size.min + 2, max: size.max * 2 + 2 }))],
  ...each('starts_with_string ends_with_string', parse),
  ['in_list', ({ args: [, list] }) => ({ cost: sizeOf(list) })],
  ['matches', ({ args: [text, pattern] }) => ({ cost: regexCost(sizeOf(text), sizeOf(pattern)) })],
  ['matches_string', ({ target, args: [pattern] }) => ({ cost: regexCost(sizeOf(target), sizeOf(pattern)) })],
  [
    'contains_string',
    ({ target, args: [part] }) => ({ cost: times(traversal(sizeOf(target)), traversal(sizeOf(part))) }),
  ],
  ...each('less_string greater_string less_equals_string greater_equals_string equals not_equals', comparison),
  ...each('less_bytes greater_bytes less_equals_bytes greater_equals_bytes', comparison),
])

function sized(node: Node | undefined, result: (size: CostEstimate) => CostEstimate): CallEstimate {
  return { cost: traversal(sizeOf(node)), size: result(sizeOf(node)) }
}

function comparison({ args: [a, b] }: CallToEstimate): CallEstimate {
  const max = Math.min(sizeOf(a).max, sizeOf(b).max)
  return { cost: traversal({ min: max > 0 ? 1 : 0, max }) }
}

/** Estimates logical operators, conditionals, and `+` of texts, bytes or lists. Undefined: another function. */
function byOperands(call: CallToEstimate): CallEstimate | undefined {
  const { overload, args, argCosts } = call
  const [first = exactly(0), second = exactly(0), third = exactly(0)] = argCosts
  const [a, b, c] = args
  switch (overload) {
    case 'logical_or':
    case 'logical_and':
      return { cost: { min: first.min, max: add(first, second).max } }
    case 'conditional':
      return {
        cost: add(first, union(second, third)),
        size: union(sizeOf(b), sizeOf(c)),
        entries: unionEntries(b?.entries, c?.entries),
      }
    case 'add_string':
    case 'add_bytes':
    case 'add_list': {
      const size = add(sizeOf(a), sizeOf(b))
      const cost = overload === 'add_list' ? ONE : traversal(size)
      return { cost: add(cost, argumentCosts(call)), size, entries: unionEntries(a?.entries, b?.entries) }
    }
    default:
      return undefined
  }
}
