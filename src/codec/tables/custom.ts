// The tables of custom resources: the columns that a definition gives to a version. Each column has a JSON path and a type.
import type { Value } from '../../api/value.ts'
import { formatNumber } from '../../lib/go-float.ts'
import { plainJson } from '../json-encode.ts'
import { column, NAME, tableOf } from './column.ts'
import type { Cell, ColumnDefinition, TableShape } from './column.ts'
import { ageOfText } from './elapsed.ts'
import type { Now } from './elapsed.ts'
import { compileJsonPath } from './json-path.ts'

/** An item of `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly jsonPath: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

/** All cells of a row together visit at most this number of values, which takes about ten milliseconds. Each cell has an equal share. */
const MOST_VISITS = 50_000

/** Undefined for a definition without columns: its objects are shown in the default table (D11). */
export function customTable(columns: readonly PrinterColumn[]): TableShape | undefined {
  if (columns.length === 0) return undefined
  const cells = columns.map((one) => {
    const type = typeOf(one.type)
    const description = one.description || `Custom resource definition column (in JSONPath format): ${one.jsonPath}`
    return column(one.name, description, cellOf(one.jsonPath, type, Math.ceil(MOST_VISITS / columns.length)), {
      type,
      format: one.format ?? '',
      priority: one.priority ?? 0,
    })
  })
  return tableOf([NAME, ...cells])
}

function typeOf(type: string): ColumnDefinition['type'] {
  return type === 'integer' || type === 'number' || type === 'boolean' || type === 'date' ? type : 'string'
}

/** A cell with the first value at the path. */
function cellOf(jsonPath: string, type: ColumnDefinition['type'], visits: number): Cell {
  const path = compileJsonPath(jsonPath)
  if (path === undefined) return () => null
  return (object, now) => {
    const value = path.first(object, { visits })
    if (value === null && type === 'string') return '<no value>'
    return value === undefined || value === null ? null : typedCell(value, type, now)
  }
}

/** The cell of a value. Null: the value is not of the column's type. */
function typedCell(value: Value, type: ColumnDefinition['type'], now: Now): Value {
  switch (type) {
    case 'string':
      if (typeof value === 'number') return formatNumber(value)
      return typeof value === 'string' ? value : plainJson(value)
    case 'integer':
      if (typeof value === 'bigint') return value
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      if (typeof value !== 'string') return null
      return value === '' || value === 'null' ? '<unknown>' : ageOfText(value, now)
  }
}
