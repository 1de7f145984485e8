// The front door for lists: written in any encoding, at the reader's pace.
import type { Encoding } from './codec.ts'
import { writeJsonList } from './list-json.ts'
import type { Bundle, ListDocument } from './list-json.ts'
import { writeProtobufList } from './list-protobuf.ts'
import type { EncodingTools } from './list-protobuf.ts'
import { writeCborList, writeYamlList } from './list-values.ts'

export interface ListOutput {
  readonly encoding: Encoding
  /** Only JSON can be. */
  readonly pretty: boolean
}

/**
 * The list, piece by piece. JSON and YAML hold a few items at a time, protobuf a bounded part of the list, CBOR all of it as
 * its bytes. Errors of the
 * items come through; nothing is promised of what was written before.
 */
export function writeList(
  list: ListDocument,
  output: ListOutput,
  tools: EncodingTools,
): AsyncGenerator<Buffer> | AsyncGenerator<Bundle> {
  switch (output.encoding) {
    case 'json':
      return writeJsonList(list, output)
    case 'yaml':
      return writeYamlList(list, tools)
    case 'cbor':
      return writeCborList(list, tools)
    case 'protobuf':
      return writeProtobufList(list, tools)
  }
}
