// Lists, written item by item at the pace of whoever reads them: what is in memory at a time is a few pieces of 64 KiB, however
// long the list is (HOUSE, the walk of LIST).
import { jsonListOf, prettyList } from './list-json.ts'
import type { JsonList, ListForm, ListItem, ListMetadata } from './list-json.ts'
import { PieceBuffer } from './piece-buffer.ts'

export interface ListDocument {
  readonly form: ListForm
  readonly metadata: ListMetadata
  /** Read once, a batch when all before it is written. */
  readonly items: AsyncIterable<readonly ListItem[]>
}

const LINE_END = Buffer.from('\n')

/** The list in JSON. Errors of the items come through; nothing is promised of what was written before. */
export async function* writeJsonList(list: ListDocument, { pretty }: { pretty: boolean }): AsyncGenerator<Buffer> {
  const json = jsonListOf(list.form, list.metadata)
  if (!pretty) return yield* piecesOf({ ...json, tail: Buffer.concat([json.tail, LINE_END]) }, list.items)
  const batches = list.items[Symbol.asyncIterator]()
  // Whether a list is empty shows in its first line already.
  const first = await firstBatch(batches)
  yield* piecesOf(prettyList(json, first === undefined), rest(first, batches))
}

async function* piecesOf(json: JsonList, items: ListDocument['items']): AsyncGenerator<Buffer> {
  const pieces = new PieceBuffer()
  pieces.add(json.head)
  let first = true
  for await (const batch of items) {
    for (const item of batch) {
      if (!first) pieces.add(json.separator)
      first = false
      for (const part of json.item(item)) pieces.add(part)
      for (const piece of pieces.take()) yield piece
    }
  }
  pieces.add(json.tail)
  yield* pieces.finish()
}

type Batches = AsyncIterator<readonly ListItem[]>

/** The first batch that has items; undefined where none has. */
async function firstBatch(batches: Batches): Promise<readonly ListItem[] | undefined> {
  for (;;) {
    const { done, value } = await batches.next()
    if (done === true) return undefined
    if (value.length > 0) return value
  }
}

async function* rest(first: readonly ListItem[] | undefined, batches: Batches): AsyncGenerator<readonly ListItem[]> {
  if (first === undefined) return
  yield first
  yield* { [Symbol.asyncIterator]: () => batches }
}
