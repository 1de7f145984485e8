// The faults in single fields that validation returns: a constructor for each kind of fault, and the text of the bad value. The messages
// are the reference's, because clients and people read them.
import { GO_ESCAPES } from '../lib/go-escapes.ts'
import { formatNumber } from '../lib/go-float.ts'
import { compareStrings } from '../lib/text-order.ts'
import { croppedText, croppedValue } from './cropped-value.ts'
import { markupSafeJson } from './json-text.ts'
import type { FieldPath } from './field-path.ts'
import type { StatusCause } from './status.ts'
import type { Value, ValueMap } from './value.ts'

/** The `reason` of a cause in a Status. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

export interface FieldError {
  readonly reason: FieldErrorReason
  /** Such as `spec.containers[0].name`, `metadata.labels[a/b]`, `data[k]`. */
  readonly field: string
  /** The text of the cause, without the field: `Invalid value: "x": must be …`. */
  readonly message: string
  /** The bad value. Absent: the message does not show it. */
  readonly value?: Value
}

export function causeOf(error: FieldError): StatusCause {
  return { reason: error.reason, message: error.message, field: error.field }
}

/** A bad value whose text in the message differs from the usual text for its type. */
export class Shown {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The message shows no value: `Invalid value: <detail>`. */
export const OMITTED = new Shown('')

type Shape = Value | Shown | undefined

export function required(at: FieldPath, detail = ''): FieldError {
  return fault('FieldValueRequired', at, withDetail('Required value', detail))
}

export function forbidden(at: FieldPath, detail: string): FieldError {
  return fault('FieldValueForbidden', at, withDetail('Forbidden', detail))
}

export function invalid(at: FieldPath, value: Shape, detail: string): FieldError {
  return faultWithValue('FieldValueInvalid', { at, value, text: 'Invalid value', detail })
}

export function typeInvalid(at: FieldPath, value: Shape, detail: string): FieldError {
  return faultWithValue('FieldValueTypeInvalid', { at, value, text: 'Invalid value', detail })
}

export function duplicate(at: FieldPath, value: Shape, detail = ''): FieldError {
  return faultWithValue('FieldValueDuplicate', { at, value, text: 'Duplicate value', detail })
}

export function notFound(at: FieldPath, value: Shape, detail = ''): FieldError {
  return faultWithValue('FieldValueNotFound', { at, value, text: 'Not found', detail })
}

/** Lists the supported values in the given order. Callers sort the values if the reference keeps them in a set. */
export function notSupported(at: FieldPath, value: Shape, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quoted).join(', ')}`
  return faultWithValue('FieldValueNotSupported', { at, value, text: 'Unsupported value', detail })
}

export function tooLong(at: FieldPath, maxBytes: number): FieldError {
  const detail = `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`
  return fault('FieldValueTooLong', at, `Too long: ${detail}`)
}

export function tooMany(at: FieldPath, count: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`
  return faultWithValue('FieldValueTooMany', { at, value: count, text: 'Too many', detail })
}

export function internalFault(at: FieldPath, detail: string): FieldError {
  return fault('InternalError', at, withDetail('Internal error', detail))
}

/** The form of a string in messages: `"a\tb"`, with unprintable characters escaped. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`
}

/** A value as compact JSON with the characters of markup escaped. Messages show lists, objects and enumerated words in this form. */
export function shownJson(value: Value | undefined): Shown {
  return new Shown(json(value))
}

/** A map as compact JSON with sorted keys. */
export function shownMap(map: ValueMap | undefined): Shown {
  if (map === undefined) return new Shown('null')
  const members = Object.entries(croppedValue(map)).sort(([a], [b]) => compareStrings(a, b))
  return new Shown(`{${members.map(([key, value]) => `${markupSafeJson(key)}:${markupSafeJson(value)}`).join(',')}}`)
}

interface FaultParts {
  readonly at: FieldPath
  readonly value: Shape
  readonly text: string
  readonly detail: string
}

function fault(reason: FieldErrorReason, at: FieldPath, message: string): FieldError {
  return { reason, field: at.toString(), message }
}

function faultWithValue(reason: FieldErrorReason, { at, value, text, detail }: FaultParts): FieldError {
  const field = at.toString()
  if (value === OMITTED) return { reason, field, message: withDetail(text, detail) }
  const message = withDetail(`${text}: ${show(value)}`, detail)
  return value === undefined || value instanceof Shown ? { reason, field, message } : { reason, field, message, value }
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${croppedText(detail)}`
}

function show(value: Shape): string {
  if (value instanceof Shown) return value.text
  if (typeof value === 'number') return formatNumber(value)
  return typeof value === 'string' ? quoted(croppedText(value)) : json(value)
}

const PLAIN = /^[ !#-[\]-~]*$/

function escaped(char: string): string {
  const short = GO_ESCAPES[char]
  if (short !== undefined) return short
  const code = char.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

function json(value: Value | undefined): string {
  return value === undefined ? 'null' : markupSafeJson(croppedValue(value))
}
