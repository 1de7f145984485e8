// Lists in YAML and CBOR, which are made from parsed objects. YAML goes out item by item; CBOR says at its start how many items
// there are, and waits for the last.
import type { Value, ValueMap } from '../api/value.ts'
import type { SchemaTable } from '../schema/table.ts'
import { encodeCbor, encodeCborValue } from './cbor-encode.ts'
import type { ListDocument, ListForm, ListItem } from './list-json.ts'
import { listKindOf } from './list-protobuf.ts'
import { partialMetadata } from './partial-metadata.ts'
import { PieceBuffer } from './piece-buffer.ts'
import { parseJson } from './stored-json.ts'
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
      return { rest, key: 'items', item: (item) => parseJson(partialMetadata(item, form.apiVersion)) }
    }
    case 'table': {
      const { shape, apiVersion } = form.table
      const columnDefinitions = shape.columns.map((column) => ({ ...column }))
      const rest = { kind: 'Table', apiVersion, metadata: listMeta, columnDefinitions }
      return { rest, key: 'rows', item: (item) => parseJson(tableRow(form.table, item)) }
    }
  }
}

function withoutType({ kind: _kind, apiVersion: _version, ...rest }: ValueMap): ValueMap {
  return rest
}

/** Members are sorted by name, so some stand before the items and some behind. */
export async function* writeYamlList(list: ListDocument): AsyncGenerator<Buffer> {
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
      const text = emitYaml({ [key]: [valueOf(item)] })
      // Of all items but the first only what is below the name of the list.
      write(first ? text : text.slice(key.length + 2))
      first = false
      yield* pieces.take()
    }
  }
  if (first) write(emitYaml({ [key]: [] }))
  write(members((name) => name > key))
  yield* pieces.finish()
}

export async function* writeCborList(list: ListDocument, schemas: SchemaTable): AsyncGenerator<Buffer> {
  const { rest, key, item: valueOf } = valuesOf(list)
  const items: Value[] = []
  for await (const batch of list.items) items.push(...batch.map(valueOf))
  const whole = { ...rest, [key]: items }
  yield isTyped(list.form) ? encodeCbor(whole, listKindOf(list.form, schemas)) : encodeCborValue(whole)
}

/** Whether the table knows the kind; binary fields are told from texts by it. */
function isTyped(form: ListForm): form is Exclude<ListForm, { readonly kind: 'table' }> {
  return form.kind === 'metadata' || (form.kind === 'objects' && !form.type.custom)
}
