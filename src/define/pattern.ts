// Regular expressions in the syntax of the API server: RE2, whose time is linear in the text.

export const BEYOND_RE2 =
  'a pattern with lookaround or backreferences, which RE2 leaves out: use several patterns or a CEL rule'

/** Whether a pattern has features that RE2 leaves out because they take more than linear time. */
export function isBeyondRe2(source: string): boolean {
  return /\(\?<?[=!]|\\[1-9]|\\k</.test(source.replaceAll('\\\\', ''))
}

/** The pattern in the syntax of RE2. `refuse` gets a message about the flags `m` and `y`. */
export function re2Pattern({ source, flags }: RegExp, refuse: (message: string) => void): string {
  if (/[my]/.test(flags)) refuse(`the flags "${flags}" of a pattern: leave m and y out`)
  const inline = ['i', 's'].filter((flag) => flags.includes(flag)).join('')
  const written = source.replace(
    /\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})/gi,
    (_, long: string | undefined, short: string) => `\\x{${long ?? short}}`,
  )
  return inline === '' ? written : `(?${inline})${written}`
}
