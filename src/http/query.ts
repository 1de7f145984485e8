// Query parameters as the API reads them: the first value of a name counts.
import { unescape } from 'node:querystring'

export interface Query {
  /** The first value; undefined if the name does not occur, `''` if it has no value. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
  has(name: string): boolean
  /** Without repetitions. */
  names(): Iterable<string>
  /** The first malformed pair: it has a semicolon or a bad escape. The reference ignores it silently. */
  readonly broken: string | undefined
}

const NONE: Query = {
  get: () => undefined,
  all: () => [],
  has: () => false,
  names: () => [],
  broken: undefined,
}

/** `search` is the text after the `?`. The platform's parser is not used, because it takes twenty seconds for a megabyte of empty pairs. */
export function parseQuery(search: string): Query {
  if (search === '') return NONE
  const values = new Map<string, string[]>()
  let broken: string | undefined
  for (const pair of search.split('&')) {
    if (pair === '') continue
    if (isBroken(pair)) {
      broken ??= pair
      continue
    }
    const at = pair.indexOf('=')
    const name = readable(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : readable(pair.slice(at + 1))
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return {
    get: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
    names: () => values.keys(),
    broken,
  }
}

function readable(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? unescape(spaced) : spaced
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

function isBroken(text: string): boolean {
  return text.includes(';') || (text.includes('%') && BAD_ESCAPE.test(text))
}

/** An absent value, `0`, and `false` in upper or lower case are false. Every other value is true, even an empty one. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}
