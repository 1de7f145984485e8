// The jobs of the thread for large documents: pure functions from a job to its result. Documents travel as JSON, results in
// pieces.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import type { Explanation } from '../api/explanation.ts'
import { ApiError, type StatusDetails, type StatusReason } from '../api/status.ts'
import { isList, type Value, type ValueMap } from '../api/value.ts'
import { encodeCborPart } from '../codec/cbor-encode.ts'
import type { Encoding } from '../codec/codec.ts'
import { BodySyntaxError, readApplied, readDocument, readPatch } from '../codec/request-body.ts'
import { emitYaml } from '../codec/yaml-emit.ts'
import { FieldSetMemo } from '../patch/field-set-memo.ts'
import { type FieldManagerRequest, trackApply, trackUpdate } from '../patch/field-tracking.ts'
import { findConversionFault } from '../patch/from-unstructured.ts'
import { applyJsonPatch } from '../patch/json-patch.ts'
import { managedFieldsOf } from '../patch/managed-fields.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { ConversionMissing, type KindVersions } from '../patch/ownership.ts'
import { applyStrategicMerge } from '../patch/strategic-merge.ts'
import type { KindSchema, ObjectShape, Shape } from '../schema/table.ts'
import { pack, type Packed } from './packed-value.ts'

export type Job =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly encoding: Encoding; readonly schema: KindSchema }
  | { readonly kind: 'readApplied'; readonly bytes: Uint8Array; readonly encoding: 'yaml' | 'cbor' }
  | PatchJob
  | { readonly kind: 'trackUpdate'; readonly request: TrackedRequest; readonly updated: string }
  | { readonly kind: 'trackApply'; readonly request: TrackedRequest; readonly applied: string; readonly force: boolean }
  | WriteJob

export interface PatchJob {
  readonly kind: 'patch'
  readonly type: 'json' | 'merge' | 'strategic'
  readonly patch: Uint8Array
  readonly live: string
  readonly shape: ObjectShape
  /** A JSON patch is read as the reference does where field validation is off. */
  readonly loose: boolean
}

/** A request to a field manager; documents are JSON. */
export interface TrackedRequest extends Omit<FieldManagerRequest, 'versions' | 'live'> {
  readonly live: string
  /** Every version that occurs in managedFields. */
  readonly versions: ReadonlyMap<string, { readonly shape: ObjectShape | undefined; readonly isGivenUp: boolean }>
  /** The object in other versions, by `conversionKey`. */
  readonly conversions: ReadonlyMap<string, string>
}

interface WriteJob {
  readonly kind: 'write'
  readonly encoding: 'yaml' | 'cbor'
  readonly value: string
  /** Tells texts from bytes in CBOR; undefined where it is not known. */
  readonly shape: Shape | undefined
}

interface ReadResult {
  readonly document: Packed
  readonly problems: readonly string[]
}

export interface JobResults {
  readonly read: ReadResult
  readonly readApplied: ReadResult
  /** `fault`: why the patched document cannot be an object of the kind, where a strategic patch finds that out. */
  readonly patch: { readonly patched: Packed; readonly fault: string | undefined }
  /** Entries of managedFields, new or by their place in the list that was there. Undefined: nobody owns anything. */
  readonly trackUpdate: readonly (number | Packed)[] | undefined
  readonly trackApply: Packed
  readonly write: Uint8Array
}

/** What the job throws, as it travels. */
export type Failure =
  | {
      readonly kind: 'refused'
      readonly reason: StatusReason
      readonly message: string
      readonly code: number
      readonly details: StatusDetails | undefined
      readonly explanation: Explanation | undefined
    }
  | { readonly kind: 'syntax'; readonly message: string }
  | { readonly kind: 'conversion'; readonly object: string; readonly apiVersion: string }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string | undefined }

export type Outcome<K extends Job['kind'] = Job['kind']> =
  | { readonly result: JobResults[K] }
  | { readonly failure: Failure }

export function perform(job: Job): Outcome {
  try {
    return { result: resultOf(job) }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

function resultOf(job: Job): JobResults[Job['kind']] {
  switch (job.kind) {
    case 'read': {
      const { value, problems } = readDocument(bufferOf(job.bytes), job.encoding, job.schema)
      return { document: pack(value), problems }
    }
    case 'readApplied': {
      const { document, problems } = readApplied(bufferOf(job.bytes), job.encoding)
      return { document: pack(document), problems }
    }
    case 'patch':
      return patchResult(job)
    case 'trackUpdate':
      return trackedUpdate(managerRequest(job.request), documentOf(job.updated))
    case 'trackApply':
      return pack(trackApply(managerRequest(job.request), documentOf(job.applied), job.force))
    case 'write':
      return written(job)
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function documentOf(json: string): ValueMap {
  return parseJsonText(json) as ValueMap
}

function patchResult({ type, patch, live, shape, loose }: PatchJob): JobResults['patch'] {
  const { document, spelled } = readPatch(bufferOf(patch))
  switch (type) {
    case 'json':
      return { patched: pack(applyJsonPatch(documentOf(live), document, { loose, spelled })), fault: undefined }
    case 'merge':
      return { patched: pack(applyMergePatch(documentOf(live), document)), fault: undefined }
    case 'strategic': {
      const patched = applyStrategicMerge(shape, documentOf(live), document as ValueMap)
      return { patched: pack(patched), fault: findConversionFault(shape, patched) }
    }
  }
}

function trackedUpdate(request: FieldManagerRequest, updated: ValueMap): JobResults['trackUpdate'] {
  const before = entriesOf(request.live)
  const after = managedFieldsOf(trackUpdate(request, updated))
  if (after === undefined) return undefined
  const places = new Map(before.map((entry, place) => [entry, place]))
  return (after as readonly Value[]).map((entry) => places.get(entry) ?? pack(entry))
}

function entriesOf(object: ValueMap): readonly Value[] {
  const list = managedFieldsOf(object)
  return isList(list) ? list : []
}

function managerRequest({ versions, conversions, live, ...rest }: TrackedRequest): FieldManagerRequest {
  const known: KindVersions = {
    shape: (apiVersion) => versions.get(apiVersion)?.shape,
    isGivenUp: (apiVersion) => versions.get(apiVersion)?.isGivenUp === true,
    convert: (object, apiVersion) => {
      const found = conversions.get(conversionKey(jsonText(object), apiVersion))
      if (found === undefined) throw new ConversionMissing(object, apiVersion)
      return documentOf(found)
    },
    sets: new FieldSetMemo(),
  }
  return { ...rest, live: documentOf(live), versions: known }
}

export function conversionKey(object: string, apiVersion: string): string {
  return `${apiVersion} ${object}`
}

function written({ encoding, value, shape }: WriteJob): Uint8Array {
  const document = parseJsonText(value)
  return encoding === 'yaml' ? Buffer.from(emitYaml(document)) : encodeCborPart(document, shape)
}

function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { reason, message, code, details, explanation } = error
    return { kind: 'refused', reason, message, code, details, explanation }
  }
  if (error instanceof BodySyntaxError) return { kind: 'syntax', message: error.message }
  if (error instanceof ConversionMissing) {
    return { kind: 'conversion', object: jsonText(error.object), apiVersion: error.apiVersion }
  }
  const { message, stack } = error as Error
  return { kind: 'fault', message, stack }
}
