// The front door for lists: writes them in any encoding, at the reader's pace.
import type { Encoding } from './codec.ts'
import { writeJsonList } from './list-json.ts'
import type { Bundle, ListDocument, ListItem } from './list-json.ts'
import { writeProtobufList } from './list-protobuf.ts'
import type { EncodingTools } from './list-protobuf.ts'
import type { Turns } from '../lib/turns.ts'
import { writeCborList, writeYamlList } from './list-values.ts'

export interface ListOutput {
  readonly encoding: Encoding
  /** Only JSON can be indented. */
  readonly pretty: boolean
}

/**
 * Writes the list piece by piece. JSON and YAML keep a few items at a time, protobuf a bounded part of the list, CBOR all encoded items.
 * Errors of the items are thrown, possibly after a part of the list. Other work can run between pieces of the list.
 */
export function writeList(
  { items, ...document }: ListDocument,
  output: ListOutput,
  tools: EncodingTools,
): AsyncGenerator<Buffer> | AsyncGenerator<Bundle> {
  const list = { ...document, items: tools.turns === undefined ? items : inTurns(items, tools.turns, tools.resume) }
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

/** The number of bytes of a list between two checks of the clock. */
const PIECE_BYTES = 64 * 1024

/** The items in smaller batches. Every batch except the first begins in a turn that is not over. */
async function* inTurns(
  batches: ListDocument['items'],
  turns: Turns,
  resume?: () => void,
): AsyncGenerator<readonly ListItem[]> {
  let isFirst = true
  for await (const batch of batches) {
    for (let start = 0, end = 0; start < batch.length; start = end) {
      for (let size = 0; end < batch.length && size < PIECE_BYTES; ) size += batch[end++]!.bytes.length
      if (!isFirst && turns.isOver) await turns.next()
      isFirst = false
      resume?.()
      yield batch.slice(start, end)
    }
  }
}
