// The `Warning` headers of an answer (R-273, P-233), cut to what clients accept.

/** The most characters of all warnings together. Beyond it every text is cut to `SHORT`, and no further text is added. */
const BUDGET = 4096
const SHORT = 256

export class WarningList {
  readonly #texts = new Set<string>()
  /** The characters of all texts, each cut to `SHORT`. */
  #shortRunes = 0

  /** Adds a text once. */
  add(text: string): void {
    // Later warnings would be left out.
    if (this.#shortRunes > BUDGET || this.#texts.has(text) || /\p{Cc}/u.test(text)) return
    this.#texts.add(text)
    this.#shortRunes += runesOf(text, SHORT).length
  }

  headers(): string[] {
    let total = 0
    for (const text of this.#texts) total += runesOf(text, BUDGET + 1).length
    let left = BUDGET
    const lines: string[] = []
    for (const text of this.#texts) {
      if (left <= 0) break
      const kept = runesOf(text, total > BUDGET ? SHORT : BUDGET)
      left -= kept.length
      lines.push(`299 - "${headerText(kept.join(''))}"`)
    }
    return lines
  }
}

/** The first runes of a text. */
function runesOf(text: string, most: number): readonly string[] {
  return Array.from(text.slice(0, 2 * most)).slice(0, most)
}

/** Quotes and backslashes escaped, and as bytes of UTF-8: header values are bytes to Node, one a character. */
function headerText(text: string): string {
  return Buffer.from(text.replace(/["\\]/g, '\\$&')).toString('latin1')
}
