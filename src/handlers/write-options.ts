// Reads and validates CreateOptions, UpdateOptions and PatchOptions from the query.
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { isTrue, type Query } from '../http/query.ts'
import { dryRunFaults } from '../registry/delete-options.ts'
import { invalidOptionsError } from '../registry/errors.ts'
import { refuseLossyQuery, WRITE_PARAMETERS } from './lossy-options.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  readonly force: boolean
  /** The options in the form that admission plugins see. */
  readonly body: ValueMap
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

const FIELD_VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn']
const MAX_MANAGER_BYTES = 128

/** Throws `Invalid` for a fault in the options. `isApply`: the patch is an apply. */
export function parseWriteOptions(query: Query, kind: OptionsKind, isApply = false): WriteOptions {
  refuseLossyQuery(query, WRITE_PARAMETERS)
  // An empty value is accepted and has no effect (D21).
  const dryRun = query.all('dryRun').filter((value) => value !== '')
  const fieldManager = query.get('fieldManager') ?? ''
  const fieldValidation = query.get('fieldValidation') ?? ''
  const errors: FieldError[] = []
  if (kind === 'PatchOptions') {
    if (isApply && fieldManager === '')
      errors.push(required(FieldPath.root('fieldManager'), 'is required for apply patch'))
    if (!isApply && query.has('force')) {
      errors.push(forbidden(FieldPath.root('force'), 'may not be specified for non-apply patch'))
    }
  }
  errors.push(...managerFaults(fieldManager), ...dryRunFaults(dryRun))
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    errors.push(notSupported(FieldPath.root('fieldValidation'), fieldValidation, FIELD_VALIDATIONS))
  }
  if (errors.length > 0) throw invalidOptionsError(kind, errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: isTrue(query.get('force')),
    body: optionsBody({ kind, dryRun, fieldManager, fieldValidation }),
  }
}

/** All these characters are valid. Most names have no others; the characters of other names are checked one by one. */
const PRINTABLE_ASCII = /^[ -~]*$/

function managerFaults(manager: string): FieldError[] {
  if (manager.length <= MAX_MANAGER_BYTES && PRINTABLE_ASCII.test(manager)) return []
  const at = FieldPath.root('fieldManager')
  const faults: FieldError[] = []
  if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) faults.push(tooLong(at, MAX_MANAGER_BYTES))
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager)
  if (odd !== null) {
    const code = odd[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    const place = Buffer.byteLength(manager.slice(0, odd.index))
    faults.push(invalid(at, manager, `invalid character U+${code} (at position ${place})`))
  }
  return faults
}

interface Given {
  readonly kind: OptionsKind
  readonly dryRun: readonly string[]
  readonly fieldManager: string
  readonly fieldValidation: string
}

function optionsBody({ kind, dryRun, fieldManager, fieldValidation }: Given): ValueMap {
  const body: Record<string, Value> = { kind, apiVersion: 'meta.k8s.io/v1' }
  if (dryRun.length > 0) body['dryRun'] = dryRun
  if (fieldManager !== '') body['fieldManager'] = fieldManager
  if (fieldValidation !== '') body['fieldValidation'] = fieldValidation
  return body
}

/** The field manager. If the client does not name one, its name comes from the User-Agent (W-248). */
export function managerOf(options: WriteOptions, userAgent: string): string {
  if (options.fieldManager !== '') return options.fieldManager
  const [product] = userAgent.split('/', 1) as [string]
  if (product.length <= MAX_MANAGER_BYTES && PRINTABLE_ASCII.test(product)) return product
  const name = product.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')
  const bytes = Buffer.from(name)
  if (bytes.length <= MAX_MANAGER_BYTES) return name
  let end = MAX_MANAGER_BYTES
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}
