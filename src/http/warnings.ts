// The `Warning` headers of an answer (R-273, P-233), cut to the length that clients accept.

/**
 * The largest number of characters of all warnings together. If the texts have more, each text is cut to `SHORT`, and the last texts are
 * left out.
 */
const BUDGET = 4096
const SHORT = 256

export class WarningList {
  readonly #texts = new Set<string>()
  /** The number of characters of all texts, if each text is cut to `SHORT`. */
  #shortRunes = 0

  /** Adds a text once. */
  add(text: string): void {
    // Once the texts fill `BUDGET`, `headers` would leave out later texts.
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

/** The first `most` runes of a text. */
function runesOf(text: string, most: number): readonly string[] {
  return Array.from(text.slice(0, 2 * most)).slice(0, most)
}

/**
 * Escapes quotes and backslashes, and returns the bytes of the text in UTF-8 as characters: Node writes each character of a header as one
 * byte.
 */
function headerText(text: string): string {
  return Buffer.from(text.replace(/["\\]/g, '\\$&')).toString('latin1')
}
