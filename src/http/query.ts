// Query parameters as the API reads them: the first value of a name wins.

export interface Query {
  /** The first value; undefined where the name does not occur, `''` where it has no value. */
  get(name: string): string | undefined
  all(name: string): readonly string[]
  has(name: string): boolean
}

const NONE: Query = {
  get: () => undefined,
  all: () => [],
  has: () => false,
}

/** `search` is what follows the `?`. */
export function parseQuery(search: string): Query {
  if (search === '') return NONE
  const parameters = new URLSearchParams(isBroken(search) ? withoutBroken(search) : search)
  return {
    get: (name) => parameters.get(name) ?? undefined,
    all: (name) => parameters.getAll(name),
    has: (name) => parameters.has(name),
  }
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** A pair with a semicolon or with broken percent-encoding is none: the reference leaves it out without a word. */
function isBroken(text: string): boolean {
  return text.includes(';') || (text.includes('%') && BAD_ESCAPE.test(text))
}

function withoutBroken(search: string): string {
  const pairs = search.split('&')
  return pairs.filter((pair) => !isBroken(pair)).join('&')
}

/** `0` and `false` in any case are false; everything else, the empty value too, is true. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}
