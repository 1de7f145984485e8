// The columns of a kind's table and their cells. Every row has all cells, including those of wide columns, which clients hide.
import type { Value, ValueMap } from '../../api/value.ts'
import { ageOf } from './elapsed.ts'
import type { Now } from './elapsed.ts'
import { numberAt, textAt } from './reading.ts'

/** A column as clients see it. Its members are in the order of the wire. */
export interface ColumnDefinition {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** Above 0: clients show the column only in wide output. */
  readonly priority: number
}

export type Cell<T = ValueMap> = (object: T, now: Now) => Value

export interface Column<T = ValueMap> extends ColumnDefinition {
  readonly cell: Cell<T>
}

/** The table of the objects of one kind. */
export interface TableShape<T = ValueMap> {
  readonly columns: readonly ColumnDefinition[]
  readonly cells: (object: T, now: Now) => readonly Value[]
  /** The conditions of the row. Absent: rows have no conditions. */
  readonly conditions?: (object: T) => readonly Value[] | undefined
  /** The table of a list, if its cells depend on all objects of the list. */
  readonly ofList?: (objects: readonly T[]) => TableShape<T>
}

interface ColumnOptions {
  readonly type?: ColumnDefinition['type']
  readonly format?: string
  readonly priority?: number
}

/** A column without its cell, for tables that make all cells of a row at once. */
export function header(name: string, description: string, options: ColumnOptions = {}): ColumnDefinition {
  const { type = 'string', format = '', priority = 0 } = options
  return { name, type, format, description, priority }
}

export function column<T = ValueMap>(
  name: string,
  description: string,
  cell: NoInfer<Cell<T>>,
  options: ColumnOptions = {},
): Column<T> {
  return { ...header(name, description, options), cell }
}

export function wide<T = ValueMap>(name: string, description: string, cell: NoInfer<Cell<T>>): Column<T> {
  return column(name, description, cell, { priority: 1 })
}

export function integer<T = ValueMap>(name: string, description: string, cell: NoInfer<Cell<T>>): Column<T> {
  return column(name, description, cell, { type: 'integer' })
}

export function boolean<T = ValueMap>(name: string, description: string, cell: NoInfer<Cell<T>>): Column<T> {
  return column(name, description, cell, { type: 'boolean' })
}

/** A table whose columns each make a cell. `more` are cells that have no column, as in the reference. */
export function tableOf<T = ValueMap>(
  columns: readonly NoInfer<Column<T>>[],
  ...more: readonly NoInfer<Cell<T>>[]
): TableShape<T> {
  const cells = [...columns.map(({ cell }) => cell), ...more]
  return { columns: columns.map(definitionOf), cells: (object, now) => cells.map((cell) => cell(object, now)) }
}

export function definitionOf({ name, type, format, description, priority }: ColumnDefinition): ColumnDefinition {
  return { name, type, format, description, priority }
}

// Clients see this text, and recorded answers have it.
export const NAME_DESCRIPTION =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client ' +
  'to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and ' +
  'configuration definition. Cannot be updated. More info: ' +
  'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names'

export const nameOf: Cell = (object) => textAt(object, 'metadata', 'name')

export const ageOfObject: Cell = (object, now) => ageOf(textAt(object, 'metadata', 'creationTimestamp'), now)

export const NAME: Column = column('Name', NAME_DESCRIPTION, nameOf, { format: 'name' })

export const AGE: Column = column('Age', 'How long ago the object was created.', ageOfObject)

/** A cell with the text at a path. */
export function text(...path: readonly string[]): Cell {
  return (object) => textAt(object, ...path)
}

/** A cell with the number at a path, or zero if the number is absent. */
export function count(...path: readonly string[]): Cell {
  return (object) => numberAt(object, ...path)
}
