// Tables (`as=Table`) in JSON, from the columns of a kind; other encodings are made from that JSON.
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

/** The time is a timestamp, not an age. */
export const CREATED_AT: Column = column(
  'Created At',
  'When the object was created.',
  (object) => textAt(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  { type: 'date' },
)

/** The columns of every kind without its own (D11). */
export const DEFAULT_TABLE: TableShape = tableOf([NAME, CREATED_AT])

/** The parts of rows besides their cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** Reads the query parameter. Throws `ApiError` `BadRequest`. */
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
  /** In milliseconds since the epoch; ages are counted to here. */
  readonly now: number
}

/** An object in JSON: canonical bytes in the requested version, and parsed. */
export interface TableItem extends WithMetadata {
  object(): ValueMap
  /** The object of the columns, if it has another version than the requested one. */
  readonly shown?: () => ValueMap
  /** The last text of its row, if the item can keep it. */
  row?: KnownRow | undefined
}

/** A row's cells and conditions, all but the ages in them. */
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

/** The rows of one table in JSON, in parts. */
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
  // The object itself can contain the placeholder, and a cell may not show its age.
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

/** The Table of a single object: one row, and the object's version as the Table's. */
export function tableDocument(form: TableForm, item: TableItem, columns: 'columns' | 'noColumns' = 'columns'): Buffer {
  const version = textAt(item.object(), 'metadata', 'resourceVersion')
  const metadata = version === '' ? '{}' : `{"resourceVersion":${plainJson(version)}}`
  return Buffer.concat([tableHead(form, metadata, columns), tableRow(form, item), TABLE_END])
}
