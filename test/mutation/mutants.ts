// Small faults that a test should notice, one at a time: a comparison turned round, a branch taken when it should not be, a call left
// out. Only what runs is changed, never a type.
import { parseAst } from 'vite'

export interface Mutant {
  /** From the root of the repository. */
  readonly file: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

type Change = Omit<Mutant, 'file'>

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** What may go wrong in a node of a type; undefined: nothing that is tried. */
const RULES: Readonly<Record<string, (node: Node, text: string) => Change | undefined>> = {
  BinaryExpression: withOtherOperator,
  LogicalExpression: withOtherOperator,
  IfStatement: withOtherBranch,
  ConditionalExpression: withOtherBranch,
  UnaryExpression: (node, text) =>
    node['operator'] === '!' ? inPlaceOf(node, textOf(node['argument'], text)) : undefined,
  Literal: (node) => (typeof node['value'] === 'boolean' ? inPlaceOf(node, String(!node['value'])) : undefined),
  ExpressionStatement: (node) => (isNode(node['expression'], 'CallExpression') ? inPlaceOf(node, ';') : undefined),
}

function withOtherOperator(node: Node, text: string): Change | undefined {
  const [operator, left] = [String(node['operator']), node['left'] as Node]
  const other = OPERATORS[operator]
  if (other === undefined) return undefined
  const at = text.indexOf(operator, left.end)
  const [before, after] = [text.slice(node.start, at).trim(), text.slice(at + operator.length, node.end).trim()]
  // In brackets: another operator binds otherwise, and some may not stand side by side.
  return inPlaceOf(node, `((${before}) ${other} (${after}))`)
}

/** A test that is turned round by another rule already is left to that one. */
function withOtherBranch({ test }: Node, text: string): Change | undefined {
  const isTurned = isNode(test, 'UnaryExpression') || (isNode(test) && /^[!=]==$/.test(String(test['operator'])))
  return isTurned ? undefined : inPlaceOf(test as Node, `!(${textOf(test, text)})`)
}

function inPlaceOf({ start, end }: Node, replacement: string): Change {
  return { start, end, replacement }
}

function textOf(node: unknown, text: string): string {
  const { start, end } = node as Node
  return text.slice(start, end)
}

/** All of a file, in the order of the text. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  return changesOf(file, text).filter((mutant) => isReadable(mutant, text))
}

/** Those that cannot be parsed too: finding that out takes long. */
export function changesOf(file: string, text: string): readonly Mutant[] {
  const found: Mutant[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item)
    if (!isNode(value)) return
    // Of what is there for the compiler only an expression runs.
    if (value.type.startsWith('TS')) return visit(value['expression'])
    const change = RULES[value.type]?.(value, text)
    if (change !== undefined) found.push({ file, ...change })
    for (const member of Object.values(value)) visit(member)
  }
  visit(parseAst(text, { lang: 'ts' }).body)
  return found
}

function isNode(value: unknown, type?: string): value is Node {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') return false
  return type === undefined || value.type === type
}

/** What cannot be parsed fails every test and says nothing about them. */
function isReadable(mutant: Mutant, text: string): boolean {
  try {
    parseAst(mutatedText(mutant, text), { lang: 'ts' })
    return true
  } catch {
    return false
  }
}

export function mutatedText({ start, end, replacement }: Mutant, text: string): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
