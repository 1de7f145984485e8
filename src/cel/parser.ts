// Parses a text to a syntax tree, by recursive descent. Invariant: parsing takes linear time. Nesting and chains of operators are limited,
// so walks over the tree may recurse.
import { balanced, type Call, call, type Entry, type Expr, type Item, type Literal, nodesOf, pathOf } from './ast.ts'
import { select, type StructField } from './ast.ts'
import { BrokenList, Cursor, TooDeep } from './cursor.ts'
import { RESERVED_WORDS } from './escape.ts'
import { isName, LITERAL_WORDS, nothing, START_OF_ENTRY, START_OF_EXPRESSION, START_OF_FIELD } from './expected.ts'
import { startsExpression } from './expected.ts'
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
/** The largest number of issues, as in the reference. */
const MAX_ISSUES = 100
const MAX_DEPTH = 250
const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

/** `most`: the largest number of tokens, and of nodes. */
export function parse(text: string, hasBind = false, most = mostNodes(text)): Parsed {
  const size = text.length > MAX_CHARACTERS ? Array.from(text).length : text.length
  if (size > MAX_CHARACTERS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CHARACTERS}`
    return { kind: 'refused', issues: [{ message, at: undefined }] }
  }
  const lexed = lex(text, most)
  if (lexed.tokens.length > most) return tooComplex(most)
  const parser = new Parser(lexed, hasBind)
  const issues = [...lexed.issues]
  try {
    const expression = parser.whole()
    issues.push(...parser.issues)
    if (issues.length === 0) return nodesOf(expression) > most ? tooComplex(most) : { kind: 'expression', expression }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    issues.push(...parser.issues, error.issue)
  }
  return { kind: 'refused', issues: issues.slice(0, MAX_ISSUES) }
}

/** More nodes than a text has if its macros do not repeat their target again and again. */
const mostNodes = (text: string): number => 1000 + 2 * text.length

function tooComplex(most: number): Parsed {
  const message = `the expression is too complex: it has more than ${most} parts`
  return { kind: 'refused', issues: [{ message, at: undefined }] }
}

class Parser {
  readonly #cursor: Cursor
  readonly #hasBind: boolean
  #depth = 0

  constructor(lexed: Lexed, hasBind: boolean) {
    this.#cursor = new Cursor(lexed)
    this.#hasBind = hasBind
  }

  get issues(): readonly SourceIssue[] {
    return this.#cursor.issues
  }

  whole(): Expr {
    const expression = this.#expression()
    if (this.#cursor.peek().kind === 'end') return expression
    if (this.#cursor.peek(1).kind === 'end') this.#cursor.drop('<EOF>')
    else this.#cursor.mismatch('<EOF>')
    return expression
  }

  #expression(): Expr {
    if (++this.#depth > MAX_DEPTH) {
      throw new TooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`)
    }
    const condition = this.#logical('||', OR, () => this.#logical('&&', AND, () => this.#binary('relation')))
    const question = this.#cursor.takeIf('?')
    let expression = condition
    if (question !== undefined) {
      const whenTrue = this.#cursor.awaiting([':'], () =>
        this.#logical('||', OR, () => this.#logical('&&', AND, () => this.#binary('relation'))),
      )
      if (this.#cursor.expect(':') !== undefined) {
        expression = call(CONDITIONAL, question.at, [condition, whenTrue, this.#expression()])
      }
    }
    this.#depth--
    return expression
  }

  /** Reads a chain of one logical operator. The chain may be long, so it becomes a balanced tree. */
  #logical(operator: string, name: string, term: () => Expr): Expr {
    const terms = [term()]
    const places: number[] = []
    for (let token = this.#cursor.takeIf(operator); token !== undefined; token = this.#cursor.takeIf(operator)) {
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
      const token = this.#cursor.peek()
      const operator = token.kind === 'operator' || token.text === 'in' ? BINARY_OPERATORS.get(token.text) : undefined
      if (operator?.level !== level) return left
      this.#chain(++length)
      this.#cursor.take()
      left = call(operator.name, token.at, [left, operand()])
    }
  }

  #chain(length: number): void {
    if (length > MAX_DEPTH) throw new TooDeep('max recursion depth exceeded')
  }

  #unary(): Expr {
    const token = this.#cursor.peek()
    if (token.text === '!') return this.#repeated('!', NOT)
    if (token.text === '-' && token.kind === 'operator') {
      const number = this.#cursor.peek(1)
      if (number.kind === 'int' || number.kind === 'double') {
        this.#cursor.take()
        return this.#member(this.#number(this.#cursor.take(), '-', token.at))
      }
      return this.#repeated('-', NEGATE)
    }
    return this.#member(this.#primary())
  }

  #repeated(operator: string, name: string): Expr {
    const first = this.#cursor.peek()
    let count = 0
    while (this.#cursor.takeIf(operator) !== undefined) count++
    const token = this.#cursor.peek()
    if (token.kind === 'end') {
      this.#cursor.report(`Syntax error: no viable alternative at input '${operator}'`, token.at)
      if (operator === '!') return nothing(token)
      // The last operator may also be a subtraction without a second operand.
      const message = `Syntax error: mismatched input '<EOF>' expecting ${START_OF_EXPRESSION}`
      this.#cursor.issues.push({ message, at: token.at })
      return nothing(token)
    }
    const operand = this.#member(this.#primary())
    return count % 2 === 0 ? operand : call(name, first.at, [operand])
  }

  #member(primary: Expr): Expr {
    let expression = primary
    let length = 0
    for (;;) {
      const dot = this.#cursor.takeIf('.')
      const bracket = dot === undefined ? this.#cursor.takeIf('[') : undefined
      if (dot === undefined && bracket === undefined) return expression
      this.#chain(++length)
      expression = dot === undefined ? this.#index(expression, bracket) : this.#selection(expression, dot)
    }
  }

  #index(operand: Expr, bracket: Token | undefined): Expr {
    const optional = this.#cursor.takeIf('?') !== undefined
    const index = this.#cursor.awaiting([']'], () => this.#expression())
    this.#cursor.expect(']')
    return call(optional ? OPTIONAL_INDEX : INDEX, bracket?.at ?? 0, [operand, index])
  }

  #selection(operand: Expr, dot: Token): Expr {
    const optional = this.#cursor.takeIf('?') !== undefined
    const name = this.#cursor.peek()
    if (name.kind === 'quotedIdent') {
      this.#cursor.take()
      return select(operand, name.text.slice(1, -1), { at: dot.at, optional })
    }
    if (name.kind === 'ident' && (name.text === 'in' || LITERAL_WORDS.has(name.text))) {
      this.#cursor.mismatch('IDENTIFIER')
      return operand
    }
    if (name.kind !== 'ident') {
      const found = `${optional ? '.?' : '.'}${name.kind === 'end' ? '' : name.text}`
      this.#cursor.report(`Syntax error: no viable alternative at input '${found}'`, name.at)
      this.#cursor.skip()
      return operand
    }
    this.#cursor.take()
    const open = optional ? undefined : this.#cursor.takeIf('(')
    if (open !== undefined) return this.#callOf(name.text, operand, open)
    if (!optional && this.#cursor.peek().text === '{') {
      const path = pathOf(operand)
      if (path !== undefined) return this.#struct(`${path}.${name.text}`)
    }
    return select(operand, name.text, { at: dot.at, optional })
  }

  #callOf(name: string, target: Expr | undefined, open: Token): Expr {
    const args = this.#sequence(')', () => this.#expression())
    const made: Call = { kind: 'call', at: open.at, name, target, args }
    const expanded = expandMacro(made, this.#hasBind)
    if (expanded === undefined) return made
    if (expanded.kind === 'expanded') return expanded.expression
    this.#cursor.issues.push({ message: expanded.message, at: expanded.at })
    return made
  }

  /** Reads the items between brackets, and the closing bracket. */
  #sequence<T>(close: string, item: () => T, trailingComma = false): readonly T[] {
    const items: T[] = []
    if (this.#cursor.takeIf(close) !== undefined) return items
    if (trailingComma && this.#cursor.takeIf(',') !== undefined) {
      this.#cursor.expect(close)
      return items
    }
    try {
      this.#cursor.awaiting([close, ','], () => {
        do {
          if (trailingComma && items.length > 0 && this.#cursor.peek().text === close) return
          items.push(item())
        } while (this.#cursor.takeIf(',') !== undefined)
      })
    } catch (error) {
      if (!(error instanceof BrokenList)) throw error
    }
    this.#cursor.expect(close, trailingComma ? `{'${close}', ','}` : `{')', ','}`)
    return items
  }

  #primary(): Expr {
    const token = this.#cursor.peek()
    switch (token.kind) {
      case 'ident':
        return this.#named(token)
      case 'int':
      case 'uint':
      case 'double':
        return this.#number(this.#cursor.take(), '', token.at)
      case 'string':
        return this.#constant(token, STRING, token.value ?? '')
      case 'bytes':
        return this.#constant(token, BYTES, token.value ?? '')
      default:
        return this.#bracketed(token)
    }
  }

  #constant(token: Token, type: Type, value: CelValue): Literal {
    this.#cursor.take()
    return { kind: 'literal', at: token.at, type, value }
  }

  #number(token: Token, sign: string, at: number): Expr {
    const text = `${sign}${token.text}`
    if (token.kind === 'double') {
      const value = Number(text)
      if (!Number.isFinite(value)) this.#cursor.issues.push({ message: 'invalid double literal', at })
      return { kind: 'literal', at, type: DOUBLE, value }
    }
    const digits = BigInt(token.kind === 'uint' ? token.text.slice(0, -1) : token.text)
    if (token.kind === 'uint') {
      if (digits > MAX_UINT) this.#cursor.issues.push({ message: 'invalid uint literal', at })
      return { kind: 'literal', at, type: UINT, value: new Uint(digits) }
    }
    if (digits > (sign === '' ? MAX_INT : MAX_INT + 1n))
      this.#cursor.issues.push({ message: 'invalid int literal', at })
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

  /** Reads a name, a call of a function, or the construction of an object. `dot`: the leading dot, if there is one. */
  #identifier(dot: string): Expr {
    const token = this.#cursor.peek()
    if (token.kind !== 'ident' || token.text === 'in') {
      this.#cursor.report(
        `Syntax error: no viable alternative at input '${dot}${token.kind === 'end' ? '' : token.text}'`,
        token.at,
      )
      this.#cursor.skip()
      return nothing(token)
    }
    this.#cursor.take()
    if (RESERVED_WORDS.has(token.text)) {
      this.#cursor.issues.push({ message: `reserved identifier: ${token.text}`, at: token.at })
      if (this.#cursor.peek().text !== '(' && this.#cursor.peek().text !== '{') return nothing(token)
    }
    const open = this.#cursor.takeIf('(')
    if (open !== undefined) return this.#callOf(`${dot}${token.text}`, undefined, open)
    if (this.#cursor.peek().text === '{') return this.#struct(`${dot}${token.text}`)
    return { kind: 'ident', at: token.at, name: `${dot}${token.text}` }
  }

  #struct(name: string): Expr {
    const open = this.#cursor.take()
    const fields = this.#sequence('}', () => this.#structField(), true)
    return { kind: 'struct', at: open.at, name, fields }
  }

  #structField(): StructField {
    const optional = this.#cursor.takeIf('?') !== undefined
    if (!isName(this.#cursor.peek()) && isName(this.#cursor.peek(1))) this.#cursor.drop(START_OF_FIELD)
    const token = this.#cursor.peek()
    if (!isName(token)) this.#giveUp(START_OF_FIELD)
    this.#cursor.take()
    const name = token.kind === 'quotedIdent' ? token.text.slice(1, -1) : token.text
    return { at: this.#colon(), name, optional, value: this.#expression() }
  }

  #colon(): number {
    const colon = this.#cursor.awaiting([':'], () => this.#cursor.expect(':'))
    if (colon === undefined) throw new BrokenList()
    return colon.at
  }

  #giveUp(expecting: string): never {
    this.#cursor.mismatch(expecting)
    throw new BrokenList()
  }

  #bracketed(token: Token): Expr {
    switch (token.kind === 'operator' ? token.text : '') {
      case '(': {
        this.#cursor.take()
        const inner = this.#cursor.awaiting([')'], () => this.#expression())
        this.#cursor.expect(')')
        return inner
      }
      case '[':
        this.#cursor.take()
        return { kind: 'list', at: token.at, items: this.#sequence(']', () => this.#item(), true) }
      case '{':
        this.#cursor.take()
        return { kind: 'map', at: token.at, entries: this.#sequence('}', () => this.#entry(), true) }
      case '.':
        this.#cursor.take()
        return this.#identifier('.')
      default:
        return this.#misplaced(token, START_OF_EXPRESSION)
    }
  }

  /** Skips a surplus token if an operand follows. Otherwise the operand is missing. */
  #misplaced(token: Token, expecting: string): Expr {
    if (token.kind === 'end' || !startsExpression(this.#cursor.peek(1))) {
      this.#cursor.mismatch(expecting)
      return nothing(token)
    }
    this.#cursor.drop(expecting)
    return this.#primary()
  }

  #item(): Item {
    const optional = this.#cursor.takeIf('?') !== undefined
    return { optional, value: this.#expression() }
  }

  #entry(): Entry {
    const optional = this.#cursor.takeIf('?') !== undefined
    const first = this.#cursor.peek()
    if (!optional && !startsExpression(first)) {
      if (first.kind === 'end' || !startsExpression(this.#cursor.peek(1))) this.#giveUp(START_OF_ENTRY)
      this.#cursor.drop(START_OF_ENTRY)
    }
    const key = this.#cursor.awaiting([':'], () => this.#expression())
    return { at: this.#colon(), optional, key, value: this.#expression() }
  }
}
