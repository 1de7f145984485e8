// Folds, such as `all`, `exists`, `map` and `filter`. A fold that collects items or members appends them in place. It costs as much as
// joining lists one by one.
import type { Call, Expr, Fold } from './ast.ts'
import type { Frame } from './frame.ts'
import { workOfReading } from './function.ts'
import { ACCUMULATOR, MAP_INSERT } from './macros.ts'
import { ADD, CONDITIONAL } from './operators.ts'
import type { Plan, PlanContext, Planner, Run } from './plan.ts'
import { LIST_COST } from './runtime-cost.ts'
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  EntryMap,
  Fault,
  keyName,
  keyText,
  noSuchOverload,
} from './value.ts'

/** Runs for one item. Returns whether the fold continues. */
type Step = (frame: Frame) => boolean

export function planFold(node: Fold, context: PlanContext, plan: Planner): Run {
  const range = plan(node.range, context)
  const depth = context.locals.length
  const names = node.second === undefined ? [node.item] : [node.item, node.second]
  const outer: PlanContext = { ...context, locals: [...context.locals, node.accumulator] }
  const inner: PlanContext = { ...outer, locals: [...outer.locals, ...names] }
  const walk = (frame: Frame, over: CelValue, step: Step): Fault | undefined => {
    if (node.second === undefined) return overItems(frame, { over, step, slot: depth + 1 })
    return overPairs(frame, { over, step, slot: depth + 1 })
  }
  const parts: FoldPlan = { node, range, slot: depth, context, inner, outer, plan, walk }
  return collecting(parts) ?? general(parts)
}

interface FoldPlan {
  readonly node: Fold
  readonly range: Plan
  readonly slot: number
  /** The context around the fold: the range and the initial value do not see its variables. */
  readonly context: PlanContext
  readonly inner: PlanContext
  readonly outer: PlanContext
  readonly plan: Planner
  readonly walk: (frame: Frame, over: CelValue, step: Step) => Fault | undefined
}

interface Walk {
  readonly over: CelValue
  readonly step: Step
  /** The slot of the item. The second variable has the next slot. */
  readonly slot: number
}

function overItems(frame: Frame, { over, step, slot }: Walk): Fault | undefined {
  if (!(over instanceof CelList) && !(over instanceof CelMap)) return notARange(over)
  // A walk lists all keys first, even if it ends at the first one.
  if (over instanceof CelMap) workOfReading(over, frame)
  const items = over instanceof CelList ? over : over.keys()
  for (const item of items) {
    frame.locals[slot] = item
    if (!step(frame)) return undefined
  }
  return undefined
}

function overPairs(frame: Frame, { over, step, slot }: Walk): Fault | undefined {
  if (over instanceof CelMap) {
    workOfReading(over, frame)
    for (const key of over.keys()) {
      frame.locals[slot] = key
      frame.locals[slot + 1] = over.get(key) ?? null
      if (!step(frame)) return undefined
    }
    return undefined
  }
  if (!(over instanceof CelList)) return notARange(over)
  let index = 0n
  for (const item of over) {
    frame.locals[slot] = index++
    frame.locals[slot + 1] = item
    if (!step(frame)) return undefined
  }
  return undefined
}

function notARange(value: CelValue): Fault {
  return value instanceof Fault ? value : noSuchOverload()
}

function general({ node, range, slot, context, inner, outer, plan, walk }: FoldPlan): Run {
  const initial = plan(node.initial, context)
  const condition = plan(node.condition, inner)
  const step = plan(node.step, inner)
  const result = plan(node.result, outer)
  return (frame) => {
    const over = range.run(frame)
    if (over instanceof Fault) return over
    frame.locals[slot] = initial.run(frame)
    const fault = walk(frame, over, () => {
      frame.work(1)
      if (condition.run(frame) !== true) return false
      frame.locals[slot] = step.run(frame)
      return true
    })
    return fault ?? result.run(frame)
  }
}

/** A step that adds an item or a member to the accumulator. */
interface Collected {
  readonly predicate: Expr | undefined
  readonly addition: Call
}

function collectedBy({ node }: FoldPlan): Collected | undefined {
  if (node.accumulator !== ACCUMULATOR || node.step.kind !== 'call') return undefined
  if (node.step.name !== CONDITIONAL) return { predicate: undefined, addition: node.step }
  const [predicate, addition] = node.step.args
  return addition?.kind === 'call' ? { predicate, addition } : undefined
}

function collecting(parts: FoldPlan): Run | undefined {
  const collected = collectedBy(parts)
  if (collected === undefined) return undefined
  const { addition } = collected
  if (addition.name === ADD && parts.node.initial.kind === 'list') return collectItems(parts, collected)
  return addition.name === MAP_INSERT ? collectMembers(parts, collected) : undefined
}

function collectItems(parts: FoldPlan, { predicate, addition }: Collected): Run | undefined {
  const added = addition.args[1]
  const item = added?.kind === 'list' ? added.items[0] : undefined
  if (item === undefined) return undefined
  const value = parts.plan(item.value, parts.inner)
  // The cost of the accumulator and the join, and of the list with the one new item. A constant list costs nothing.
  const cost = 2 + (value.constant === undefined ? LIST_COST : 0)
  const condition = predicate === undefined ? undefined : parts.plan(predicate, parts.inner).run
  return (frame) => {
    const items: CelValue[] = []
    const fault = collect(frame, parts, {
      predicate: condition,
      add: () => {
        const made = value.run(frame)
        frame.charge(cost)
        if (made instanceof Fault) return made
        items.push(made)
        return undefined
      },
    })
    frame.charge(1)
    return fault ?? new ArrayList(items)
  }
}

function collectMembers(parts: FoldPlan, { predicate, addition }: Collected): Run {
  const entries = addition.args.slice(1)
  const [first, second] = entries.map((arg) => parts.plan(arg, parts.inner))
  const condition = predicate === undefined ? undefined : parts.plan(predicate, parts.inner).run
  return (frame) => {
    const members = new Map<string, readonly [CelValue, CelValue]>()
    const insert = (key: CelValue, value: CelValue): Fault | undefined => {
      if (key instanceof Fault) return key
      if (value instanceof Fault) return value
      const name = keyName(key)
      if (name === undefined) return new Fault('unsupported key type')
      if (members.has(name)) return new Fault(`insert failed: key ${keyText(key)} already exists`)
      members.set(name, [key, value])
      return undefined
    }
    const fault = collect(frame, parts, {
      predicate: condition,
      add: () => {
        const made = first?.run(frame) ?? null
        frame.charge(2)
        if (second !== undefined) return insert(made, second.run(frame))
        if (!(made instanceof CelMap)) return notARange(made)
        for (const key of made.keys()) {
          const wrong = insert(key, made.get(key) ?? null)
          if (wrong !== undefined) return wrong
        }
        return undefined
      },
    })
    frame.charge(1)
    return fault ?? new EntryMap(members)
  }
}

interface Collection {
  readonly predicate: Run | undefined
  readonly add: () => Fault | undefined
}

function collect(frame: Frame, parts: FoldPlan, { predicate, add }: Collection): Fault | undefined {
  const over = parts.range.run(frame)
  if (over instanceof Fault) return over
  let fault: Fault | undefined
  const wrong = parts.walk(frame, over, () => {
    frame.work(1)
    if (predicate !== undefined) {
      const kept = predicate(frame)
      if (kept === false) return true
      if (kept !== true) {
        fault = kept instanceof Fault ? kept : noSuchOverload()
        return false
      }
    }
    fault = add()
    return fault === undefined
  })
  return wrong ?? fault
}
