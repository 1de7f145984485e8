// The tokens of an expression, with error recovery. The cursor reports a token that does not fit, and skips tokens up to an expected one.
// So it reports all syntax errors together, the same as the reference. Invariant: no token is read twice.
import type { Lexed, Token } from './lexer.ts'
import { BINARY_OPERATORS } from './operators.ts'
import type { SourceIssue } from './source.ts'

/** The tokens that may follow any operand. */
const AFTER_OPERAND: ReadonlySet<string> = new Set([...BINARY_OPERATORS.keys(), '&&', '||', '?', '.', '['])

export class Cursor {
  readonly issues: SourceIssue[] = []
  readonly #tokens: readonly Token[]
  readonly #awaited: string[] = []
  #next = 0
  /** No token has fitted since the last error, so further faults belong to that error. */
  #isRecovering = false
  #skippedTo = -1

  constructor({ tokens }: Lexed) {
    this.#tokens = tokens
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#next + ahead] ?? { kind: 'end', text: '<EOF>', at: 0 }
  }

  take(): Token {
    const token = this.peek()
    this.#next++
    this.#isRecovering = false
    return token
  }

  takeIf(text: string): Token | undefined {
    const token = this.peek()
    if (token.text !== text || (token.kind !== 'operator' && token.kind !== 'ident')) return undefined
    return this.take()
  }

  /** Takes the expected token. Undefined: the token is missing, and the fault is reported. */
  expect(text: string, expecting = `'${text}'`): Token | undefined {
    const token = this.takeIf(text)
    if (token !== undefined) return token
    const found = this.peek()
    if (this.peek(1).text === text && found.kind !== 'end') {
      this.drop(expecting)
      return this.take()
    }
    // If nothing else is expected, only the bracket is missing.
    const isAllThatIsMissing = found.kind === 'end' && this.#awaited.length === 0
    if (isAllThatIsMissing && (text === ')' || expecting === `']'`)) {
      this.report(`Syntax error: missing '${text}' at '<EOF>'`, found.at)
      return undefined
    }
    this.mismatch(expecting)
    return undefined
  }

  /** Reports a surplus token, and skips it. */
  drop(expecting: string): void {
    const { text, at } = this.peek()
    this.report(`Syntax error: extraneous input '${text}' expecting ${expecting}`, at)
    this.take()
  }

  /** Reports that another token was expected, and skips to a token that can follow. */
  mismatch(expecting: string): void {
    const { text, at } = this.peek()
    this.report(`Syntax error: mismatched input '${text}' expecting ${expecting}`, at)
    this.skip()
  }

  report(message: string, at: number): void {
    if (!this.#isRecovering) this.issues.push({ message, at })
    this.#isRecovering = true
  }

  /** Skips to a token that can follow. If the last call ended at the same token, skips this token too. */
  skip(): void {
    if (this.#next === this.#skippedTo && this.peek().kind !== 'end') this.#next++
    while (!this.#isAwaited(this.peek())) this.#next++
    this.#skippedTo = this.#next
  }

  /** Error recovery inside of `read` stops at these texts. */
  awaiting<T>(texts: readonly string[], read: () => T): T {
    this.#awaited.push(...texts)
    try {
      return read()
    } finally {
      this.#awaited.length -= texts.length
    }
  }

  #isAwaited({ kind, text }: Token): boolean {
    if (kind === 'end') return true
    return (kind === 'operator' || text === 'in') && (AFTER_OPERAND.has(text) || this.#awaited.includes(text))
  }
}

/** Thrown to end the parse of an expression that is nested too deeply. */
export class TooDeep {
  readonly issue: SourceIssue

  constructor(message: string) {
    this.issue = { message, at: undefined }
  }
}

/** Thrown to end the list that is being read. */
export class BrokenList extends Error {}
