// Splits an expression into tokens, in one pass. Text that is not a token becomes an issue, and is skipped.
import type { SourceIssue } from './source.ts'
import { faultIn, readBytesLiteral, readStringLiteral } from './string-literal.ts'

export type TokenKind = 'ident' | 'quotedIdent' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'operator' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The text of the token, as written. */
  readonly text: string
  readonly at: number
  readonly value?: string | Uint8Array
}

export interface Lexed {
  readonly tokens: readonly Token[]
  readonly issues: readonly SourceIssue[]
}

const MAX_NAME = 1_000

/** The largest number of issues, as in the reference. The limit also prevents repeated searches of a text that is full of quotes. */
const MAX_ISSUES = 100

/** Returns new patterns for each text, because sticky patterns keep their position. */
function patterns() {
  return {
    space: /[\t\n\f\r ]+|\/\/[^\n]*/y,
    number: /0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+[uU]?/y,
    stringStart: /[rR]?[bB]?[rR]?(?="|')/y,
    ident: /[a-zA-Z_][a-zA-Z0-9_]*/y,
    quotedIdent: /`[a-zA-Z0-9_.\-/ ]+`/y,
    operator: /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y,
  }
}

/** The text that is not a token. After the first half of an operator, it includes the next character. */
function notAWord(text: string, at: number): string {
  if (text[at] === '`') return /^`[a-zA-Z0-9_.\-/ ]*[^]?/u.exec(text.slice(at, at + MAX_NAME))![0]
  const length = /[|&=]/.test(text[at] ?? '') ? 2 : 1
  return Array.from(text.slice(at, at + 4))
    .slice(0, length)
    .join('')
}

type PatternName = keyof ReturnType<typeof patterns>
type Match = (name: PatternName) => string | undefined

/** Stops after `mostTokens`. */
export function lex(text: string, mostTokens = Number.POSITIVE_INFINITY): Lexed {
  const tokens: Token[] = []
  const issues: SourceIssue[] = []
  let at = 0
  const known = patterns()
  const match: Match = (name) => {
    const pattern = known[name]
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  while (at < text.length && issues.length < MAX_ISSUES && tokens.length <= mostTokens) {
    const space = match('space')
    if (space !== undefined) {
      at += space.length
      continue
    }
    const token = quoted(text, at, match, issues) ?? plain(at, match)
    if (token !== undefined) {
      tokens.push(token)
      at += token.text.length
      continue
    }
    const bad = brokenString(text, at, match) ?? notAWord(text, at)
    issues.push({ message: `Syntax error: token recognition error at: '${bad}'`, at })
    at += bad.length
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: text.length })
  return { tokens, issues }
}

function plain(at: number, match: Match): Token | undefined {
  const number = match('number')
  if (number !== undefined) return { kind: numberKind(number), text: number, at }
  for (const kind of ['ident', 'quotedIdent', 'operator'] as const) {
    const text = match(kind)
    if (text !== undefined) return { kind, text, at }
  }
  return undefined
}

function numberKind(text: string): TokenKind {
  if (/[uU]$/.test(text)) return 'uint'
  return text.startsWith('0x') || /^[0-9]+$/.test(text) ? 'int' : 'double'
}

function quoted(text: string, at: number, match: Match, issues: SourceIssue[]): Token | undefined {
  const prefix = match('stringStart')
  if (prefix === undefined) return undefined
  const raw = /r/i.test(prefix)
  const isBytes = /b/i.test(prefix)
  const start = at + prefix.length
  const quote = text[start] ?? ''
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  const end = endOfString({ text, from: start + mark.length, mark, raw })
  if (end === undefined) return undefined
  const body = text.slice(start + mark.length, end)
  const whole = text.slice(at, end + mark.length)
  if (!raw && mark.length === 1 && faultIn(body) !== undefined) return undefined
  const value = isBytes ? readBytesLiteral(body, raw) : readStringLiteral(body, raw)
  if (value === undefined) issues.push({ message: unreadable(body, whole), at })
  return { kind: isBytes ? 'bytes' : 'string', text: whole, at, value: value ?? '' }
}

/** The message for an unreadable literal: an escape stands for no character, or an escape in triple quotes is malformed. */
function unreadable(body: string, whole: string): string {
  if (faultIn(body) === undefined) return 'invalid unicode code point'
  return `Syntax error: token recognition error at: '${whole}'`
}

/** The text of a broken string. It ends at the first malformed escape or at the end of the line. The rest is read as new tokens. */
function brokenString(text: string, at: number, match: Match): string | undefined {
  if (match('stringStart') === undefined) return undefined
  const start = at + 1
  const quote = text[at] ?? ''
  const end = endOfString({ text, from: start, mark: quote, raw: false }) ?? endOfLine(text, start)
  const fault = faultIn(text.slice(start, end))
  return text.slice(at, fault === undefined ? end + 1 : start + fault + 1)
}

function endOfLine(text: string, from: number): number {
  const length = /[\n\r]/.exec(text.slice(from))?.index
  return length === undefined ? text.length : from + length
}

interface Unread {
  readonly text: string
  readonly from: number
  readonly mark: string
  readonly raw: boolean
}

function endOfString({ text, from, mark, raw }: Unread): number | undefined {
  for (let i = from; i < text.length; i++) {
    if (text.startsWith(mark, i)) return i
    const character = text[i]
    if (character === '\\' && !raw) i++
    else if (mark.length === 1 && (character === '\n' || character === '\r')) return undefined
  }
  return undefined
}
