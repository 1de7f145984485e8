// The JSON paths of printer columns: fields, quoted fields, indexes, slices, wildcards, unions, filters and recursive descent.
// A path is compiled once; evaluating it takes time in proportion to the object. What cannot be compiled finds nothing.
import { equalValues, isList, isMap, own } from '../../api/value.ts'
import type { Value } from '../../api/value.ts'

/** One way on from a value. */
type Step = (values: readonly Value[]) => readonly Value[]

interface JsonPath {
  /** All that the path leads to, in document order. */
  find(root: Value): readonly Value[]
}

/** Undefined for a path that is not one. A leading `$` and enclosing braces may be there or not. */
export function compileJsonPath(text: string): JsonPath | undefined {
  const bare = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text
  const steps = stepsOf(bare.startsWith('$') ? bare.slice(1) : bare)
  if (steps === undefined) return undefined
  return { find: (root) => steps.reduce<readonly Value[]>((values, step) => step(values), [root]) }
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

/** Where the bracket at `start` closes; quotes and nested brackets are passed over. */
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
  const [only] = parts
  return parts.length === 1 ? only : (values) => values.flatMap((value) => parts.flatMap((part) => part([value])))
}

function memberStep(text: string): Step | undefined {
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text)
  if (quoted !== null) return field(quoted[1] ?? quoted[2] ?? '')
  return /^-?\d+$/.test(text) ? index(Number(text)) : undefined
}

function field(name: string): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = isMap(value) ? own(value, name) : undefined
      return found === undefined ? [] : [found]
    })
}

function index(position: number): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = isList(value) ? value.at(position) : undefined
      return found === undefined ? [] : [found]
    })
}

function slice(text: string): Step {
  const [from = '', to = '', by = ''] = text.split(':')
  const stride = by === '' ? 1 : Math.max(1, Number(by))
  return (values) =>
    values.flatMap((value) => {
      if (!isList(value)) return []
      const part = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to))
      return part.filter((_item, position) => position % stride === 0)
    })
}

function childrenOf(value: Value): readonly Value[] {
  if (isList(value)) return value
  return isMap(value) ? Object.values(value) : []
}

const children: Step = (values) => values.flatMap(childrenOf)

/** Each value and all that is in it; objects nest no deeper than the JSON reader allows. */
const descend: Step = (values) => {
  const found: Value[] = []
  const visit = (value: Value): void => {
    found.push(value)
    for (const child of childrenOf(value)) visit(child)
  }
  for (const value of values) visit(value)
  return found
}

const COMPARISON = /^\s*([\s\S]*?)\s*(==|!=|<=|>=|<|>)\s*([\s\S]*?)\s*$/

type Operand = (item: Value) => Value | undefined

function filterStep(expression: string): Step | undefined {
  const compared = COMPARISON.exec(expression)
  if (compared === null) {
    const exists = operandOf(expression.trim())
    return exists === undefined ? undefined : keep((item) => exists(item) !== undefined)
  }
  const [, leftText = '', operator = '', rightText = ''] = compared
  const [left, right] = [operandOf(leftText), operandOf(rightText)]
  if (left === undefined || right === undefined) return undefined
  return keep((item) => compare(left(item), operator, right(item)))
}

function keep(test: (item: Value) => boolean): Step {
  return (values) => values.flatMap((value) => (isList(value) ? value : []).filter(test))
}

function operandOf(text: string): Operand | undefined {
  if (text.startsWith('@')) {
    const path = compileJsonPath(text.slice(1))
    return path === undefined ? undefined : (item) => path.find(item)[0]
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
  if (left === undefined || right === undefined) return false
  if (operator === '==') return equalValues(left, right)
  if (operator === '!=') return !equalValues(left, right)
  const ordered = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string')
  if (!ordered || right === null) return false
  if (left === right) return operator === '<=' || operator === '>='
  return operator.startsWith('<') ? left < right : left > right
}
