// Encodes errors for clients that do not accept JSON.
import type { Status } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { encodeCborValue } from './cbor-encode.ts'
import { encodeProtobuf } from './protobuf.ts'
import { emitYaml } from './yaml-emit.ts'
import { InvariantError } from '../lib/errors.ts'
import type { SchemaTable } from '../schema/table.ts'

type StatusEncoder = (status: Status, encoding: 'protobuf' | 'yaml' | 'cbor') => Buffer

export function openStatusEncoder(schema: SchemaTable): StatusEncoder {
  return (status, encoding) => {
    switch (encoding) {
      case 'protobuf':
        return protobufStatus(schema, status)
      case 'yaml':
        return Buffer.from(emitYaml(status as unknown as ValueMap))
      case 'cbor':
        return encodeCborValue(status as unknown as ValueMap)
    }
  }
}

function protobufStatus(schema: SchemaTable, status: Status): Buffer {
  const kind = schema.kind({ group: '', version: 'v1', kind: 'Status' })
  if (kind === undefined) throw new InvariantError('the schema has no Status')
  return encodeProtobuf(kind, status as unknown as ValueMap)
}
