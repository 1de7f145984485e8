// Pods as another server stores them, and what reads them, for tests of stores, which know no kind.
import type { ApiObject } from '../../src/api/object.ts'
import { canonicalJson } from '../../src/codec/json-encode.ts'
import { ProtobufError } from '../../src/wire/protobuf-error.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf, isProtobuf } from '../../src/codec/protobuf.ts'
import { decodeAnyJson, type DecodeForeign } from '../../src/store/foreign.ts'
import { kindOf } from './built-in-kinds.ts'

const POD = kindOf('Pod')

export function protobufPod(object: ApiObject): Buffer {
  return encodeProtobuf(POD, object)
}

export const decodePods: DecodeForeign = (bytes, key) => {
  if (!isProtobuf(bytes)) return decodeAnyJson(bytes, key)
  try {
    return { kind: 'object', bytes: Buffer.from(canonicalJson(decodeRaw(POD, decodeProtobuf(bytes).raw), POD)) }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error
    return { kind: 'unreadable', problem: 'the stored data is not an object' }
  }
}
