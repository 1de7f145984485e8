// Lists in JSON, item by item: what stands before the items, between them and behind them, and how an item's stored bytes go in.
// Nothing is parsed but for tables, whose cells need the object.
import { InvariantError } from '../lib/errors.ts'
import { indentJson } from './json-indent.ts'
import { plainJson, stringJson } from './json-encode.ts'
import { metadataOf } from './partial-metadata.ts'
import { parseJson } from './stored-json.ts'
import { TABLE_END, tableHead, tableRow } from './table.ts'
import type { TableForm, TableItem } from './table.ts'

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
  readonly separator: Buffer
  readonly tail: Buffer
  /** The bytes of an item, in parts. */
  item(item: ListItem): readonly Buffer[]
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
        separator: COMMA,
        tail: TABLE_END,
        item: (item) => [tableRow(form.table, item)],
      }
  }
}

function metadataJson({ resourceVersion, continue: token, remainingItemCount: remaining }: ListMetadata): string {
  const count = remaining === undefined ? '' : `,"remainingItemCount":${remaining}`
  return `{"resourceVersion":${stringJson(resourceVersion)},"continue":${stringJson(token)}${count}}`
}

const COMMA = Buffer.from(',')
const OPEN = Buffer.from('{')
const CLOSE = Buffer.from('}')
const END = Buffer.from(']}')

function builtInList({ apiVersion, kind, itemKind }: ListType, metadata: ListMetadata): JsonList {
  const type = (name: string): string => `{"kind":${stringJson(name)},"apiVersion":${stringJson(apiVersion)},`
  const itemHead = Buffer.from(type(itemKind))
  return {
    head: Buffer.from(`${type(kind)}"metadata":${metadataJson(metadata)},"items":[`),
    separator: COMMA,
    tail: END,
    item: ({ bytes }) => (startsWith(bytes, itemHead) ? [OPEN, bytes.subarray(itemHead.length)] : [withoutType(bytes)]),
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
  return Buffer.from(plainJson(rest))
}

function customList({ apiVersion, kind }: ListType, metadata: ListMetadata): JsonList {
  const { resourceVersion, continue: token, remainingItemCount: remaining } = metadata
  const count = remaining === undefined ? '' : `"remainingItemCount":${remaining},`
  const members = `"continue":${stringJson(token)},${count}"resourceVersion":${stringJson(resourceVersion)}`
  return {
    head: Buffer.from(`{"apiVersion":${stringJson(apiVersion)},"items":[`),
    separator: COMMA,
    tail: Buffer.from(`],"kind":${stringJson(kind)},"metadata":{${members}}}`),
    item: ({ bytes }) => [bytes],
  }
}

function metadataList(apiVersion: string, metadata: ListMetadata): JsonList {
  const type = (name: string): string => `{"kind":"${name}","apiVersion":${stringJson(apiVersion)},"metadata":`
  const itemHead = Buffer.from(type('PartialObjectMetadata'))
  return {
    head: Buffer.from(`${type('PartialObjectMetadataList')}${metadataJson(metadata)},"items":[`),
    separator: COMMA,
    tail: END,
    item: ({ bytes }) => [itemHead, metadataOf(bytes), CLOSE],
  }
}

/** The same laid out with two blanks a level; items are two levels deep in every form of a list. */
export function prettyList(list: JsonList, isEmpty: boolean): JsonList {
  const [head, tail] = [list.head.toString(), list.tail.toString()]
  const start = isEmpty ? '' : indentJson(head)
  const whole = indentJson(isEmpty ? head + tail : `${head}0${tail}`)
  return {
    head: Buffer.from(start),
    separator: Buffer.from(`,${ITEM_LINE}`),
    tail: Buffer.from(isEmpty ? whole : whole.slice(start.length + 1)),
    item(item) {
      const text = Buffer.concat(list.item(item)).toString()
      return [Buffer.from(indentJson(text).replaceAll('\n', ITEM_LINE))]
    },
  }
}

const ITEM_LINE = '\n    '
