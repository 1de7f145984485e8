// The tokens that syntax errors list as expected.
import type { Literal } from './ast.ts'
import type { Token } from './lexer.ts'
import { NULL } from './type.ts'

export const START_OF_EXPRESSION =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** At the start of a map entry, `}`, `,` and `?` are expected too. */
export const START_OF_ENTRY = START_OF_EXPRESSION.replace("'(', '.', '-', '!'", "'}', '(', '.', ',', '-', '!', '?'")
export const START_OF_FIELD = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"

export const LITERAL_WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** The placeholder of a missing operand. The expression is refused. */
export function nothing({ at }: Token): Literal {
  return { kind: 'literal', at, type: NULL, value: null }
}

export function isName({ kind }: Token): boolean {
  return kind === 'ident' || kind === 'quotedIdent'
}

export function startsExpression(token: Token): boolean {
  if (token.text === 'in') return false
  return token.kind === 'operator' ? ['[', '{', '(', '.', '-', '!'].includes(token.text) : token.kind !== 'end'
}
