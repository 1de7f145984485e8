// Writes lists in JSON, item by item from stored bytes. Only tables parse their items, for their cells. Nothing is copied: the output
// consists of the stored buffers and the few bytes between them, in bundles.
import { InvariantError } from '../lib/errors.ts'
import { Indenter } from './indent.ts'
import { plainJson, stringJson } from './json-encode.ts'
import { metadataOf, partialHead } from './partial-metadata.ts'
import { parseStoredJson } from './stored-json.ts'
import { TABLE_END, tableHead, tableRows } from './table.ts'
import type { TableForm, TableItem } from './table.ts'

/** An object of a list: canonical JSON in the requested version, and parsed on demand. */
export interface ListItem extends TableItem {
  /** The bytes and the line end after them, if the buffer has a line end there. */
  readonly line?: Buffer
  /** The length in protobuf, as an item of this shape. An item without this member cannot remember its length. */
  measured?: { readonly shape: object; readonly length: number } | undefined
}

export interface ListType {
  readonly apiVersion: string
  /** `PodList`. */
  readonly kind: string
  readonly itemKind: string
  /** True for custom resources: members are sorted, and items have a kind and an apiVersion. */
  readonly custom: boolean
  /** True: items of a built-in kind have a kind and an apiVersion too. */
  readonly isTyped?: boolean | undefined
}

export interface ListMetadata {
  readonly resourceVersion: string
  /** Empty if the list is complete. The empty text is written too (D4). */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** The shard of a collection that the list contains. */
  readonly shardInfo?: { readonly selector: string } | undefined
}

export type ListForm =
  | { readonly kind: 'objects'; readonly type: ListType }
  /** `apiVersion` is the version of PartialObjectMetadataList. */
  | { readonly kind: 'metadata'; readonly apiVersion: string }
  | { readonly kind: 'table'; readonly table: TableForm }

export interface ListDocument {
  readonly form: ListForm
  readonly metadata: ListMetadata
  /** The items are read only once. A batch is read after the earlier batches are written. */
  readonly items: AsyncIterable<readonly ListItem[]> | Iterable<readonly ListItem[]>
}

export interface JsonList {
  readonly head: Buffer
  readonly tail: Buffer
  /** The bytes of an item, in parts. */
  item(item: ListItem): readonly Buffer[]
}

function jsonListOf(form: ListForm, metadata: ListMetadata): JsonList {
  switch (form.kind) {
    case 'objects':
      return form.type.custom ? customList(form.type, metadata) : builtInList(form.type, metadata)
    case 'metadata':
      return metadataList(form.apiVersion, metadata)
    case 'table':
      return {
        head: tableHead(form.table, metadataJson(metadata)),
        tail: TABLE_END,
        item: tableRows(form.table),
      }
  }
}

function metadataJson(metadata: ListMetadata): string {
  const { resourceVersion, continue: token, remainingItemCount: remaining, shardInfo } = metadata
  const count = remaining === undefined ? '' : `,"remainingItemCount":${remaining}`
  const version = resourceVersion === '' ? '' : `"resourceVersion":${stringJson(resourceVersion)},`
  const shard = shardInfo === undefined ? '' : `,"shardInfo":${plainJson(shardInfo)}`
  return `{${version}"continue":${stringJson(token)}${count}${shard}}`
}

const OPEN = Buffer.from('{')
const CLOSE = Buffer.from('}')
const END = Buffer.from(']}')

function builtInList({ apiVersion, kind, itemKind, isTyped }: ListType, metadata: ListMetadata): JsonList {
  const type = (name: string): string => `{"kind":${stringJson(name)},"apiVersion":${stringJson(apiVersion)},`
  const itemHead = Buffer.from(type(itemKind))
  return {
    head: Buffer.from(`${type(kind)}"metadata":${metadataJson(metadata)},"items":[`),
    tail: END,
    item: ({ bytes }) => {
      if (isTyped === true) return [bytes]
      return startsWith(bytes, itemHead) ? [OPEN, bytes.subarray(itemHead.length)] : [withoutType(bytes)]
    },
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  for (let i = 0; i < start.length; i++) {
    if (bytes[i] !== start[i]) return false
  }
  return true
}

/** Removes kind and apiVersion from JSON that is not canonical: parses the object and writes it again. */
function withoutType(bytes: Buffer): Buffer {
  const object = parseStoredJson(bytes)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw new InvariantError('not an object')
  const { kind: _kind, apiVersion: _version, ...rest } = object as Exclude<typeof object, readonly unknown[]>
  return Buffer.from(plainJson(rest))
}

function customList({ apiVersion, kind }: ListType, metadata: ListMetadata): JsonList {
  const { resourceVersion, continue: token, remainingItemCount: remaining, shardInfo } = metadata
  const count = remaining === undefined ? '' : `"remainingItemCount":${remaining},`
  const shard = shardInfo === undefined ? '' : `,"shardInfo":${plainJson(shardInfo)}`
  const members = `"continue":${stringJson(token)},${count}"resourceVersion":${stringJson(resourceVersion)}${shard}`
  return {
    head: Buffer.from(`{"apiVersion":${stringJson(apiVersion)},"items":[`),
    tail: Buffer.from(`],"kind":${stringJson(kind)},"metadata":{${members}}}`),
    item: ({ bytes }) => [bytes],
  }
}

function metadataList(apiVersion: string, metadata: ListMetadata): JsonList {
  const type = `{"kind":"PartialObjectMetadataList","apiVersion":${stringJson(apiVersion)},"metadata":`
  const itemHead = partialHead(apiVersion)
  return {
    head: Buffer.from(`${type}${metadataJson(metadata)},"items":[`),
    tail: END,
    item: (item) => [itemHead, metadataOf(item), CLOSE],
  }
}

const LINE_END = Buffer.from('\n')
const COMMA = Buffer.from(',')
/** A bundle of this size is passed on. */
const BUNDLE_BYTES = 64 * 1024

/** Consecutive buffers. */
export type Bundle = readonly Buffer[]

/** Writes the list in JSON. Errors of the items are thrown, possibly after a part of the list. */
export async function* writeJsonList(list: ListDocument, { pretty }: { pretty: boolean }): AsyncGenerator<Bundle> {
  const json = jsonListOf(list.form, list.metadata)
  // Compact JSON has a line end after the document, pretty JSON does not.
  if (pretty) yield* indented(bundlesOf(json, list.items))
  else yield* bundlesOf({ ...json, tail: Buffer.concat([json.tail, LINE_END]) }, list.items)
}

async function* bundlesOf(json: JsonList, items: ListDocument['items']): AsyncGenerator<Bundle> {
  let bundle = [json.head]
  let size = 0
  let first = true
  for await (const batch of items) {
    for (const item of batch) {
      if (!first) bundle.push(COMMA)
      first = false
      for (const part of json.item(item)) {
        bundle.push(part)
        size += part.length
      }
      if (size < BUNDLE_BYTES) continue
      yield bundle
      bundle = []
      size = 0
    }
  }
  bundle.push(json.tail)
  yield bundle
}

async function* indented(compact: AsyncIterable<Bundle>): AsyncGenerator<Bundle> {
  const indenter = new Indenter()
  for await (const bundle of compact) yield bundle.flatMap((part) => [...indenter.push(part)])
  yield [...indenter.finish()]
}
