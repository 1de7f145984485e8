// A worker thread encodes JSON that is too large to be encoded within a turn of the event loop.
import type { GroupVersionKind } from '../api/object.ts'

export interface OtherForm {
  readonly encoding: 'yaml' | 'cbor' | 'protobuf'
  /** The kind, by which texts differ from bytes. Undefined: it is unknown or a custom kind. */
  readonly kind: GroupVersionKind | undefined
  /** The value is an item of this list. Absent: it is a whole document. */
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

/** YAML and CBOR begin without the head of a document. Throws `CancelledError` when the caller's signal fires. */
export type WriteElsewhere = (json: Buffer, form: OtherForm, asker: Asker) => Promise<Buffer>

/** For smaller values the way to a thread costs more than the work. */
const LARGE_BYTES = 64 * 1024

export function isLarge(json: Buffer): boolean {
  return json.length >= LARGE_BYTES
}

export interface ElsewhereTools {
  /** Absent: all is written here. */
  readonly writeElsewhere?: WriteElsewhere
  readonly asker?: Asker
  /** Called when the encoding continues after a wait. */
  readonly resume?: () => void
}

/** Undefined: encode the value here. */
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
