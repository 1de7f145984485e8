// The JSON paths of printer columns: fields, quoted fields, indexes, slices, wildcards, unions, filters and recursive descent. A path is
// compiled once. The search stops at the first value at the path. A descent visits no value twice, and the search gives up after a bounded
// number of visits. A path that cannot be compiled finds no value.
import { equalValues, isList, isMap, own } from '../../api/value.ts'
import type { Value } from '../../api/value.ts'

/** The number of values that a search may still visit, including the searches of its filters. */
export interface SearchBudget {
  visits: number
}

/** Returns the values to which a step leads from one value. */
type Step = (value: Value, budget: SearchBudget) => readonly Value[]

interface JsonPath {
  /** The first value at the path in document order. Undefined: there is no value, or the budget is spent. */
  first(root: Value, budget: SearchBudget): Value | undefined
}

/** Compiles a path. Undefined: the text is not a path. The leading `$` and the enclosing braces are optional. */
export function compileJsonPath(text: string): JsonPath | undefined {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text
  const steps = stepsOf(bare.startsWith('$') ? bare.slice(1) : bare)
  if (steps === undefined) return undefined
  return { first: (root, budget) => firstValue(steps, root, budget) }
}

/**
 * Searches depth first, with a stack of its own, because objects may nest deeply. Two descents can reach one value in many ways, so each
 * descent remembers the values that it has seen.
 */
function firstValue(steps: readonly Step[], root: Value, budget: SearchBudget): Value | undefined {
  const pending: { readonly value: Value; readonly at: number }[] = [{ value: root, at: 0 }]
  const seen = new Map<number, Set<Value>>()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, at } = next
    const step = steps[at]
    if (step === undefined) return value
    if (--budget.visits < 0) return undefined
    if (step === descend) {
      const before = seen.get(at)
      if (before === undefined) seen.set(at, new Set([value]))
      else if (before.has(value)) continue
      else before.add(value)
    }
    const following = step(value, budget)
    budget.visits -= following.length
    const after = step === descend ? at : at + 1
    for (let i = following.length - 1; i >= 0; i--) pending.push({ value: following[i]!, at: after })
    if (step === descend) pending.push({ value, at: at + 1 })
  }
  return undefined
}

function stepsOf(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === '[') {
      const end = bracketEnd(text, at)
      const step = end < 0 ? undefined : bracketStep(text.slice(at + 1, end))
      if (step === undefined) return undefined
      steps.push(step)
      at = end + 1
      continue
    }
    if (text.startsWith('..', at)) {
      steps.push(descend)
      at += text[at + 2] === '[' ? 2 : 1
      continue
    }
    if (text[at] === '.') at++
    else if (at > 0) return undefined
    if (text[at] === '[') continue
    const name = nameAt(text, at)
    if (name === undefined) return at === text.length && steps.length === 0 ? steps : undefined
    steps.push(name === '*' ? children : field(name.replace(/\\(.)/g, '$1')))
    at += name.length
  }
  return steps
}

/** A name ends at a dot or a bracket that no backslash precedes. */
function nameAt(text: string, at: number): string | undefined {
  const pattern = /(?:\\.|[^\\.[\]])+/y
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** The position at which the bracket at `start` closes. Quotes and nested brackets are skipped. -1: the bracket does not close. */
function bracketEnd(text: string, start: number): number {
  let depth = 0
  let quote = ''
  for (let i = start; i < text.length; i++) {
    const char = text[i] ?? ''
    if (quote !== '') {
      if (char === '\\') i++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '[') depth++
    else if (char === ']' && --depth === 0) return i
  }
  return -1
}

function bracketStep(content: string): Step | undefined {
  const text = content.trim()
  if (text === '*') return children
  const filter = /^\?\(([\s\S]*)\)$/.exec(text)
  if (filter !== null) return filterStep(filter[1] ?? '')
  if (/^-?\d*:-?\d*(:\d*)?$/.test(text)) return slice(text)
  const parts = text.split(',').map((part) => memberStep(part.trim()))
  if (!parts.every((part) => part !== undefined)) return undefined
  return (value, budget) => parts.flatMap((part) => part(value, budget))
}

function memberStep(text: string): Step | undefined {
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text)
  if (quoted !== null) return field(quoted[1] ?? quoted[2] ?? '')
  return /^-?\d+$/.test(text) ? index(Number(text)) : undefined
}

function field(name: string): Step {
  return (value) => listOf(isMap(value) ? own(value, name) : undefined)
}

function index(position: number): Step {
  return (value) => listOf(isList(value) ? value.at(position) : undefined)
}

const NONE: readonly Value[] = []

function listOf(value: Value | undefined): readonly Value[] {
  return value === undefined ? NONE : [value]
}

function slice(text: string): Step {
  const [from = '', to = '', by = ''] = text.split(':')
  const stride = by === '' ? 1 : Math.max(1, Number(by))
  return (value) => {
    if (!isList(value)) return NONE
    const part = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to))
    return part.filter((_item, position) => position % stride === 0)
  }
}

const children: Step = (value) => {
  if (isList(value)) return value
  return isMap(value) ? Object.values(value) : NONE
}

/** `..`: the value itself and everything below it. The search applies this step to the children again. */
const descend: Step = (value, budget) => children(value, budget)

const COMPARISON = /^\s*([\s\S]*?)\s*(==|!=|<=|>=|<|>)\s*([\s\S]*?)\s*$/

type Operand = (item: Value, budget: SearchBudget) => Value | undefined

function filterStep(expression: string): Step | undefined {
  const compared = COMPARISON.exec(expression)
  if (compared === null) {
    const exists = operandOf(expression.trim())
    return exists === undefined ? undefined : keep((item, budget) => exists(item, budget) !== undefined)
  }
  const [, leftText = '', operator = '', rightText = ''] = compared
  const [left, right] = [operandOf(leftText), operandOf(rightText)]
  if (left === undefined || right === undefined) return undefined
  return keep((item, budget) => compare(left(item, budget), operator, right(item, budget)))
}

function keep(test: (item: Value, budget: SearchBudget) => boolean): Step {
  return (value, budget) => {
    if (!isList(value)) return NONE
    budget.visits -= value.length
    return value.filter((item) => budget.visits >= 0 && test(item, budget))
  }
}

function operandOf(text: string): Operand | undefined {
  if (text.startsWith('@')) {
    const path = compileJsonPath(text.slice(1))
    return path === undefined ? undefined : (item, budget) => path.first(item, budget)
  }
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text)
  if (quoted !== null) {
    const value = quoted[1] ?? quoted[2] ?? ''
    return () => value
  }
  if (text === 'true' || text === 'false') return () => text === 'true'
  return /^-?\d+(\.\d+)?$/.test(text) ? () => Number(text) : undefined
}

function compare(left: Value | undefined, operator: string, right: Value | undefined): boolean {
  // Lists and maps cannot be compared, as in the reference.
  if (left === undefined || right === undefined || typeof left === 'object' || typeof right === 'object') return false
  if (operator === '==') return equalValues(left, right)
  if (operator === '!=') return !equalValues(left, right)
  const ordered = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string')
  if (!ordered) return false
  if (left === right) return operator === '<=' || operator === '>='
  return operator.startsWith('<') ? left < right : left > right
}
