// Where in a document a place is, by its indentation: while one writes, the document is seldom whole.

export interface Position {
  /** The keys that lead there; items of lists are not counted. */
  readonly path: readonly string[]
  /** The key that is being given a value; undefined: a key is being written. */
  readonly key: string | undefined
}

interface Line {
  /** Where its dash is; undefined: it has none. */
  readonly dash: number | undefined
  /** Where its key or value begins. */
  readonly indent: number
  readonly key: string | undefined
}

const LINE = /^( *)((?:- +)*)(?:(["']?)([^\s"':#][^"':#]*)\3:(?= |$))?/

/** `before`: the text up to the place. */
export function positionAt(before: string): Position {
  const lines = before.split('\n')
  const current = readLine(lines.pop() ?? '')
  const path: string[] = []
  let limit = current.dash === undefined ? current.indent : current.dash + 1
  for (const line of lines.toReversed().map(readLine)) {
    if (line.key === undefined || line.indent >= limit) continue
    path.unshift(line.key)
    limit = line.dash === undefined ? line.indent : line.dash + 1
    if (limit === 0) break
  }
  return { path, key: current.key }
}

function readLine(text: string): Line {
  const [, spaces = '', dashes = '', , key] = LINE.exec(text) ?? []
  return { dash: dashes === '' ? undefined : spaces.length, indent: spaces.length + dashes.length, key }
}
