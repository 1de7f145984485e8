// Compiles a checked tree to closures, which run for every evaluation. Each step costs as much as in the reference: 1 for a variable, and 1
// for each field or index. Constants are free.
import type { Call, Expr, Select } from './ast.ts'
import type { ResolvedCall } from './checker.ts'
import { divide, modulo, multiply, negate, subtract, add } from './arithmetic.ts'
import { compare, contains, equals } from './equality.ts'
import { planList, planMap, planStruct } from './construct.ts'
import { planFold } from './fold.ts'
import { constant, type Plan, type PlanContext, type Run, Unplannable } from './plan.ts'
import type { Frame } from './frame.ts'
import { type Meter, workOfReading } from './function.ts'
import { indexed, selected, tested } from './lookup.ts'
import { ADD, AND, CONDITIONAL, EQUALS, IN, INDEX, NEGATE, NOT, NOT_STRICTLY_FALSE } from './operators.ts'
import { OPTIONAL_INDEX, OPTIONAL_SELECT, OR } from './operators.ts'
import { callCost, resultCost } from './runtime-cost.ts'
import { plainTypeName } from './type.ts'
import { CelList, type CelValue, Fault, keyName, noSuchOverload, Optional, TypeValue } from './value.ts'

export function plan(node: Expr, context: PlanContext): Plan {
  switch (node.kind) {
    case 'literal':
      return constant(node.value)
    case 'ident':
      return name(node, node.name, context)
    case 'select':
      return select(node, context)
    case 'call':
      return call(node, context)
    case 'list':
      return planList(node, context, plan)
    case 'map':
      return planMap(node, context, plan)
    case 'struct':
      return planStruct(node, context, plan)
    case 'fold':
      return { run: planFold(node, context, plan) }
  }
}

/** Adds the charge of 1 for the start of a path. A longer path uses `bare`, so it pays this charge once. */
function attribute(bare: Run): Plan {
  return {
    bare,
    run: (frame) => {
      frame.charge(1)
      return bare(frame)
    },
  }
}

function name(node: Expr, written: string, context: PlanContext): Plan {
  const slot = written.startsWith('.') ? -1 : context.locals.lastIndexOf(written)
  if (slot >= 0) return attribute((frame) => frame.locals[slot] ?? null)
  const full = context.checked.names.get(node) ?? written
  const type = context.variable(full)
  if (type !== undefined) return attribute((frame) => frame.variable(full, type))
  const denoted = context.checked.types.get(node)
  return constant(new TypeValue(denoted?.kind === 'type' ? plainTypeName(denoted.of) : full))
}

function select(node: Select, context: PlanContext): Plan {
  if (context.checked.names.has(node)) return name(node, context.checked.names.get(node) ?? '', context)
  const operand = plan(node.operand, context)
  const from = operand.bare ?? operand.run
  const { field } = node
  if (node.testOnly) return { run: (frame) => (frame.charge(1), tested(from(frame), field)) }
  return attribute((frame) => {
    const value = from(frame)
    frame.charge(1)
    const found = selected(value, field)
    if (found instanceof Uint8Array) workOfReading(found, frame)
    return found
  })
}

function call(node: Call, context: PlanContext): Plan {
  const resolved = context.checked.calls.get(node)
  if (resolved === undefined) return constant(noSuchOverload())
  const args = resolved.args.map((arg) => plan(arg, context))
  const special = SPECIAL.get(resolved.definition.name)
  return special === undefined ? ordinary(resolved, args, context) : special(args, resolved)
}

type Special = (args: readonly Plan[], call: ResolvedCall) => Plan
type Compute = (a: CelValue, b: CelValue, frame: Frame) => CelValue

const BINARY: Readonly<Record<string, Compute>> = {
  [EQUALS]: equals,
  '_!=_': (a, b, frame) => !equals(a, b, frame),
  '_<_': ordered((order) => order < 0),
  '_<=_': ordered((order) => order <= 0),
  '_>_': ordered((order) => order > 0),
  '_>=_': ordered((order) => order >= 0),
  [ADD]: add,
  '_-_': subtract,
  '_*_': multiply,
  '_/_': divide,
  '_%_': modulo,
}

const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  [AND, (args) => logical(args, false)],
  [OR, (args) => logical(args, true)],
  [CONDITIONAL, conditional],
  [INDEX, (args) => index(args, false)],
  [OPTIONAL_INDEX, (args) => index(args, true)],
  [OPTIONAL_SELECT, optionalSelect],
  [IN, membership],
  [NOT, (args) => unary(args, (a) => (typeof a === 'boolean' ? !a : noSuchOverload()))],
  [NEGATE, (args) => unary(args, negate)],
  [NOT_STRICTLY_FALSE, notStrictlyFalse],
  ...Object.entries(BINARY).map(([name, compute]): [string, Special] => [
    name,
    (args, resolved) => binary(args, resolved, compute),
  ]),
])

const NOTHING: Plan = constant(new Fault('no such argument'))

function unary([a = NOTHING]: readonly Plan[], compute: (a: CelValue) => CelValue): Plan {
  return {
    run: (frame) => {
      const value = a.run(frame)
      frame.charge(1)
      return value instanceof Fault ? value : compute(value)
    },
  }
}

function notStrictlyFalse([a = NOTHING]: readonly Plan[]): Plan {
  return {
    run: (frame) => {
      const value = a.run(frame)
      frame.charge(1)
      return value !== false
    },
  }
}

function ordered(holds: (order: number) => boolean): Compute {
  return (a, b) => {
    const order = compare(a, b)
    return order instanceof Fault ? order : order !== undefined && holds(order)
  }
}

function binary([a = NOTHING, b = NOTHING]: readonly Plan[], call: ResolvedCall, compute: Compute): Plan {
  const cost = callCost(call.definition.name, call.overloads)
  return {
    run: (frame) => {
      const left = a.run(frame)
      const right = b.run(frame)
      const plainNumbers = typeof left === 'bigint' && typeof right === 'bigint'
      frame.charge(plainNumbers ? 1 : cost([left, right], frame))
      if (left instanceof Fault) return left
      return right instanceof Fault ? right : compute(left, right, frame)
    },
  }
}

/** The decisive value ends the evaluation. An error counts only if no operand is decisive. */
function logical([a = NOTHING, b = NOTHING]: readonly Plan[], decisive: boolean): Plan {
  return {
    run: (frame) => {
      const left = a.run(frame)
      if (left === decisive) return decisive
      const right = b.run(frame)
      if (right === decisive) return decisive
      if (left instanceof Fault) return left
      if (right instanceof Fault) return right
      return typeof left === 'boolean' && typeof right === 'boolean' ? !decisive : noSuchOverload()
    },
  }
}

function conditional([condition = NOTHING, yes = NOTHING, no = NOTHING]: readonly Plan[]): Plan {
  const [whenTrue, whenFalse] = [yes.bare ?? yes.run, no.bare ?? no.run]
  const run: Run = (frame) => {
    const value = condition.run(frame)
    if (value === true) return whenTrue(frame)
    if (value === false) return whenFalse(frame)
    return value instanceof Fault ? value : noSuchOverload()
  }
  return { run, bare: run }
}

function index([operand = NOTHING, at = NOTHING]: readonly Plan[], optional: boolean): Plan {
  const from = operand.bare ?? operand.run
  const key = at.bare ?? at.run
  return attribute((frame) => {
    const value = from(frame)
    const wanted = key(frame)
    frame.charge(1)
    workOfReading(wanted, frame)
    const found = indexed(value, wanted, optional)
    if (found instanceof Uint8Array) workOfReading(found, frame)
    return found
  })
}

function optionalSelect([operand = NOTHING, field = NOTHING]: readonly Plan[]): Plan {
  const from = operand.bare ?? operand.run
  const wanted = typeof field.constant === 'string' ? field.constant : ''
  return attribute((frame) => {
    const value = from(frame)
    frame.charge(1)
    return indexed(value, wanted, true)
  })
}

function membership(args: readonly Plan[], resolved: ResolvedCall): Plan {
  const [a = NOTHING, b = NOTHING] = args
  const known = b.constant instanceof CelList && resolved.overloads.length === 1 ? constantSet(b.constant) : undefined
  if (known !== undefined) {
    const run: Run = (frame) => {
      const value = a.run(frame)
      workOfReading(value, frame)
      const key = value instanceof Fault ? undefined : keyName(value)
      return value instanceof Fault ? value : key !== undefined && known.has(key)
    }
    return known.size === 0 ? constant(false) : { run }
  }
  return binary(args, resolved, (value, container, frame) => {
    if (container instanceof CelList) return contains(container, value, frame)
    workOfReading(value, frame)
    const found = indexed(container, value, true)
    return found instanceof Optional ? found.value !== undefined : found
  })
}

/** A list of constants as a set. Undefined: an item is not a scalar. */
function constantSet(items: CelList): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const item of items) {
    const key = keyName(item)
    if (key === undefined) return undefined
    keys.add(key)
  }
  return keys
}

/** The conversions that run only once if their argument is constant. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
)
/** The functions with patterns. Constant patterns are compiled here. */
const SEARCHES: ReadonlySet<string> = new Set(['matches', 'find', 'findAll'])
const NO_METER: Meter = Object.freeze({ work: (): void => {}, pattern: () => noSuchOverload() })

function ordinary({ definition, overloads }: ResolvedCall, args: readonly Plan[], { patterns }: PlanContext): Plan {
  const { run: compute } = definition
  const [only] = args
  if (args.length === 1 && only?.constant !== undefined && CONVERSIONS.has(definition.name)) {
    const value = compute([only.constant], NO_METER)
    if (value instanceof Fault) throw new Unplannable(value.message)
    return constant(value)
  }
  const pattern = SEARCHES.has(definition.name) ? args[1]?.constant : undefined
  const compiled = typeof pattern === 'string' ? patterns.constant(pattern) : undefined
  if (compiled instanceof Fault) throw new Unplannable(compiled.message)
  const cost = callCost(definition.name, overloads)
  const run: Run = (frame) => {
    const values: CelValue[] = []
    let fault: Fault | undefined
    for (const arg of args) {
      const value = arg.run(frame)
      values.push(value)
      if (value instanceof Fault) fault ??= value
    }
    frame.charge(cost(values, frame))
    if (fault !== undefined) return fault
    for (const value of values) workOfReading(value, frame)
    const result = compute(values, frame)
    const more = resultCost(definition.name, result)
    if (more > 0) frame.charge(more)
    return result
  }
  return { run }
}
