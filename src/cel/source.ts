// Finds lines and columns in an expression, and shows issues with them.

/** An issue at an offset of the text. Undefined: it is about the whole text. */
export interface SourceIssue {
  readonly message: string
  readonly at: number | undefined
}

export interface Location {
  readonly line: number
  readonly column: number
}

/** The reference's limits: it only counts further issues, and does not show longer lines. */
export const MOST_ISSUES = 100
const LONGEST_LINE = 16_384

/** Lines and columns count from 1. Columns are in characters. An unknown place is line -1, column 0, as in the reference. */
export function locate(text: string, at: number | undefined): Location {
  if (at === undefined) return { line: -1, column: 0 }
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++
    start = end + 1
  }
  return { line, column: charactersIn(text.slice(start, at)) + 1 }
}

function charactersIn(text: string): number {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text) ? text.length : Array.from(text).length
}

/** Every issue with its line and a mark under it, in the order of the text. */
export function describeIssues(text: string, issues: readonly SourceIssue[]): string {
  const lines = text.split('\n')
  const more = issues.length > MOST_ISSUES ? [`${issues.length - MOST_ISSUES} more errors were truncated`] : []
  return inOrder(issues.slice(0, MOST_ISSUES))
    .map((issue) => {
      // For an empty text, the reference always shows 1:0.
      if (text === '') return `ERROR: <input>:1:0: ${issue.message}`
      const { line, column } = locate(text, issue.at)
      const head = `ERROR: <input>:${line}:${column}: ${issue.message}`
      const shown = lines[line - 1]
      if (issue.at === undefined || shown === undefined || shown.length > LONGEST_LINE) return head
      return `${head}\n | ${shown.replaceAll('\t', ' ')}\n | ${markUnder(shown, column)}`
    })
    .concat(more)
    .join('\n')
}

export function inOrder(issues: readonly SourceIssue[]): readonly SourceIssue[] {
  return [...issues].sort((a, b) => (a.at ?? -1) - (b.at ?? -1))
}

/** Characters beyond ASCII are twice as wide, so wide dots stand under them. */
function markUnder(line: string, column: number): string {
  const characters = Array.from(line)
  const dots = characters.slice(0, column - 1).map((character) => (isWide(character) ? '．' : '.'))
  return `${dots.join('')}${isWide(characters[column - 1] ?? '') ? '＾' : '^'}`
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f
}
