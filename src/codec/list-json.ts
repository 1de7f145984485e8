// Lists in JSON, item by item: what stands before the items, between them and behind them, and how an item's stored bytes go in.
// Nothing is parsed but for tables, whose cells need the object.
import { InvariantError } from '../lib/errors.ts'
import { metadataOf } from './partial-metadata.ts'
import type { PieceBuffer } from './piece-buffer.ts'
import { parseJson } from './stored-json.ts'
import { TABLE_END, tableHead, tableRow } from './table.ts'
import type { TableForm, TableItem } from './table.ts'
import { jsonText } from './tables/cell-text.ts'

/** An object of a list: canonical JSON in the version asked for, and the same parsed when somebody needs it. */
export type ListItem = TableItem

/** The kind of a list and of what is in it. */
export interface ListType {
  readonly apiVersion: string
  /** `PodList`. */
  readonly kind: string
  readonly itemKind: string
  /** Custom resources: members in the order of their names, and items that say what they are. */
  readonly custom: boolean
}

export interface ListMetadata {
  readonly resourceVersion: string
  /** Empty where the list is complete, and said even then (D4). */
  readonly continue: string
  readonly remainingItemCount: number | undefined
}

export type ListForm =
  | { readonly kind: 'objects'; readonly type: ListType }
  /** `apiVersion` is that of PartialObjectMetadataList. */
  | { readonly kind: 'metadata'; readonly apiVersion: string }
  | { readonly kind: 'table'; readonly table: TableForm }

/** How one list is put together. */
export interface JsonList {
  readonly head: Buffer
  readonly tail: Buffer
  add(item: ListItem, pieces: PieceBuffer): void
}

export function jsonListOf(form: ListForm, metadata: ListMetadata): JsonList {
  switch (form.kind) {
    case 'objects':
      return form.type.custom ? customList(form.type, metadata) : builtInList(form.type, metadata)
    case 'metadata':
      return metadataList(form.apiVersion, metadata)
    case 'table':
      return {
        head: tableHead(form.table, metadataJson(metadata)),
        tail: TABLE_END,
        add: (item, pieces) => pieces.add(tableRow(form.table, item)),
      }
  }
}

function metadataJson({ resourceVersion, continue: token, remainingItemCount: remaining }: ListMetadata): string {
  const count = remaining === undefined ? '' : `,"remainingItemCount":${remaining}`
  return `{"resourceVersion":${jsonText(resourceVersion)},"continue":${jsonText(token)}${count}}`
}

const OPEN = Buffer.from('{')
const CLOSE = Buffer.from('}')
const END = Buffer.from(']}')

function builtInList({ apiVersion, kind, itemKind }: ListType, metadata: ListMetadata): JsonList {
  const type = (name: string): string => `{"kind":${jsonText(name)},"apiVersion":${jsonText(apiVersion)},`
  const itemHead = Buffer.from(type(itemKind))
  return {
    head: Buffer.from(`${type(kind)}"metadata":${metadataJson(metadata)},"items":[`),
    tail: END,
    add(item, pieces) {
      const { bytes } = item
      if (!startsWith(bytes, itemHead)) return pieces.add(withoutType(bytes))
      pieces.add(OPEN)
      pieces.add(bytes, itemHead.length)
    },
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  for (let i = 0; i < start.length; i++) {
    if (bytes[i] !== start[i]) return false
  }
  return true
}

/** For bytes that somebody else put into the store: the same object, parsed and written again. */
function withoutType(bytes: Buffer): Buffer {
  const object = parseJson(bytes)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw new InvariantError('not an object')
  const { kind: _kind, apiVersion: _version, ...rest } = object as Exclude<typeof object, readonly unknown[]>
  return Buffer.from(jsonText(rest))
}

function customList({ apiVersion, kind }: ListType, metadata: ListMetadata): JsonList {
  const { resourceVersion, continue: token, remainingItemCount: remaining } = metadata
  const count = remaining === undefined ? '' : `"remainingItemCount":${remaining},`
  const members = `"continue":${jsonText(token)},${count}"resourceVersion":${jsonText(resourceVersion)}`
  return {
    head: Buffer.from(`{"apiVersion":${jsonText(apiVersion)},"items":[`),
    tail: Buffer.from(`],"kind":${jsonText(kind)},"metadata":{${members}}}`),
    add: (item, pieces) => pieces.add(item.bytes),
  }
}

function metadataList(apiVersion: string, metadata: ListMetadata): JsonList {
  const type = (name: string): string => `{"kind":"${name}","apiVersion":${jsonText(apiVersion)},"metadata":`
  const itemHead = Buffer.from(type('PartialObjectMetadata'))
  return {
    head: Buffer.from(`${type('PartialObjectMetadataList')}${metadataJson(metadata)},"items":[`),
    tail: END,
    add(item, pieces) {
      pieces.add(itemHead)
      pieces.add(metadataOf(item.bytes))
      pieces.add(CLOSE)
    },
  }
}
