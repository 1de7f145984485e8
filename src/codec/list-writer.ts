// Lists, written item by item at the pace of whoever reads them: what is in memory at a time is a few pieces of 64 KiB, however
// long the list is (HOUSE, the walk of LIST).
import { Indenter } from './indent.ts'
import { jsonListOf } from './list-json.ts'
import type { JsonList, ListForm, ListItem, ListMetadata } from './list-json.ts'
import { PieceBuffer } from './piece-buffer.ts'

export interface ListDocument {
  readonly form: ListForm
  readonly metadata: ListMetadata
  /** Read once, a batch when all before it is written. */
  readonly items: AsyncIterable<readonly ListItem[]>
}

export interface JsonStyle {
  readonly pretty: boolean
}

/** The list in JSON. Errors of the items come through; nothing is promised of what was written before. */
export async function* writeJsonList(list: ListDocument, style: JsonStyle): AsyncGenerator<Buffer> {
  const json = jsonListOf(list.form, list.metadata)
  yield* style.pretty ? indented(piecesOf(json, list.items)) : piecesOf({ ...json, tail: endingLine(json) }, list.items)
}

/** Compact JSON ends its last line, pretty JSON does not. */
function endingLine({ tail }: JsonList): Buffer {
  return Buffer.concat([tail, Buffer.from('\n')])
}

const COMMA = Buffer.from(',')

async function* piecesOf(json: JsonList, items: ListDocument['items']): AsyncGenerator<Buffer> {
  const pieces = new PieceBuffer()
  pieces.add(json.head)
  let first = true
  for await (const batch of items) {
    for (const item of batch) {
      if (!first) pieces.add(COMMA)
      first = false
      json.add(item, pieces)
      for (const piece of pieces.take()) yield piece
    }
  }
  pieces.add(json.tail)
  yield* pieces.finish()
}

async function* indented(compact: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const indenter = new Indenter()
  for await (const piece of compact) yield* indenter.push(piece)
  yield* indenter.finish()
}
