// The names of JSON members in expressions (P-336): reserved words and characters that identifiers cannot have are escaped.

/** The reserved words. A variable cannot have such a name. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)
/** The reserved words and the words of the grammar. A field with such a name also has its escaped name. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([...RESERVED_WORDS, 'true', 'false', 'null', 'in'])

const IDENTIFIER = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const ESCAPABLE = /^[a-zA-Z_][a-zA-Z0-9_.\-/]*$/
const SPELLED: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text) && !RESERVED_NAMES.has(text)
}

/** Undefined: the name cannot be escaped to an identifier. */
export function escapeName(name: string): string | undefined {
  if (RESERVED_NAMES.has(name)) return `__${name}__`
  if (!ESCAPABLE.test(name)) return undefined
  return name.replace(/__|[.\-/]/g, (found) => SPELLED[found] ?? found)
}
