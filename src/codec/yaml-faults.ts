// YAML syntax errors in the reference's words. js-yaml finds the same errors with other messages. Its message, and the text at the position
// of the error, are mapped to the reference's message.

/** Input that is not YAML, or not a value that JSON could hold. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** A fault of characters (`scanner`) or of their order (`parser`). The reference counts lines from 1 for `scanner`, from 0 for `parser`. */
type Fault = { readonly by: 'scanner' | 'parser'; readonly words: string; readonly atEnd?: boolean }

const scanner = (words: string): Fault => ({ by: 'scanner', words })
const parser = (words: string): Fault => ({ by: 'parser', words })

const KEY = parser('did not find expected key')
const DASH = parser("did not find expected '-' indicator")
const CONTENT = parser('did not find expected node content')
const NO_TOKEN = scanner('found character that cannot start any token')
const MAPPING = scanner('mapping values are not allowed in this context')
const SEQUENCE = scanner('block sequence entries are not allowed in this context')

/** The fault and its position, in the form of js-yaml. */
interface Complaint {
  readonly reason: string
  readonly mark?: { readonly position: number; readonly line: number } | undefined
}

/** The reference's message, in one line and without the text of the document. */
export function syntaxMessage(text: string, { reason, mark }: Complaint): string {
  const position = mark?.position ?? 0
  const { by, words, atEnd = false } = faultOf(text, position, reason)
  const line = atEnd ? linesIn(text) : (mark?.line ?? 0)
  // The reference never names the first line.
  return line === 0 ? `yaml: ${words}` : `yaml: line ${by === 'scanner' ? line + 1 : line}: ${words}`
}

function faultOf(text: string, position: number, reason: string): Fault {
  const known = BY_REASON.find(([pattern]) => pattern.test(reason))?.[1]
  if (known === undefined) return parser(reason)
  return typeof known === 'function' ? known(text, position) : known
}

const BY_REASON: readonly (readonly [RegExp, Fault | ((text: string, position: number) => Fault)])[] = [
  [/end of the stream or a document separator/, behindTheRoot],
  [/within a flow collection|missed comma/, inBrackets],
  [/within a (?:single|double) quoted scalar/, scanner('found unexpected end of stream')],
  [/bad indentation of a mapping entry|multiline key/, (text, position) => behindAnEntry(text, position, KEY)],
  [/bad indentation of a sequence entry/, (text, position) => behindAnEntry(text, position, DASH)],
  [/expected ':' after a mapping key/, { ...scanner("could not find expected ':'"), atEnd: true }],
  [/nested mappings|implicit (?:map|block) /, MAPPING],
  [/tab characters/, NO_TOKEN],
  [/unknown escape/, scanner('found unknown escape character')],
  [/hexadecimal/, scanner('did not find expected hexdecimal number')],
  [/non-printable/, scanner('control characters are not allowed')],
  [/expected the node content/, CONTENT],
  [/a line break is expected/, scanner('did not find expected comment or line break')],
  [/indentation width of a block scalar/, scanner('found an indentation indicator equal to 0')],
  [/name of an? (?:alias|anchor)/, scanner('did not find expected alphabetic or numeric character')],
  [/nesting exceeded/, parser('exceeded max depth')],
]

/** The fault of a document that continues after its only value. */
function behindTheRoot(text: string, position: number): Fault {
  const before = text.slice(0, position)
  if (/^\s*$/.test(before) && /[\]},]/.test(text[position] ?? '')) return CONTENT
  if (/^\t/m.test(before)) return NO_TOKEN
  return behindAnEntry(text, position, /^(?:---)?\s*-\s/.test(before) ? DASH : KEY)
}

function behindAnEntry(text: string, position: number, otherwise: Fault): Fault {
  const at = text[position] ?? ''
  if (/[@`%]/.test(at)) return NO_TOKEN
  if (/[\]},]/.test(at)) return CONTENT
  const isWithinLine = /\S/.test(text.slice(text.lastIndexOf('\n', position - 1) + 1, position))
  if (at === ':') return MAPPING
  return isWithinLine && /^-\s/.test(text.slice(position, position + 2)) ? SEQUENCE : otherwise
}

/** The fault of a bracket that is not closed, or is closed by another kind of bracket. */
function inBrackets(text: string, position: number): Fault {
  const atEnd = position >= text.length
  if (/[@`%|>]/.test(text[position] ?? '')) return NO_TOKEN
  const before = text.slice(0, position).trimEnd().at(-1) ?? ''
  if (/[[{,:]/.test(before)) return { ...CONTENT, atEnd }
  return { ...parser(`did not find expected ',' or '${openBracket(text, position) === '{' ? '}' : ']'}'`), atEnd }
}

/** The innermost open bracket. Quotes are not considered, which can change one letter of a message. */
function openBracket(text: string, position: number): string {
  const open: string[] = []
  for (const letter of text.slice(0, position)) {
    if (letter === '[' || letter === '{') open.push(letter)
    else if (letter === ']' || letter === '}') open.pop()
  }
  return open.at(-1) ?? '['
}

function linesIn(text: string): number {
  const breaks = text.split('\n').length - 1
  return text.endsWith('\n') ? breaks : breaks + 1
}
