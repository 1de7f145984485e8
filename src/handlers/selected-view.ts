// The form of an answer with only some fields of objects. A Table has a column for each field.
import { type PathText, valuesAt } from '../api/path-text.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { plainJson } from '../codec/json-encode.ts'
import { column, NAME, tableOf, type TableShape } from '../codec/tables/column.ts'
import type { Selected } from '../registry/query/query.ts'
import type { View } from './respond.ts'

export function selectedView(view: View, select: Selected | undefined): View {
  if (select === undefined) return view
  const { table } = view
  return { ...view, isTyped: true, table: table && { ...table, shape: selectedTable(select.paths) } }
}

const NAME_PATH = 'metadata.name'

function selectedTable(paths: readonly PathText[]): TableShape {
  const others = paths.filter(({ text }) => text !== NAME_PATH)
  return tableOf([
    NAME,
    ...others.map(({ text, steps }) => column(text, `The field ${text}.`, (object) => cellOf(object, steps))),
  ])
}

function cellOf(object: ValueMap, steps: PathText['steps']): Value {
  const values = [...valuesAt(object, steps)]
  return values.length === 0 ? null : values.map(textOf).join(',')
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : plainJson(value)
}
