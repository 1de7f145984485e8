// The `Warning` headers of an answer (R-273, P-233): not more of them than clients are ready to read.

/** Runes in all; beyond that every text is cut to `SHORT`, and what still does not fit is left out. */
const BUDGET = 4096
const SHORT = 256

export function formatWarnings(texts: readonly string[]): string[] {
  const printable = texts.filter((text) => !/\p{Cc}/u.test(text)).map((text) => Array.from(text))
  const total = printable.reduce((sum, runes) => sum + runes.length, 0)
  let left = BUDGET
  const lines: string[] = []
  for (const runes of printable) {
    const kept = total > BUDGET ? runes.slice(0, SHORT) : runes
    left -= kept.length
    if (left < 0) break
    lines.push(`299 - "${headerText(kept.join(''))}"`)
  }
  return lines
}

/** Quotes and backslashes escaped, and as bytes of UTF-8: header values are bytes to Node, one a character. */
function headerText(text: string): string {
  return Buffer.from(text.replace(/["\\]/g, '\\$&')).toString('latin1')
}
