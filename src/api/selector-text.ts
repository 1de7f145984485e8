// Reads label selectors: the query-string form (`a=b,c in (d,e),!f`) and the object form (`matchLabels`, `matchExpressions`). A malformed
// selector is a 400 with the reference's message. Reading takes one pass and linear time.
import { labelValue, qualifiedName } from '../lib/name-formats.ts'
import { quoted } from './field-error.ts'
import { parseInt64 } from './json-number.ts'
import { EVERY_LABEL, LabelSelector } from './selector.ts'
import type { LabelRequirement } from './selector.ts'
import { ApiError } from './status.ts'
import { isList, isMap } from './value.ts'
import type { Value, ValueMap } from './value.ts'

/** The limit for a selector in the body of a request. A selector in a query is shorter, because the limit for headers applies to it. */
export const MAX_SELECTOR_BYTES = 64 * 1024

/** Throws `ApiError` `BadRequest`. Blank text selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return EVERY_LABEL
  const requirements = new LabelParser(tokensOf(text)).parse()
  return requirements.length === 0 ? EVERY_LABEL : new LabelSelector(requirements)
}

/**
 * Reads the object form. Undefined: the selector is malformed. Validation keeps such selectors out of stored objects. The caller must
 * handle an absent selector, because its meaning depends on the field.
 */
export function labelSelectorOf(selector: Value): LabelSelector | undefined {
  if (!isMap(selector)) return undefined
  const requirements: LabelRequirement[] = []
  const labels = selector['matchLabels'] ?? {}
  if (!isMap(labels)) return undefined
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== 'string') return undefined
    requirements.push({ kind: 'equals', key, value })
  }
  const expressions = selector['matchExpressions'] ?? []
  if (!isList(expressions)) return undefined
  for (const expression of expressions) {
    const requirement = isMap(expression) ? expressionOf(expression) : undefined
    if (requirement === undefined) return undefined
    requirements.push(requirement)
  }
  return new LabelSelector(requirements)
}

function expressionOf(expression: ValueMap): LabelRequirement | undefined {
  const { key, operator } = expression
  const listed = expression['values'] ?? []
  if (typeof key !== 'string' || !isList(listed) || !listed.every((value) => typeof value === 'string'))
    return undefined
  const values = sortedSet(listed)
  if (operator === 'In' || operator === 'NotIn') {
    return values.length > 0 ? { kind: operator === 'In' ? 'in' : 'notIn', key, values } : undefined
  }
  if (values.length > 0 || (operator !== 'Exists' && operator !== 'DoesNotExist')) return undefined
  return { kind: operator === 'Exists' ? 'exists' : 'absent', key }
}

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | '>' | '<'

type TokenKind = 'identifier' | 'end' | Operator | '!' | '(' | ')' | ','

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const OPERATORS: ReadonlySet<TokenKind> = new Set<Operator>(['in', 'notin', '=', '==', '!=', '>', '<'])

const WORDS: ReadonlyMap<string, Token> = new Map(
  (['=', '==', '!=', '!', '(', ')', ',', '<', '>', 'in', 'notin'] as const).map((text) => [text, { kind: text, text }]),
)

/** A NUL ends the text, as it does in the reference's reader. */
function tokensOf(text: string): readonly Token[] {
  const [read = ''] = text.split('\0', 1)
  const texts = read.match(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? []
  return texts.map((each) => WORDS.get(each) ?? { kind: 'identifier', text: each })
}

const END: Token = Object.freeze({ kind: 'end', text: '' })

class LabelParser {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const token = this.#peek()
      if (token.kind === 'end') return requirements
      if (token.kind !== 'identifier' && token.kind !== '!') {
        throw bad(`found '${token.text}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#requirement())
      const separator = this.#take()
      if (separator.kind === 'end') return requirements
      if (separator.kind !== ',') throw bad(`found '${separator.text}', expected: ',' or 'end of string'`)
      const following = this.#peek()
      if (following.kind !== 'identifier' && following.kind !== '!') {
        throw bad(`found '${following.text}', expected: identifier after ','`)
      }
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().kind === '!'
    if (negated) this.#take()
    const key = this.#take()
    if (key.kind !== 'identifier') throw badRequirement(`found '${key.text}', expected: identifier`)
    const faults = qualifiedName(key.text)
    if (faults.length > 0) throw badRequirement(`<nil>: ${invalid(key.text, faults)}`)
    if (negated) return { kind: 'absent', key: key.text }
    const { kind } = this.#peek()
    if (kind === 'end' || kind === ',') return { kind: 'exists', key: key.text }
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()]
    return requirementOf(key.text, operator, sortedSet(values))
  }

  #operator(): Operator {
    const token = this.#tokens[this.#next++] ?? END
    if (OPERATORS.has(token.kind)) return token.kind as Operator
    throw badRequirement(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
  }

  #exactValue(): string {
    const { kind } = this.#peek()
    if (kind === 'end' || kind === ',') return ''
    const token = this.#take()
    if (token.kind !== 'identifier') throw badRequirement(`found '${token.text}', expected: identifier`)
    return token.text
  }

  #values(): readonly string[] {
    const open = this.#take()
    if (open.kind !== '(') throw badRequirement(`found '${open.text}' expected: '('`)
    const first = this.#peek()
    if (first.kind === ')') {
      this.#take()
      return ['']
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw badRequirement(`found '${first.text}', expected: ',', ')' or identifier`)
    }
    return this.#valuesUntilClosed()
  }

  /** A missing value beside a comma counts as an empty value: `(,)`, `(a,)`, `(,a)`, `(a,,b)`. */
  #valuesUntilClosed(): readonly string[] {
    const values: string[] = []
    for (;;) {
      const token = this.#take()
      if (token.kind === 'identifier') {
        values.push(token.text)
        const following = this.#peek()
        if (following.kind !== ',' && following.kind !== ')') {
          throw badRequirement(`found '${following.text}', expected: ',' or ')'`)
        }
      } else if (token.kind === ',') {
        if (values.length === 0) values.push('')
        const following = this.#peek()
        if (following.kind === ')') values.push('')
        if (following.kind === ',') {
          this.#take()
          values.push('')
        }
      } else {
        throw badRequirement(`found '${token.text}', expected: ',', or identifier`)
      }
      if (this.#peek().kind === ')') {
        this.#take()
        return values
      }
    }
  }

  /** `in` and `notin` are ordinary words in places where no operator is allowed. */
  #peek(): Token {
    const token = this.#tokens[this.#next] ?? END
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token
  }

  #take(): Token {
    const token = this.#peek()
    this.#next++
    return token
  }
}

/** The text of a fault can be a hundred times as long as its value. */
const MAX_FAULTS = 100

function requirementOf(key: string, operator: Operator, values: readonly string[]): LabelRequirement {
  const [first = ''] = values
  const faults: string[] = []
  const bound = operator === '>' || operator === '<' ? parseInt64(first) : 0n
  if (bound === undefined) {
    faults.push(`values[0]: ${invalid(first, ["for 'Gt', 'Lt' operators, the value must be an integer"])}`)
  }
  for (const [index, value] of values.entries()) {
    if (faults.length >= MAX_FAULTS) break
    const rules = labelValue(value)
    if (rules.length > 0) faults.push(`values[${index}][${key}]: ${invalid(value, rules)}`)
  }
  if (faults.length > 0) throw badRequirement(faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`)
  switch (operator) {
    case 'in':
      return { kind: 'in', key, values }
    case 'notin':
      return { kind: 'notIn', key, values }
    case '!=':
      return { kind: 'notEquals', key, value: first }
    case '>':
      return { kind: 'greater', key, bound: bound ?? 0n }
    case '<':
      return { kind: 'less', key, bound: bound ?? 0n }
    default:
      return { kind: 'equals', key, value: first }
  }
}

function sortedSet(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}

function invalid(value: string, rules: readonly string[]): string {
  return `Invalid value: ${quoted(value)}: ${rules.join('; ')}`
}

function bad(message: string): ApiError {
  return new ApiError('BadRequest', message)
}

function badRequirement(message: string): ApiError {
  return bad(`unable to parse requirement: ${message}`)
}
