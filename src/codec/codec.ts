// The front door: encodes objects in any encoding. Decoding begins in `request-body.ts`. `negotiate.ts` finds the encoding of an
// answer. `list-writer.ts` and `watch-frames.ts` write lists and watches.
import type { ValueMap } from '../api/value.ts'
import { decodeObject } from '../schema/decode.ts'
import type { KindSchema } from '../schema/table.ts'
import { encodeCbor } from './cbor-encode.ts'
import { encodeJson } from './json-encode.ts'
import { encodeProtobuf } from './protobuf.ts'
import { emitYaml } from './yaml-emit.ts'

/** The encoding of one object. A watch in CBOR is a sequence of objects. */
export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor'

/** Encodes an object of a kind. JSON is compact. Unknown fields are left out. */
export function encodeObject(object: ValueMap, kind: KindSchema, encoding: Encoding): Buffer {
  if (encoding === 'json') return encodeJson(object, kind)
  const canonical = kind.custom === true ? object : decodeObject(object, kind.shape).value
  switch (encoding) {
    case 'yaml':
      return Buffer.from(emitYaml(canonical))
    case 'protobuf':
      return encodeProtobuf(kind, canonical)
    case 'cbor':
      return encodeCbor(canonical, kind)
  }
}
