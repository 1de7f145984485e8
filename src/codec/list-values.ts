// Writes lists in YAML and CBOR, from parsed objects one at a time. YAML is sent item by item. CBOR begins with the number of items, so it
// is sent after the last item is encoded.
import { givenMembers } from '../lib/given-members.ts'
import type { Value, ValueMap } from '../api/value.ts'
import type { KindSchema, SchemaTable } from '../schema/table.ts'
import { encodeCborListFrame, encodeCborPart } from './cbor-encode.ts'
import type { ListDocument, ListForm, ListItem } from './list-json.ts'
import { type EncodingTools, itemKindOf } from './list-protobuf.ts'
import { partialMetadata } from './partial-metadata.ts'
import { PieceBuffer } from './piece-buffer.ts'
import { type ListPlace, writtenElsewhere } from './large-values.ts'
import { parseStoredJson } from './stored-json.ts'
import { tableRow } from './table.ts'
import { emitYaml } from './yaml-emit.ts'

/** A list as values: the list without its items, and each item. */
interface ListValues {
  readonly rest: ValueMap
  readonly place: ListPlace
  readonly json: (item: ListItem) => Buffer
  /** `json` is the JSON of the item. */
  readonly value: (item: ListItem, json: Buffer) => Value
}

function valuesOf({ form, metadata }: ListDocument): ListValues {
  const listMeta = givenMembers(metadata)
  switch (form.kind) {
    case 'objects': {
      const { apiVersion, kind } = form.type
      const isTyped = form.type.custom || form.type.isTyped === true
      const rest = { kind, apiVersion, metadata: listMeta }
      return {
        rest,
        place: { key: 'items', isTyped },
        json: ({ bytes }) => bytes,
        value: (item) => (isTyped ? item.object() : withoutType(item.object())),
      }
    }
    case 'metadata': {
      const rest = { kind: 'PartialObjectMetadataList', apiVersion: form.apiVersion, metadata: listMeta }
      const json = (item: ListItem): Buffer => partialMetadata(item, form.apiVersion)
      return { rest, place: { key: 'items', isTyped: true }, json, value: (_, text) => parseStoredJson(text) }
    }
    case 'table': {
      const { shape, apiVersion } = form.table
      const columnDefinitions = shape.columns.map((column) => ({ ...column }))
      const rest = { kind: 'Table', apiVersion, metadata: listMeta, columnDefinitions }
      const json = (item: ListItem): Buffer => tableRow(form.table, item)
      return { rest, place: { key: 'rows', isTyped: true }, json, value: (_, text) => parseStoredJson(text) }
    }
  }
}

export function withoutType({ kind: _kind, apiVersion: _version, ...rest }: ValueMap): ValueMap {
  return rest
}

/** Members are sorted by name, so some come before the items and some after them. */
export async function* writeYamlList(list: ListDocument, tools: EncodingTools): AsyncGenerator<Buffer> {
  const { rest, place, ...item } = valuesOf(list)
  const { key } = place
  const kind = kindOf(list.form, tools.schemas)
  const pieces = new PieceBuffer()
  const write = (text: string): void => pieces.add(Buffer.from(text))
  const members = (stand: (name: string) => boolean): string => {
    const some = Object.entries(rest).filter(([name]) => stand(name))
    return some.length === 0 ? '' : emitYaml(Object.fromEntries(some))
  }
  write(members((name) => name < key))
  let first = true
  for await (const batch of list.items) {
    for (const one of batch) {
      const json = item.json(one)
      const elsewhere = writtenElsewhere(tools, json, { encoding: 'yaml', kind, list: place })
      const bytes =
        elsewhere === undefined ? Buffer.from(emitYaml({ [key]: [item.value(one, json)] })) : await elsewhere
      // The name of the list is written with the first item only.
      pieces.add(first ? bytes : bytes.subarray(key.length + 2))
      first = false
      yield* pieces.take()
    }
  }
  if (first) write(emitYaml({ [key]: [] }))
  write(members((name) => name > key))
  yield* pieces.finish()
}

/** The encoded items are kept until their number is known. */
export async function* writeCborList(list: ListDocument, tools: EncodingTools): AsyncGenerator<Buffer> {
  const { rest, place, ...item } = valuesOf(list)
  const kind = kindOf(list.form, tools.schemas)
  const items: Buffer[] = []
  for await (const batch of list.items) {
    for (const one of batch) {
      const json = item.json(one)
      const elsewhere = writtenElsewhere(tools, json, { encoding: 'cbor', kind, list: place })
      items.push(elsewhere === undefined ? encodeCborPart(item.value(one, json), kind?.shape) : await elsewhere)
    }
  }
  const [head, tail] = encodeCborListFrame(rest, place.key, items.length)
  yield head
  const pieces = new PieceBuffer()
  for (const bytes of items) {
    pieces.add(bytes)
    yield* pieces.take()
  }
  pieces.add(tail)
  yield* pieces.finish()
}

/** The kind of the items, which tells their binary fields. Undefined: the table does not have the kind. */
function kindOf(form: ListForm, schemas: SchemaTable): KindSchema | undefined {
  return form.kind === 'table' || (form.kind === 'objects' && form.type.custom) ? undefined : itemKindOf(form, schemas)
}
