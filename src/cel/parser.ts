// From text to syntax tree, by recursive descent. Invariant: linear in the text, and no deeper than the limit in the text's
// nesting nor in its chains of operators, so that whoever walks the tree may recurse.
import { balanced, type Call, call, type Entry, type Expr, type Item, type Literal, pathOf, select } from './ast.ts'
import type { StructField } from './ast.ts'
import { RESERVED_WORDS } from './escape.ts'
import { type Lexed, lex, type Token } from './lexer.ts'
import { expandMacro } from './macros.ts'
import {
  AND,
  BINARY_OPERATORS,
  type BinaryOperator,
  CONDITIONAL,
  INDEX,
  NEGATE,
  NOT,
  OPTIONAL_INDEX,
} from './operators.ts'
import { OR } from './operators.ts'
import type { SourceIssue } from './source.ts'
import { BOOL, BYTES, DOUBLE, INT, NULL, STRING, type Type, UINT } from './type.ts'
import { type CelValue, Uint } from './value.ts'

export type Parsed =
  | { readonly kind: 'expression'; readonly expression: Expr }
  | { readonly kind: 'refused'; readonly issues: readonly SourceIssue[] }

const MAX_CHARACTERS = 100_000
const MAX_DEPTH = 250
const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

const START_OF_EXPRESSION =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Ends the parse: what follows a syntax error is not understood. */
class SyntaxFault {
  readonly issue: SourceIssue

  constructor(message: string, at: number | undefined) {
    this.issue = { message, at }
  }
}

export function parse(text: string): Parsed {
  const size = text.length > MAX_CHARACTERS ? Array.from(text).length : text.length
  if (size > MAX_CHARACTERS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CHARACTERS}`
    return { kind: 'refused', issues: [{ message, at: undefined }] }
  }
  const lexed = lex(text)
  const parser = new Parser(lexed)
  const issues = [...lexed.issues]
  try {
    const expression = parser.whole()
    issues.push(...parser.issues)
    if (issues.length === 0) return { kind: 'expression', expression }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    issues.push(...parser.issues, error.issue)
  }
  return { kind: 'refused', issues }
}

class Parser {
  readonly issues: SourceIssue[] = []
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0

  constructor({ tokens }: Lexed) {
    this.#tokens = tokens
  }

  whole(): Expr {
    const expression = this.#expression()
    const token = this.#peek()
    if (token.kind !== 'end') {
      const word = this.#tokens[this.#next + 1]?.kind === 'end' ? 'extraneous' : 'mismatched'
      throw new SyntaxFault(`Syntax error: ${word} input '${token.text}' expecting <EOF>`, token.at)
    }
    return expression
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '<EOF>', at: 0 }
  }

  #take(): Token {
    const token = this.#peek()
    this.#next++
    return token
  }

  #takeIf(text: string): Token | undefined {
    const token = this.#peek()
    if (token.text !== text || (token.kind !== 'operator' && token.kind !== 'ident')) return undefined
    return this.#take()
  }

  #expect(text: string, expecting = `'${text}'`): Token {
    const token = this.#takeIf(text)
    if (token !== undefined) return token
    const found = this.#peek()
    const after = this.#tokens[this.#next + 1]
    const word = after?.text === text && found.kind !== 'end' ? 'extraneous' : 'mismatched'
    throw new SyntaxFault(`Syntax error: ${word} input '${found.text}' expecting ${expecting}`, found.at)
  }

  #expression(): Expr {
    if (++this.#depth > MAX_DEPTH) {
      throw new SyntaxFault(`expression recursion limit exceeded: ${MAX_DEPTH}`, undefined)
    }
    const condition = this.#logical('||', OR, () => this.#logical('&&', AND, () => this.#binary('relation')))
    const question = this.#takeIf('?')
    let expression = condition
    if (question !== undefined) {
      const whenTrue = this.#logical('||', OR, () => this.#logical('&&', AND, () => this.#binary('relation')))
      this.#expect(':')
      const whenFalse = this.#expression()
      expression = call(CONDITIONAL, question.at, [condition, whenTrue, whenFalse])
    }
    this.#depth--
    return expression
  }

  /** A chain of one logical operator, as a balanced tree: it may be long. */
  #logical(operator: string, name: string, term: () => Expr): Expr {
    const terms = [term()]
    const places: number[] = []
    for (let token = this.#takeIf(operator); token !== undefined; token = this.#takeIf(operator)) {
      places.push(token.at)
      terms.push(term())
    }
    return balanced(name, terms, places)
  }

  #binary(level: BinaryOperator['level']): Expr {
    const operand = (): Expr => {
      if (level === 'product') return this.#unary()
      return this.#binary(level === 'relation' ? 'sum' : 'product')
    }
    let left = operand()
    let length = 0
    for (;;) {
      const token = this.#peek()
      const operator = token.kind === 'operator' || token.text === 'in' ? BINARY_OPERATORS.get(token.text) : undefined
      if (operator?.level !== level) return left
      this.#chain(++length)
      this.#take()
      left = call(operator.name, token.at, [left, operand()])
    }
  }

  #chain(length: number): void {
    if (length > MAX_DEPTH) throw new SyntaxFault('max recursion depth exceeded', undefined)
  }

  #unary(): Expr {
    const token = this.#peek()
    if (token.text === '!') return this.#repeated('!', NOT)
    if (token.text === '-' && token.kind === 'operator') {
      const number = this.#tokens[this.#next + 1]
      if (number?.kind === 'int' || number?.kind === 'double') {
        this.#take()
        return this.#member(this.#number(this.#take(), '-', token.at))
      }
      return this.#repeated('-', NEGATE)
    }
    return this.#member(this.#primary())
  }

  #repeated(operator: string, name: string): Expr {
    const first = this.#peek()
    let count = 0
    while (this.#takeIf(operator) !== undefined) count++
    const token = this.#peek()
    const operand = this.#member(token.kind === 'end' ? this.#notViable(operator, token) : this.#primary())
    return count % 2 === 0 ? operand : call(name, first.at, [operand])
  }

  #notViable(before: string, token: Token): never {
    throw new SyntaxFault(`Syntax error: no viable alternative at input '${before}'`, token.at)
  }

  #member(primary: Expr): Expr {
    let expression = primary
    let length = 0
    for (;;) {
      const dot = this.#takeIf('.')
      const bracket = dot === undefined ? this.#takeIf('[') : undefined
      if (dot === undefined && bracket === undefined) return expression
      this.#chain(++length)
      expression = dot === undefined ? this.#index(expression, bracket) : this.#selection(expression, dot)
    }
  }

  #index(operand: Expr, bracket: Token | undefined): Expr {
    const optional = this.#takeIf('?') !== undefined
    const index = this.#expression()
    this.#expect(']')
    return call(optional ? OPTIONAL_INDEX : INDEX, bracket?.at ?? 0, [operand, index])
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#takeIf('?') !== undefined
    const name = this.#peek()
    if (name.kind === 'end') this.#notViable('.', name)
    if (name.kind === 'quotedIdent') {
      this.#take()
      return select(operand, name.text.slice(1, -1), { at: dot.at, optional })
    }
    if (name.kind !== 'ident' || name.text === 'in' || LITERAL_WORDS.has(name.text)) {
      throw new SyntaxFault(`Syntax error: mismatched input '${name.text}' expecting IDENTIFIER`, name.at)
    }
    this.#take()
    const open = optional ? undefined : this.#takeIf('(')
    if (open !== undefined) return this.#callOf(name.text, operand, open)
    if (!optional && this.#peek().text === '{') {
      const path = pathOf(operand)
      if (path !== undefined) return this.#struct(`${path}.${name.text}`)
    }
    return select(operand, name.text, { at: dot.at, optional })
  }

  #callOf(name: string, target: Expr | undefined, open: Token): Expr {
    const args = this.#sequence(')', () => this.#expression())
    const made: Call = { kind: 'call', at: open.at, name, target, args }
    const expanded = expandMacro(made)
    if (expanded === undefined) return made
    if (expanded.kind === 'expanded') return expanded.expression
    this.issues.push({ message: expanded.message, at: expanded.at })
    return made
  }

  /** What is between brackets, up to the closing one. */
  #sequence<T>(close: string, item: () => T, trailingComma = false): readonly T[] {
    const items: T[] = []
    if (this.#takeIf(close) !== undefined) return items
    if (trailingComma && this.#takeIf(',') !== undefined) {
      this.#expect(close)
      return items
    }
    items.push(item())
    while (this.#takeIf(',') !== undefined) {
      if (trailingComma && this.#peek().text === close) break
      items.push(item())
    }
    this.#expect(close, trailingComma ? `{'${close}', ','}` : `{')', ','}`)
    return items
  }

  #primary(): Expr {
    const token = this.#peek()
    switch (token.kind) {
      case 'ident':
        return this.#named(token)
      case 'int':
      case 'uint':
      case 'double':
        return this.#number(this.#take(), '', token.at)
      case 'string':
        return this.#constant(token, STRING, token.value ?? '')
      case 'bytes':
        return this.#constant(token, BYTES, token.value ?? '')
      default:
        return this.#bracketed(token)
    }
  }

  #constant(token: Token, type: Type, value: CelValue): Literal {
    this.#take()
    return { kind: 'literal', at: token.at, type, value }
  }

  #number(token: Token, sign: string, at: number): Expr {
    const text = `${sign}${token.text}`
    if (token.kind === 'double') {
      const value = Number(text)
      if (!Number.isFinite(value)) this.issues.push({ message: 'invalid double literal', at })
      return { kind: 'literal', at, type: DOUBLE, value }
    }
    const digits = BigInt(token.kind === 'uint' ? token.text.slice(0, -1) : token.text)
    if (token.kind === 'uint') {
      if (digits > MAX_UINT) this.issues.push({ message: 'invalid uint literal', at })
      return { kind: 'literal', at, type: UINT, value: new Uint(digits) }
    }
    if (digits > (sign === '' ? MAX_INT : MAX_INT + 1n)) this.issues.push({ message: 'invalid int literal', at })
    return { kind: 'literal', at, type: INT, value: sign === '' ? digits : -digits }
  }

  #named(token: Token): Expr {
    switch (token.text) {
      case 'true':
        return this.#constant(token, BOOL, true)
      case 'false':
        return this.#constant(token, BOOL, false)
      case 'null':
        return this.#constant(token, NULL, null)
      case 'in':
        return this.#bracketed(token)
      default:
        return this.#identifier('')
    }
  }

  /** A name, a call of a function or the construction of an object; `dot` is the leading dot where there is one. */
  #identifier(dot: string): Expr {
    const token = this.#take()
    if (token.kind !== 'ident' || token.text === 'in') {
      throw new SyntaxFault(`Syntax error: mismatched input '${token.text}' expecting IDENTIFIER`, token.at)
    }
    if (RESERVED_WORDS.has(token.text)) {
      this.issues.push({ message: `reserved identifier: ${token.text}`, at: token.at })
    }
    const open = this.#takeIf('(')
    if (open !== undefined) return this.#callOf(`${dot}${token.text}`, undefined, open)
    if (this.#peek().text === '{') return this.#struct(`${dot}${token.text}`)
    return { kind: 'ident', at: token.at, name: `${dot}${token.text}` }
  }

  #struct(name: string): Expr {
    const open = this.#take()
    const fields = this.#sequence('}', () => this.#structField(), true)
    return { kind: 'struct', at: open.at, name, fields }
  }

  #structField(): StructField {
    const optional = this.#takeIf('?') !== undefined
    const token = this.#take()
    if (token.kind !== 'ident' && token.kind !== 'quotedIdent') {
      throw new SyntaxFault(
        `Syntax error: mismatched input '${token.text}' expecting {'}', ',', '?', IDENTIFIER}`,
        token.at,
      )
    }
    const name = token.kind === 'quotedIdent' ? token.text.slice(1, -1) : token.text
    const colon = this.#expect(':')
    return { at: colon.at, name, optional, value: this.#expression() }
  }

  #bracketed(token: Token): Expr {
    switch (token.kind === 'operator' ? token.text : '') {
      case '(': {
        this.#take()
        const inner = this.#expression()
        this.#expect(')')
        return inner
      }
      case '[':
        this.#take()
        return { kind: 'list', at: token.at, items: this.#sequence(']', () => this.#item(), true) }
      case '{':
        this.#take()
        return { kind: 'map', at: token.at, entries: this.#sequence('}', () => this.#entry(), true) }
      case '.':
        this.#take()
        return this.#identifier('.')
      default: {
        const after = this.#tokens[this.#next + 1]
        const word =
          after !== undefined && startsExpression(after) && token.kind !== 'end' ? 'extraneous' : 'mismatched'
        throw new SyntaxFault(`Syntax error: ${word} input '${token.text}' expecting ${START_OF_EXPRESSION}`, token.at)
      }
    }
  }

  #item(): Item {
    const optional = this.#takeIf('?') !== undefined
    return { optional, value: this.#expression() }
  }

  #entry(): Entry {
    const optional = this.#takeIf('?') !== undefined
    const key = this.#expression()
    const colon = this.#expect(':')
    return { at: colon.at, optional, key, value: this.#expression() }
  }
}

const LITERAL_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

function startsExpression(token: Token): boolean {
  return token.kind === 'operator' ? ['[', '{', '(', '.', '-', '!'].includes(token.text) : token.kind !== 'end'
}
