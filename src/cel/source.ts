// Lines and columns of an expression, and how issues are shown with them.

/** An issue at an offset of the text. Undefined: it is about the whole text. */
export interface SourceIssue {
  readonly message: string
  readonly at: number | undefined
}

export interface Location {
  readonly line: number
  readonly column: number
}

/** From 1, in characters; nowhere is line -1, column 0, as the reference has it. */
export function locate(text: string, at: number | undefined): Location {
  if (at === undefined) return { line: -1, column: 0 }
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1
  return { line, column }
}

/** Every issue with its line and a mark under it, in the order of the text. */
export function describeIssues(text: string, issues: readonly SourceIssue[]): string {
  const lines = text.split('\n')
  return inOrder(issues)
    .map((issue) => {
      // The reference has no place in nothing.
      if (text === '') return `ERROR: <input>:1:0: ${issue.message}`
      const { line, column } = locate(text, issue.at)
      const head = `ERROR: <input>:${line}:${column}: ${issue.message}`
      const shown = lines[line - 1]
      if (issue.at === undefined || shown === undefined) return head
      return `${head}\n | ${shown.replaceAll('\t', ' ')}\n | ${markUnder(shown, column)}`
    })
    .join('\n')
}

export function inOrder(issues: readonly SourceIssue[]): readonly SourceIssue[] {
  return [...issues].sort((a, b) => (a.at ?? -1) - (b.at ?? -1))
}

/** Characters beyond ASCII are as wide as two, and so are the dots under them. */
function markUnder(line: string, column: number): string {
  const characters = Array.from(line)
  const dots = characters.slice(0, column - 1).map((character) => (isWide(character) ? '．' : '.'))
  return `${dots.join('')}${isWide(characters[column - 1] ?? '') ? '＾' : '^'}`
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f
}
