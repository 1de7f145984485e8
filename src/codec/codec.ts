// The front door: objects to bytes in any encoding. The way back begins in `request-body.ts`; what an answer is written in is
// found by `negotiate.ts`; lists and watches are written by `list-writer.ts` and `watch-frames.ts`.
import type { ValueMap } from '../api/value.ts'
import { decodeObject } from '../schema/decode.ts'
import type { KindSchema } from '../schema/table.ts'
import { encodeCbor } from './cbor-encode.ts'
import { encodeJson } from './json-encode.ts'
import { encodeProtobuf } from './protobuf.ts'
import { emitYaml } from './yaml-emit.ts'

/** How one object is written. A watch in CBOR is a sequence of such. */
export type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor'

/** An object of a kind in an encoding; JSON is compact. What its kind does not know is left out. */
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
