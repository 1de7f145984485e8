// Sets of the completion indexes of a Job, and their text: `0-2,4`.

/** The indexes below `end`. */
export function indexesIn(text: string | undefined, end = Number.POSITIVE_INFINITY): Set<number> {
  const indexes = new Set<number>()
  for (const part of (text ?? '').split(',')) {
    const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part) ?? []
    if (from === undefined) continue
    for (let index = Number(from); index <= Number(to) && index < end; index++) indexes.add(index)
  }
  return indexes
}

/** Two consecutive indexes are written one by one, three as a range. */
export function textOfIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].toSorted((a, b) => a - b)
  const parts: string[] = []
  for (let at = 0; at < sorted.length; ) {
    let last = at
    while (sorted[last + 1] === sorted[last]! + 1) last += 1
    const [from, to] = [sorted[at]!, sorted[last]!]
    parts.push(last === at ? `${from}` : last === at + 1 ? `${from},${to}` : `${from}-${to}`)
    at = last + 1
  }
  return parts.join(',')
}
