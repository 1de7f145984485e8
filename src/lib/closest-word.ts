// Suggests a known word for a misspelt one.

/**
 * Returns the known word with the fewest edits, if it has at most two. Otherwise the known word that has all parts of `word` and the fewest
 * others, or a word that differs in at most a third of the letters.
 */
export function closestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  const candidates = [...known]
  const near = candidates
    .map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.max(2, Math.floor(word.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  const [best] = near
  return best !== undefined && best.edits <= 2
    ? best.candidate
    : (longerWord(wanted.split('-'), candidates) ?? best?.candidate)
}

/** Finds `secure-port` for `port`. */
function longerWord(parts: readonly string[], known: readonly string[]): string | undefined {
  const longer = known.filter((candidate) => parts.every((part) => candidate.toLowerCase().split('-').includes(part)))
  return longer.sort((a, b) => a.split('-').length - b.split('-').length)[0]
}

/** Returns `; did you mean --secure-port?` for the end of a message. Empty: no known word is near. */
export function suggestion(word: string, known: Iterable<string>, prefix = ''): string {
  const meant = closestWord(word, known)
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`
}

/** The number of letters to insert, remove or change to turn one word into the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
