// Finds the path of a place in a document by indentation: the document is seldom valid during an edit.

export interface Position {
  /** The keys on the path, without the items of lists. */
  readonly path: readonly string[]
  /** The key of the value at the place. Undefined: the user writes a key. */
  readonly key: string | undefined
}

interface Line {
  /** The column of the first dash. Undefined: the line has no dash. */
  readonly dash: number | undefined
  /** The column of the key or value. */
  readonly indent: number
  readonly key: string | undefined
}

const LINE = /^( *)((?:- +)*)(?:(["']?)([^\s"':#][^"':#]*)\3:(?= |$))?/

/** `before`: the text before the place. */
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
