// The worker thread's side of `large-values.ts`: encodes JSON in another encoding, without the head of a document in CBOR.
import { formatGroupVersion } from '../api/object.ts'
import { isMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import { encodeCborPart } from './cbor-encode.ts'
import type { OtherForm } from './large-values.ts'
import type { EncodingTools } from './list-protobuf.ts'
import { withoutType } from './list-values.ts'
import { parseStoredJson } from './stored-json.ts'
import { emitYaml } from './yaml-emit.ts'

/** The encoded value. In protobuf it is a view of the transcoder's memory: use it before the next call. */
export function writeOtherForm({ schemas, transcoder }: EncodingTools, json: Buffer, form: OtherForm): Buffer {
  const { encoding, list } = form
  const kind = form.kind === undefined ? undefined : schemas.kind(form.kind)
  if (encoding === 'protobuf') {
    if (kind === undefined) throw new InvariantError('the schema does not have the kind')
    if (list?.number !== undefined) return transcoder.field(list.number, kind.shape, json)
    return transcoder.enveloped(kind.shape, { apiVersion: formatGroupVersion(kind), kind: kind.kind }, json)
  }
  const parsed = parseStoredJson(json)
  const value = list?.isTyped === false && isMap(parsed) ? withoutType(parsed) : parsed
  if (encoding === 'cbor') return encodeCborPart(value, kind?.shape)
  return Buffer.from(emitYaml(list === undefined ? value : { [list.key]: [value] }))
}
