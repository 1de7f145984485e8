// Protobuf from the JSON that is stored, one object after another: how lists and watches are served to those who ask for protobuf.
// Texts go from buffer to buffer; only what is not in the form that we store is parsed.
import { formatGroupVersion } from '../api/object.ts'
import { isMap, type ValueMap } from '../api/value.ts'
import { InvariantError } from '../lib/errors.ts'
import type { KindSchema, ObjectShape } from '../schema/table.ts'
import { ProtobufEncoder } from './protobuf-encode.ts'
import { ProtobufTranscoder } from './protobuf-transcode.ts'
import { ENVELOPE_TAIL, writeEnvelopeHead } from './protobuf.ts'
import { parseJson } from './stored-json.ts'

/** Not shared by what runs at the same time; but nothing here waits. */
export class StoredProtobuf {
  readonly #transcoder = new ProtobufTranscoder()

  /** An object in its envelope. */
  object(kind: KindSchema, json: Buffer): Buffer {
    const encoder = this.#message(kind.shape, json, ENVELOPE_TAIL)
    const size = encoder.length - ENVELOPE_TAIL.length
    writeEnvelopeHead(encoder, { apiVersion: formatGroupVersion(kind), kind: kind.kind }, size)
    return encoder.finish()
  }

  /** An object as an item of a list; every list has its items in field 2. */
  listItem(kind: KindSchema, json: Buffer): Buffer {
    const encoder = this.#message(kind.shape, json, NOTHING)
    encoder.close(2, 0)
    return encoder.finish()
  }

  #message(shape: ObjectShape, json: Buffer, tail: Uint8Array): ProtobufEncoder {
    const encoder = new ProtobufEncoder(json.length)
    encoder.bytes(tail)
    if (this.#transcoder.write(encoder, shape, json)) return encoder
    const again = new ProtobufEncoder(json.length)
    again.bytes(tail)
    again.object(shape, parsed(json))
    return again
  }
}

const NOTHING: Uint8Array = new Uint8Array(0)

function parsed(json: Buffer): ValueMap {
  const object = parseJson(json)
  if (!isMap(object)) throw new InvariantError('what is stored is not an object')
  return object
}
