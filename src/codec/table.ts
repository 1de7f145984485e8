// Tables (`as=Table`) in JSON, from the columns of a kind. Other encodings of Tables are made from this JSON.
import { quoted } from '../api/field-error.ts'
import { ApiError } from '../api/status.ts'
import type { ValueMap } from '../api/value.ts'
import { plainJson } from './json-encode.ts'
import { metadataOf, partialHead, type WithMetadata } from './partial-metadata.ts'
import { type Column, column, NAME, tableOf, type TableShape } from './tables/column.ts'
import { AGE_PLACEHOLDER_JSON, ageSince, AgePlaceholders, type Now } from './tables/elapsed.ts'
import { textAt } from './tables/reading.ts'

export type { TableShape } from './tables/column.ts'
export { customTable, type PrinterColumn } from './tables/custom.ts'

/** The column with the creation time, as a timestamp and not as an age. */
export const CREATED_AT: Column = column(
  'Created At',
  'When the object was created.',
  (object) => textAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  { type: 'date' },
)

/** The table of every kind that has no columns of its own (D11). */
export const DEFAULT_TABLE: TableShape = tableOf([NAME, CREATED_AT])

/** The part of the object that rows have besides their cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** Reads the query parameter `includeObject`. Throws `ApiError` `BadRequest`. */
export function parseIncludeObject(text: string | null | undefined): IncludeObject {
  if (text === null || text === undefined || text === '') return 'Metadata'
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text
  const fault = `Invalid value: ${quoted(text)}: must be 'Metadata', 'Object', 'None', or empty`
  throw new ApiError('BadRequest', `Unable to convert to Table as requested: includeObject: ${fault}`)
}

export interface TableForm {
  readonly shape: TableShape
  /** The version of the Table and of metadata in its rows: `meta.k8s.io/v1`, or another version or brand (R-360, D1). */
  readonly apiVersion: string
  readonly include: IncludeObject
  /** The moment to which ages are counted, in milliseconds since the epoch. */
  readonly now: number
}

/** An object in the requested version: its canonical JSON, and its parsed form. */
export interface TableItem extends WithMetadata {
  object(): ValueMap
  /** The object from which the cells are made, if the columns are for another version than the requested version. */
  readonly shown?: () => ValueMap
  /** The last text of the item's row. An item without this member cannot keep the text. */
  row?: KnownRow | undefined
}

/** The cells and conditions of a row, without the ages in them. */
interface KnownRow {
  readonly shape: TableShape
  /** The texts around the ages. */
  readonly texts: readonly string[]
  /** The times from which the ages count, in milliseconds since the epoch. */
  readonly since: readonly number[]
}

const OBJECT_NULL = Buffer.from('"object":null}')
const OBJECT = Buffer.from('"object":')
const END = Buffer.from('}')
const END_OF_BOTH = Buffer.from('}}')

/** Returns a function that makes the row of an item in JSON, in parts. */
export function tableRows(form: TableForm): (item: TableItem) => readonly Buffer[] {
  const metadata = Buffer.concat([OBJECT, partialHead(form.apiVersion)])
  return (item) => {
    const head = Buffer.from(rowText(form, item))
    switch (form.include) {
      case 'None':
        return [head, OBJECT_NULL]
      case 'Object':
        return [head, OBJECT, item.bytes, END]
      case 'Metadata':
        return [head, metadata, metadataOf(item), END_OF_BOTH]
    }
  }
}

export function tableRow(form: TableForm, item: TableItem): Buffer {
  return Buffer.concat(tableRows(form)(item))
}

function rowText({ shape, now }: TableForm, item: TableItem): string {
  if (item.row?.shape === shape) return withAges(item.row, now)
  const object = item.shown === undefined ? item.object() : item.shown()
  if (!('row' in item)) return cellsText(shape, object, now)
  const ages = new AgePlaceholders()
  const texts = cellsText(shape, object, ages).split(AGE_PLACEHOLDER_JSON)
  // The object itself can contain the placeholder, and a cell can drop its age.
  if (texts.length !== ages.since.length + 1) return cellsText(shape, object, now)
  item.row = { shape, texts, since: ages.since }
  return withAges(item.row, now)
}

function cellsText(shape: TableShape, object: ValueMap, now: Now): string {
  const conditions = shape.conditions?.(object)
  const tail = conditions === undefined ? '' : `"conditions":${plainJson(conditions)},`
  return `{"cells":${plainJson(shape.cells(object, now))},${tail}`
}

function withAges({ texts, since }: KnownRow, now: number): string {
  let text = texts[0] ?? ''
  for (const [at, moment] of since.entries()) text += ageSince(moment, now) + (texts[at + 1] ?? '')
  return text
}

/** The text before the first row. `metadata` is JSON. In a watch, only the first event has columns. */
export function tableHead(form: TableForm, metadata: string, columns: 'columns' | 'noColumns' = 'columns'): Buffer {
  const definitions = columns === 'columns' ? plainJson(form.shape.columns.map((one) => ({ ...one }))) : 'null'
  const type = `"kind":"Table","apiVersion":${plainJson(form.apiVersion)}`
  return Buffer.from(`{${type},"metadata":${metadata},"columnDefinitions":${definitions},"rows":[`)
}

export const TABLE_END: Buffer = Buffer.from(']}')

/** The Table of a single object: it has one row, and the resourceVersion of the object. */
export function tableDocument(form: TableForm, item: TableItem, columns: 'columns' | 'noColumns' = 'columns'): Buffer {
  const version = textAt(item.object(), 'metadata', 'resourceVersion')
  const metadata = version === '' ? '{}' : `{"resourceVersion":${plainJson(version)}}`
  return Buffer.concat([tableHead(form, metadata, columns), tableRow(form, item), TABLE_END])
}
