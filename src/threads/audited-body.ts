// Makes the text of a body for the audit log: JSON without secrets, from any encoding.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { type AuditedBody, redacted } from '../audit/redact.ts'
import { convert, type SourceEncoding } from '../codec/convert.ts'
import type { SchemaTable } from '../schema/table.ts'
import { bufferOf } from './messages.ts'

/** Undefined: the body cannot be read, is nested too deep or must not be kept. */
export function auditedText({ bytes, contentType, ...options }: AuditedBody, kinds: SchemaTable): string | undefined {
  try {
    const from = encodingOf(contentType)
    const json = from === 'json' ? bufferOf(bytes) : convert(bufferOf(bytes), { from, to: 'json', kinds, now: 0 }).bytes
    const told = redacted(parseJsonText(json.toString()), options)
    return told === undefined ? undefined : jsonText(told)
  } catch {
    // A body that cannot be converted must not fail its request.
    return undefined
  }
}

/** The approximate time to make the text, in milliseconds. */
export function auditingCost({ bytes, contentType }: AuditedBody): number {
  return bytes.length / (encodingOf(contentType) === 'json' ? JSON_BYTES_PER_MS : OTHER_BYTES_PER_MS)
}

const JSON_BYTES_PER_MS = 2000
const OTHER_BYTES_PER_MS = 500

function encodingOf(contentType: string): SourceEncoding {
  if (contentType.includes('protobuf')) return 'protobuf'
  if (contentType.includes('yaml')) return 'yaml'
  return contentType.includes('cbor') ? 'cbor' : 'json'
}
