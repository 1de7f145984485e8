// The styles of YAML texts: finds the styles that can represent a text, and writes a text in a style, with folding of long lines.

/** The styles that can represent a text, and whether it has several lines. */
export interface TextStyles {
  readonly multiline: boolean
  readonly plain: boolean
  readonly single: boolean
  readonly literal: boolean
}

/** The column at which a text begins, the indentation of its further lines, and whether it may be folded. */
interface TextLine {
  readonly column: number
  readonly indent: string
  readonly folds: boolean
}

/** A line is folded at the first blank after this column. */
const BEST_WIDTH = 80

const BREAK = /[\n\r\u0085\u2028\u2029]/
const FIRST_INDICATOR = /^[#,[\]{}&*!|>'"%@`]|^[?:](?=[ \t]|$)|^-(?=[ \t]|$)|^(?:---|\.\.\.)/
const INNER_INDICATOR = /:(?=[ \t]|$)|[ \t\n\r\u0085\u2028\u2029]#/
/** Characters that must be escaped: controls, the byte order mark, and characters beyond the basic plane. */
const UNPRINTABLE = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/

export function stylesFor(text: string): TextStyles {
  if (text === '') return { multiline: false, plain: true, single: true, literal: false }
  const breaks = BREAK.test(text)
  const special = UNPRINTABLE.test(text)
  const outerBlank = /^[ \n\r\u0085\u2028\u2029]|[ \n\r\u0085\u2028\u2029]$/.test(text)
  const spaceBreak = / [\n\r\u0085\u2028\u2029]/.test(text)
  const breakSpace = /[\n\r\u0085\u2028\u2029] /.test(text)
  return {
    multiline: breaks,
    plain:
      !outerBlank &&
      !breaks &&
      !special &&
      !spaceBreak &&
      !breakSpace &&
      !FIRST_INDICATOR.test(text) &&
      !INNER_INDICATOR.test(text),
    single: !breakSpace && !spaceBreak && !special,
    literal: !text.endsWith(' ') && !spaceBreak && !special,
  }
}

export function writeSingleQuoted(text: string, line: TextLine): string {
  return `'${foldLines(text, { ...line, column: line.column + 1 }, true).replaceAll("'", "''")}'`
}

/** Words beyond the best width go on a new line. Only single blanks can become line breaks. */
export function foldLines(text: string, { column, indent, folds }: TextLine, inQuotes = false): string {
  if (!folds || column + text.length <= BEST_WIDTH) return text
  let out = ''
  let at = column
  let blanks = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (char !== ' ') {
      out += char
      // A quote is written twice. The second half of a surrogate pair does not count.
      at += isLowSurrogate(char) ? 0 : inQuotes && char === "'" ? 2 : 1
      blanks = false
      continue
    }
    const inner = !inQuotes || (i > 0 && i < text.length - 1)
    if (!blanks && at > BEST_WIDTH && inner && text.charAt(i + 1) !== ' ') {
      out += `\n${indent}`
      at = indent.length
    } else {
      out += ' '
      at += 1
    }
    blanks = true
  }
  return out
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0000', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\u000b', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

export function writeDoubleQuoted(text: string, { column, indent, folds }: TextLine): string {
  let out = '"'
  let at = column + 1
  let blanks = false
  const chars = Array.from(text)
  // After a byte order mark the reference escapes everything.
  const all = text.startsWith('\ufeff')
  chars.forEach((char, i) => {
    if (char === ' ' && !all) {
      const fold = folds && !blanks && at > BEST_WIDTH && i > 0 && i < chars.length - 1
      // A blank at the beginning of a line would be lost, so a backslash is put before it.
      const piece = fold ? `\n${indent}${chars[i + 1] === ' ' ? '\\' : ''}` : ' '
      at = fold ? piece.length - 1 : at + 1
      out += piece
      blanks = true
      return
    }
    const piece = escaped(char, all)
    out += piece
    at += piece.length
    blanks = false
  })
  return `${out}"`
}

function escaped(char: string, all: boolean): string {
  const known = ESCAPES.get(char)
  if (known !== undefined) return known
  if (!all && !UNPRINTABLE.test(char)) return char
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

export function writeLiteral(text: string, { indent }: TextLine): string {
  const hint = /^[ \n\r\u0085\u2028\u2029]/.test(text) ? '2' : ''
  const chomping = !BREAK.test(text.slice(-1)) ? '-' : text.length === 1 || BREAK.test(text.slice(-2, -1)) ? '+' : ''
  const lines = text.split(/(?<=[\n\r\u0085\u2028\u2029])/)
  const body = lines.map((line) => (BREAK.test(line.charAt(0)) ? line : indent + line)).join('')
  return `|${hint}${chomping}\n${body}`
}

function isLowSurrogate(char: string): boolean {
  const code = char.charCodeAt(0)
  return code >= 0xdc00 && code <= 0xdfff
}
