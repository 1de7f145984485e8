// Suggests a known word for one that is mistyped.

/** The word with the fewest edits, if it is near enough to be a slip of the finger. */
export function closestWord(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3))
  let best: string | undefined
  let fewest = limit + 1
  for (const candidate of known) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) {
      fewest = edits
      best = candidate
    }
  }
  return best
}

/** `; did you mean --secure-port?`, to be put behind a message; empty where nothing is near. */
export function suggestion(word: string, known: Iterable<string>, prefix = ''): string {
  const meant = closestWord(word, known)
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`
}

/** How many letters must be put in, taken out or changed to make one word of the other. */
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
