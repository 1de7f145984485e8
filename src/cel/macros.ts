// Macros: calls that the parser replaces by larger expressions. The expansions equal the reference's, because each of their steps has a
// cost.
import type { Call, Expr, Fold } from './ast.ts'
import { ADD, AND, CONDITIONAL, EQUALS, NOT, NOT_STRICTLY_FALSE, OR } from './operators.ts'
import { BOOL, INT } from './type.ts'

export type Expanded =
  | { readonly kind: 'expanded'; readonly expression: Expr }
  | { readonly kind: 'refused'; readonly message: string; readonly at: number }

export const ACCUMULATOR = '__result__'
/** Unused: the fold of a binding has no items. */
const UNUSED = '#unused'
export const MAP_INSERT = 'cel.@mapInsert'
export const SORT_BY_KEYS = '@sortByAssociatedKeys'
const SORTED = '@__sortBy_input__'

type Expander = (call: Call) => Expanded

/** By name and number of arguments. A leading dot: the macro is called on a target. */
const MACROS: ReadonlyMap<string, Expander> = new Map<string, Expander>([
  ['has/1', has],
  ['.all/2', (call) => quantifier(call, 1, all)],
  ['.all/3', (call) => quantifier(call, 2, all)],
  ['.exists/2', (call) => quantifier(call, 1, exists)],
  ['.exists/3', (call) => quantifier(call, 2, exists)],
  ['.exists_one/2', (call) => quantifier(call, 1, existsOne)],
  ['.exists_one/3', (call) => quantifier(call, 2, existsOne)],
  ['.existsOne/3', (call) => quantifier(call, 2, existsOne)],
  ['.map/2', (call) => transform(call, { names: 1, filtered: false, add: addItem })],
  ['.map/3', (call) => transform(call, { names: 1, filtered: true, add: addItem })],
  ['.filter/2', filter],
  ['.transformList/3', (call) => transform(call, { names: 2, filtered: false, add: addItem })],
  ['.transformList/4', (call) => transform(call, { names: 2, filtered: true, add: addItem })],
  ['.transformMap/3', (call) => transform(call, { names: 2, filtered: false, add: addMember })],
  ['.transformMap/4', (call) => transform(call, { names: 2, filtered: true, add: addMember })],
  ['.transformMapEntry/3', (call) => transform(call, { names: 2, filtered: false, add: addEntry })],
  ['.transformMapEntry/4', (call) => transform(call, { names: 2, filtered: true, add: addEntry })],
  ['.sortBy/2', sortBy],
  ['.optMap/2', (call) => optional(call, true)],
  ['.optFlatMap/2', (call) => optional(call, false)],
  ['.bind/3', bind],
])

/** Undefined: the call is not a macro, such as `cel.bind` in an environment without it. */
export function expandMacro(call: Call, hasBind: boolean): Expanded | undefined {
  const key = `${call.target === undefined ? '' : '.'}${call.name}/${call.args.length}`
  if (key === '.bind/3' && !(hasBind && call.target?.kind === 'ident' && call.target.name === 'cel')) return undefined
  return MACROS.get(key)?.(call)
}

const expanded = (expression: Expr): Expanded => ({ kind: 'expanded', expression })

function callOf(name: string, at: number, ...args: readonly Expr[]): Call {
  return { kind: 'call', at, name, target: undefined, args }
}

function memberCall(target: Expr, name: string, at: number): Call {
  return { kind: 'call', at, name, target, args: [] }
}

const bool = (at: number, value: boolean): Expr => ({ kind: 'literal', at, type: BOOL, value })
const int = (at: number, value: bigint): Expr => ({ kind: 'literal', at, type: INT, value })
const name = (at: number, text: string): Expr => ({ kind: 'ident', at, name: text })

function has({ at, args: [argument] }: Call): Expanded {
  if (argument?.kind === 'select' && !argument.testOnly) return expanded({ ...argument, at, testOnly: true })
  return { kind: 'refused', message: 'invalid argument to has() macro', at: argument?.at ?? at }
}

type FoldParts = Pick<Fold, 'initial' | 'condition' | 'step' | 'result'>

function quantifier(call: Call, names: 1 | 2, make: (at: number, predicate: Expr) => FoldParts): Expanded {
  const predicate = call.args[names]
  const wrong = notAName(call, names, 'argument must be a simple name')
  if (wrong !== undefined || predicate === undefined) return wrong ?? expanded(call)
  return expanded(fold(call, names, make(call.at, predicate)))
}

function fold(call: Call, names: 1 | 2, parts: FoldParts): Fold {
  const [first, second] = call.args
  return {
    kind: 'fold',
    at: call.at,
    range: call.target ?? call,
    item: nameOf(first),
    second: names === 2 ? nameOf(second) : undefined,
    accumulator: ACCUMULATOR,
    ...parts,
  }
}

const nameOf = (expression: Expr | undefined): string => (expression?.kind === 'ident' ? expression.name : '')

function notAName(call: Call, names: 1 | 2, message: string): Expanded | undefined {
  for (const argument of call.args.slice(0, names)) {
    if (argument.kind !== 'ident' || argument.name.startsWith('.')) return { kind: 'refused', message, at: argument.at }
    if (argument.name === ACCUMULATOR) {
      return { kind: 'refused', message: 'iteration variable overwrites accumulator variable', at: argument.at }
    }
  }
  if (names === 2 && nameOf(call.args[0]) === nameOf(call.args[1])) {
    const at = call.args[1]?.at ?? call.at
    return { kind: 'refused', message: `duplicate variable name: ${nameOf(call.args[0])}`, at }
  }
  return undefined
}

function all(at: number, predicate: Expr): FoldParts {
  return {
    initial: bool(at, true),
    condition: callOf(NOT_STRICTLY_FALSE, at, name(at, ACCUMULATOR)),
    step: callOf(AND, at, name(at, ACCUMULATOR), predicate),
    result: name(at, ACCUMULATOR),
  }
}

function exists(at: number, predicate: Expr): FoldParts {
  return {
    initial: bool(at, false),
    condition: callOf(NOT_STRICTLY_FALSE, at, callOf(NOT, at, name(at, ACCUMULATOR))),
    step: callOf(OR, at, name(at, ACCUMULATOR), predicate),
    result: name(at, ACCUMULATOR),
  }
}

function existsOne(at: number, predicate: Expr): FoldParts {
  const one = callOf(ADD, at, name(at, ACCUMULATOR), int(at, 1n))
  return {
    initial: int(at, 0n),
    condition: bool(at, true),
    step: callOf(CONDITIONAL, at, predicate, one, name(at, ACCUMULATOR)),
    result: callOf(EQUALS, at, name(at, ACCUMULATOR), int(at, 1n)),
  }
}

interface Transformation {
  readonly names: 1 | 2
  readonly filtered: boolean
  readonly add: (call: Call, value: Expr) => Pick<Fold, 'initial' | 'step'>
}

function transform(call: Call, { names, filtered, add }: Transformation): Expanded {
  const wrong = notAName(call, names, 'argument is not an identifier')
  const value = call.args.at(-1)
  if (wrong !== undefined || value === undefined) return wrong ?? expanded(call)
  const { at } = call
  const { initial, step } = add(call, value)
  const predicate = filtered ? call.args[names] : undefined
  const filteredStep = predicate === undefined ? step : callOf(CONDITIONAL, at, predicate, step, name(at, ACCUMULATOR))
  return expanded(
    fold(call, names, { initial, condition: bool(at, true), step: filteredStep, result: name(at, ACCUMULATOR) }),
  )
}

function addItem({ at }: Call, value: Expr): Pick<Fold, 'initial' | 'step'> {
  const item: Expr = { kind: 'list', at, items: [{ value, optional: false }] }
  return { initial: { kind: 'list', at, items: [] }, step: callOf(ADD, at, name(at, ACCUMULATOR), item) }
}

function addMember({ at, args: [key] }: Call, value: Expr): Pick<Fold, 'initial' | 'step'> {
  const step = callOf(MAP_INSERT, at, name(at, ACCUMULATOR), name(at, nameOf(key)), value)
  return { initial: { kind: 'map', at, entries: [] }, step }
}

function addEntry({ at }: Call, value: Expr): Pick<Fold, 'initial' | 'step'> {
  return { initial: { kind: 'map', at, entries: [] }, step: callOf(MAP_INSERT, at, name(at, ACCUMULATOR), value) }
}

function filter(call: Call): Expanded {
  const [item, predicate] = call.args
  if (item === undefined || predicate === undefined) return expanded(call)
  const kept: Call = { ...call, args: [item, predicate, item] }
  return transform(kept, { names: 1, filtered: true, add: addItem })
}

/** `cel.bind(x, value, expression)`: a fold over an empty list, whose initial value is the binding. */
function bind({ at, args: [variable, value, expression] }: Call): Expanded {
  if (variable === undefined || value === undefined || expression === undefined || variable.kind !== 'ident') {
    const place = variable?.at ?? at
    return { kind: 'refused', message: 'cel.bind() variable names must be simple identifiers', at: place }
  }
  return expanded(binding(at, variable.name, { value, expression }))
}

function binding(at: number, variable: string, { value, expression }: { value: Expr; expression: Expr }): Fold {
  return {
    kind: 'fold',
    at,
    range: { kind: 'list', at, items: [] },
    item: UNUSED,
    second: undefined,
    accumulator: variable,
    initial: value,
    condition: bool(at, false),
    step: name(at, variable),
    result: expression,
  }
}

/** Binds the list to a name, and sorts it by the value that the expression has for each item. */
function sortBy(call: Call): Expanded {
  const { at, target } = call
  if (target === undefined || !SORTABLE.has(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression'
    return { kind: 'refused', message, at: target?.at ?? at }
  }
  const keys = transform({ ...call, target: name(at, SORTED) }, { names: 1, filtered: false, add: addItem })
  if (keys.kind === 'refused') return keys
  const sorted: Call = { kind: 'call', at, name: SORT_BY_KEYS, target: name(at, SORTED), args: [keys.expression] }
  return expanded(binding(at, SORTED, { value: target, expression: sorted }))
}

const SORTABLE: ReadonlySet<Expr['kind']> = new Set(['list', 'select', 'ident', 'fold', 'call'])

function optional(call: Call, wrap: boolean): Expanded {
  const [variable, expression] = call.args
  const { at, target } = call
  if (target === undefined || expression === undefined || variable?.kind !== 'ident') {
    const place = variable?.at ?? at
    const message = `${call.name}() variable name must be a simple identifier`
    return { kind: 'refused', message, at: place }
  }
  const bound = binding(at, variable.name, { value: memberCall(target, 'value', at), expression })
  const present = wrap ? callOf('optional.of', at, bound) : bound
  return expanded(callOf(CONDITIONAL, at, memberCall(target, 'hasValue', at), present, callOf('optional.none', at)))
}
