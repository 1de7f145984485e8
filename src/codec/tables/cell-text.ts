// Values as text: cells that show any value, and cells in JSON.
import { isList } from '../../api/value.ts'
import type { Value } from '../../api/value.ts'

/** Strings and numbers as they are, the rest as compact JSON. */
export function formatCell(value: Value): string {
  return typeof value === 'string' ? value : jsonText(value)
}

/** Compact JSON with the escapes that all our answers have (R-001). */
export function jsonText(value: Value): string {
  if (typeof value === 'bigint') return String(value)
  if (value === null || typeof value !== 'object') return escape(JSON.stringify(value))
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`
  return `{${Object.entries(value)
    .map(([key, member]) => `${escape(JSON.stringify(key))}:${jsonText(member)}`)
    .join(',')}}`
}

function escape(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
