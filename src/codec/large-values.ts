// A worker thread encodes JSON that is too large to be encoded within a turn of the event loop.
import type { GroupVersionKind } from '../api/object.ts'

export interface OtherForm {
  readonly encoding: 'yaml' | 'cbor' | 'protobuf'
  /** The kind, which tells texts from bytes. Undefined: the kind is unknown or custom. */
  readonly kind: GroupVersionKind | undefined
  /** The value is an item of this list. Absent: the value is a whole document. */
  readonly list?: ListPlace
}

export interface ListPlace {
  readonly key: 'items' | 'rows'
  /** The number of the list's field in protobuf. */
  readonly number?: number
  /** Items have a kind and an apiVersion. */
  readonly isTyped: boolean
}

/** The client that requested the value. */
export interface Asker {
  readonly user: string
  readonly signal: AbortSignal
}

/** Encodes JSON in a worker thread. YAML and CBOR have no document head. Throws `CancelledError` when the caller's signal fires. */
export type WriteElsewhere = (json: Buffer, form: OtherForm, asker: Asker) => Promise<Buffer>

/** Passing smaller values to a thread costs more than encoding them. */
const LARGE_BYTES = 64 * 1024

export function isLarge(json: Buffer): boolean {
  return json.length >= LARGE_BYTES
}

export interface ElsewhereTools {
  /** Absent: this thread encodes all values. */
  readonly writeElsewhere?: WriteElsewhere
  readonly asker?: Asker
  /** Called when the encoding continues after a wait. */
  readonly resume?: () => void
}

/** The value, as a worker thread encodes it. Undefined: the caller must encode the value itself. */
export function writtenElsewhere(
  { writeElsewhere, asker = NO_CLIENT, resume }: ElsewhereTools,
  json: Buffer,
  form: OtherForm,
): Promise<Buffer> | undefined {
  if (!isLarge(json)) return undefined
  return writeElsewhere?.(json, form, asker).then((bytes) => {
    resume?.()
    return bytes
  })
}

const NO_CLIENT: Asker = { user: '', signal: new AbortController().signal }
