// Header values are UTF-8 in this API, while Node takes and gives each byte as one character. A value that would not arrive
// unchanged must not be sent at all: it could be another user's name.

const PLAIN = /^[\x20-\x7e]*$/
/** Control characters, except the tab. */
const CONTROL = /[^\t -~\u0080-\uffff]/
const BORDER_SPACE = /^[ \t]|[ \t]$/

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a received header. Undefined: its bytes are not UTF-8. */
export function readHeaderText(value: string): string | undefined {
  if (PLAIN.test(value)) return value
  try {
    return decoder.decode(Buffer.from(value, 'latin1'))
  } catch {
    return undefined
  }
}

/** The text in the form that Node sends. Undefined: the other side would not read the same text. */
export function writeHeaderText(text: string): string | undefined {
  if (BORDER_SPACE.test(text)) return undefined
  if (PLAIN.test(text)) return text
  return CONTROL.test(text) || !text.isWellFormed() ? undefined : Buffer.from(text).toString('latin1')
}

/** Whether a received value may be passed on unchanged. */
export function isHeaderValue(value: string): boolean {
  return !CONTROL.test(value)
}

/** Percent-encodes the bytes that a header's name cannot have. */
export function escapeHeaderName(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replace(/[^!#$&'*+.^_`|~\-0-9a-z]/gi, percentEncoded)
}

export function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/** Reverses `escapeHeaderName`. The key is in lower case, because names have no case. A part with an invalid escape is not decoded. */
export function unescapeHeaderName(part: string): string {
  const lower = part.toLowerCase()
  try {
    return decodeURIComponent(lower)
  } catch {
    return lower
  }
}
