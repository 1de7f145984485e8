// Lists in YAML and CBOR, encoded from parsed objects one at a time, in turns. YAML is sent item by item; CBOR begins with the
// number of items, and so is sent after the last.
import type { Value, ValueMap } from '../api/value.ts'
import type { SchemaTable, Shape } from '../schema/table.ts'
import { encodeCborListFrame, encodeCborPart } from './cbor-encode.ts'
import type { ListDocument, ListForm, ListItem } from './list-json.ts'
import { type EncodingTools, listKindOf } from './list-protobuf.ts'
import { partialMetadata } from './partial-metadata.ts'
import { PieceBuffer } from './piece-buffer.ts'
import { writtenElsewhere } from './large-values.ts'
import { parseStoredJson } from './stored-json.ts'
import { tableRow } from './table.ts'
import { emitYaml } from './yaml-emit.ts'

/** A list as values: all but its items, and each of them. */
interface ListValues {
  readonly rest: ValueMap
  readonly key: 'items' | 'rows'
  readonly item: (item: ListItem) => Value
}

function valuesOf({ form, metadata }: ListDocument): ListValues {
  const { remainingItemCount: remaining, ...always } = metadata
  const listMeta: ValueMap = { ...always, ...(remaining === undefined ? {} : { remainingItemCount: remaining }) }
  switch (form.kind) {
    case 'objects': {
      const { apiVersion, kind, custom } = form.type
      const rest = { kind, apiVersion, metadata: listMeta }
      return { rest, key: 'items', item: (item) => (custom ? item.object() : withoutType(item.object())) }
    }
    case 'metadata': {
      const rest = { kind: 'PartialObjectMetadataList', apiVersion: form.apiVersion, metadata: listMeta }
      return { rest, key: 'items', item: (item) => parseStoredJson(partialMetadata(item, form.apiVersion)) }
    }
    case 'table': {
      const { shape, apiVersion } = form.table
      const columnDefinitions = shape.columns.map((column) => ({ ...column }))
      const rest = { kind: 'Table', apiVersion, metadata: listMeta, columnDefinitions }
      return { rest, key: 'rows', item: (item) => parseStoredJson(tableRow(form.table, item)) }
    }
  }
}

function withoutType({ kind: _kind, apiVersion: _version, ...rest }: ValueMap): ValueMap {
  return rest
}

/** Members are sorted by name, so some stand before the items and some behind. */
export async function* writeYamlList(list: ListDocument, tools: EncodingTools): AsyncGenerator<Buffer> {
  const { turns } = tools
  const { rest, key, item: valueOf } = valuesOf(list)
  const pieces = new PieceBuffer()
  const write = (text: string): void => pieces.add(Buffer.from(text))
  const members = (stand: (name: string) => boolean): string => {
    const some = Object.entries(rest).filter(([name]) => stand(name))
    return some.length === 0 ? '' : emitYaml(Object.fromEntries(some))
  }
  write(members((name) => name < key))
  let first = true
  for await (const batch of list.items) {
    for (const item of batch) {
      if (turns?.isOver === true) await turns.next()
      const part = { [key]: [valueOf(item)] }
      const offloaded = writtenElsewhere(tools.writeElsewhere, item, () => part, { encoding: 'yaml', shape: undefined })
      const bytes = offloaded === undefined ? Buffer.from(emitYaml(part)) : await offloaded
      // Of all items but the first only what is below the name of the list.
      pieces.add(first ? bytes : bytes.subarray(key.length + 2))
      first = false
      yield* pieces.take()
    }
  }
  if (first) write(emitYaml({ [key]: [] }))
  write(members((name) => name > key))
  yield* pieces.finish()
}

/** Items are held as their bytes until their number is known. */
export async function* writeCborList(list: ListDocument, tools: EncodingTools): AsyncGenerator<Buffer> {
  const { schemas, turns } = tools
  const { rest, key, item: valueOf } = valuesOf(list)
  const shape = itemShape(list.form, schemas)
  const items: Buffer[] = []
  for await (const batch of list.items) {
    for (const item of batch) {
      if (turns?.isOver === true) await turns.next()
      const value = valueOf(item)
      const offloaded = writtenElsewhere(tools.writeElsewhere, item, () => value, { encoding: 'cbor', shape })
      items.push(offloaded === undefined ? encodeCborPart(value, shape) : await offloaded)
    }
  }
  const [head, tail] = encodeCborListFrame(rest, key, items.length)
  yield head
  const pieces = new PieceBuffer()
  for (const item of items) {
    pieces.add(item)
    yield* pieces.take()
  }
  pieces.add(tail)
  yield* pieces.finish()
}

/** By which binary fields are found; undefined where the table does not know the kind. */
function itemShape(form: ListForm, schemas: SchemaTable): Shape | undefined {
  if (form.kind === 'table' || (form.kind === 'objects' && form.type.custom)) return undefined
  const items = listKindOf(form, schemas).shape.byName.get('items')?.shape
  return items?.kind === 'list' ? items.item : undefined
}
