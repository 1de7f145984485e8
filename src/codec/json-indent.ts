// Pretty JSON: compact JSON laid out again with two blanks a level, as the reference does. Works on text, so that stored
// bytes need not be parsed for it.

/** Lays out compact JSON, which must be valid. No line break at the end. */
export function indentJson(compact: string): string {
  let out = ''
  let depth = 0
  let start = 0
  for (let i = 0; i < compact.length; i++) {
    const code = compact.charCodeAt(i)
    if (code === 0x22) {
      i = endOfString(compact, i)
      continue
    }
    const opens = code === 0x7b || code === 0x5b
    const closes = code === 0x7d || code === 0x5d
    if (!opens && !closes && code !== 0x2c && code !== 0x3a) continue
    if (closes) {
      depth -= 1
      out += `${compact.slice(start, i)}\n${blanks(depth)}${compact.charAt(i)}`
    } else if (opens && (compact.charCodeAt(i + 1) | 0x20) === 0x7d) {
      // An empty map or list stays as it is.
      i += 1
      out += compact.slice(start, i + 1)
    } else {
      if (opens) depth += 1
      out += compact.slice(start, i + 1) + (code === 0x3a ? ' ' : `\n${blanks(depth)}`)
    }
    start = i + 1
  }
  return out + compact.slice(start)
}

function blanks(depth: number): string {
  return '  '.repeat(depth)
}

/** The place of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== 0x22 && at < text.length; code = text.charCodeAt(at)) {
    at += code === 0x5c ? 2 : 1
  }
  return at
}
