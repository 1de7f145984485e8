// Shard selectors (R-116) select a part of a collection for a list or a watch, by ranges of the hash of a field. The text is a small subset
// of CEL: calls of `shardRange`, joined by `||`.
import { fnv64a } from '../lib/fnv64a.ts'
import { quoted } from './field-error.ts'
import { ApiError } from './status.ts'

export type ShardField = 'uid' | 'namespace'

interface HashRange {
  readonly start: bigint
  /** The end is not in the range. */
  readonly end: bigint
}

export interface ShardSelector {
  readonly field: ShardField
  readonly ranges: readonly HashRange[]
  /** The form that clients see. Selectors with the same ranges in the same order have the same text. */
  readonly text: string
}

/** `value` is the value of the selector's field. */
export function matchesShard({ ranges }: ShardSelector, value: string): boolean {
  const hash = fnv64a(Buffer.from(value))
  return ranges.some(({ start, end }) => start <= hash && hash < end)
}

/** Undefined: the parameter is absent or empty. Throws `ApiError` `BadRequest`. */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === '') return undefined
  if (text.length > LONGEST) throw invalid(`it has ${text.length} characters, ${LONGEST} are allowed`)
  return new ShardParser(tokensOf(text)).parse()
}

/** The limit in characters, because every object is compared with each range. Such a text has more ranges than clients need. */
const LONGEST = 10_000

const FIELDS: ReadonlyMap<string, ShardField> = new Map([
  ['object.metadata.uid', 'uid'],
  ['object.metadata.namespace', 'namespace'],
])

interface Token {
  readonly kind: 'name' | 'text' | 'sign' | 'end'
  /** Texts have no quotes here. */
  readonly value: string
}

const END: Token = { kind: 'end', value: '' }

function tokensOf(text: string): readonly Token[] {
  const token =
    /\s+|\/\/[^\n]*|(?<name>[A-Za-z_]\w*)|'(?<single>[^'\\\n]*)'|"(?<double>[^"\\\n]*)"|(?<sign>\|\||[().,])/y
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const found = token.exec(text)
    if (found === null) throw invalid(`unexpected ${quoted(text.slice(at, at + 20))}`)
    at += found[0].length
    const { name, single, double, sign } = found.groups ?? {}
    const value = single ?? double
    if (name !== undefined) tokens.push({ kind: 'name', value: name })
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign })
    else if (value !== undefined) tokens.push({ kind: 'text', value })
  }
  if (tokens.length === 0) {
    throw invalid('empty shard selector is not allowed; omit the parameter for unfiltered lists')
  }
  return tokens
}

interface Call {
  readonly path: string
  readonly start: string
  readonly end: string
}

class ShardParser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): ShardSelector {
    const calls: Call[] = []
    let depth = 0
    // Only `||` joins calls, so parentheses change nothing. The parentheses must still be balanced.
    do {
      for (; this.#takes('('); depth++);
      calls.push(this.#call())
      for (; depth > 0 && this.#takes(')'); depth--);
    } while (this.#takes('||'))
    if (depth > 0) this.#expect(')')
    if (this.#token.kind !== 'end') throw this.#unexpected('|| or the end')
    return selectorOf(calls)
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? END
  }

  #call(): Call {
    const { kind, value } = this.#token
    if (kind !== 'name') throw this.#unexpected('a shardRange() call')
    this.#at++
    this.#expect('(')
    if (value !== 'shardRange') {
      throw invalid(`unsupported function ${quoted(value)}; only shardRange() and || are allowed`)
    }
    const given: Token[] = []
    while (!this.#takes(')')) {
      if (given.length > 0) this.#expect(',')
      given.push(this.#argument())
    }
    const [path, start, end] = given
    if (path === undefined || start === undefined || end === undefined || given.length > 3) {
      throw invalid(`shardRange() requires exactly 3 arguments, got ${given.length}`)
    }
    if (path.kind !== 'name') {
      throw invalid('shardRange() first argument: expected field path (e.g. object.metadata.uid)')
    }
    return { path: path.value, start: boundOf(start, 'hexStart'), end: boundOf(end, 'hexEnd') }
  }

  #argument(): Token {
    const first = this.#token
    if (first.kind !== 'name' && first.kind !== 'text') throw this.#unexpected('a field path or a text')
    this.#at++
    if (first.kind === 'text') return first
    const names = [first.value]
    while (this.#takes('.')) {
      const { kind, value } = this.#token
      if (kind !== 'name') throw this.#unexpected('the name of a field')
      this.#at++
      names.push(value)
    }
    return { kind: 'name', value: names.join('.') }
  }

  #takes(sign: string): boolean {
    const { kind, value } = this.#token
    const isTaken = kind === 'sign' && value === sign
    if (isTaken) this.#at++
    return isTaken
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#unexpected(sign)
  }

  #unexpected(wanted: string): ApiError {
    const { kind, value } = this.#token
    return invalid(`expected ${wanted}, found ${kind === 'end' ? 'the end' : quoted(value.slice(0, 20))}`)
  }
}

/** Bounds have 16 digits. The only other bound is 2^64, the end of the last range. */
const BOUND = /^0x(?:[0-9a-f]{16}|10{16})$/

function boundOf({ kind, value }: Token, name: string): string {
  if (kind !== 'text') throw invalid(`${name} must be a string literal (e.g. '0xff')`)
  const shown = quoted(value.slice(0, 40))
  if (!value.startsWith('0x')) throw invalid(`${name} must have '0x' prefix, got ${shown}`)
  if (BOUND.test(value)) return value
  const hint = /^0x[0-9a-f]{1,15}$/.test(value) ? ` (did you mean "0x${value.slice(2).padStart(16, '0')}"?)` : ''
  throw invalid(`${name} must be a 0x-prefixed 16-digit hex value, got ${shown}${hint}`)
}

function selectorOf(calls: readonly Call[]): ShardSelector {
  const [{ path: key }] = calls as readonly [Call, ...Call[]]
  const ranges = calls.map(({ path, start, end }): HashRange => {
    if (!FIELDS.has(path)) {
      throw invalid(`unsupported field path ${quoted(path)}; supported: ${[...FIELDS.keys()].join(', ')}`)
    }
    if (path !== key) throw invalid(`all shard ranges must use the same field, got ${quoted(key)} and ${quoted(path)}`)
    const range = { start: BigInt(start), end: BigInt(end) }
    if (range.start >= range.end) throw invalid(`shard range start ${start} must be less than end ${end}`)
    return range
  })
  const text = calls.map(({ path, start, end }) => `shardRange(${path}, '${start}', '${end}')`).join(' || ')
  return { field: FIELDS.get(key)!, ranges, text }
}

function invalid(detail: string): ApiError {
  return new ApiError('BadRequest', `invalid shard selector: ${detail}`)
}
