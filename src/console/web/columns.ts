// Chooses the columns of a table by the server's order and priorities, the width of the screen and the user's choice. This file needs no
// browser.
import { type Column, isAge } from './table-rows.ts'

/** The choices by the names of columns. Other columns are shown or hidden by default. */
export type ColumnChoice = Readonly<Record<string, boolean>>

/** The indices of the shown columns. */
export function shownColumns(columns: readonly Column[], choice: ColumnChoice, isNarrow: boolean): readonly number[] {
  const usual = columns.filter(({ priority }) => priority === 0)
  const states = usual.filter((column) => isState(column) || column.name === 'Pods')
  // A kind without a state shows the first two of its other columns.
  const narrow = states.length > 0 ? states : usual.filter((column) => !isName(column)).slice(0, 2)
  const shown = columns.flatMap((column, i) => {
    const isUsual = isNarrow ? isName(column) || isAge(column) || narrow.includes(column) : column.priority === 0
    return isName(column) || (choice[column.name] ?? isUsual) ? [i] : []
  })
  // A narrow screen has room for the name and one word beside it.
  const [name = 0, ...others] = shown
  const word = isNarrow ? others.find((i) => /^(Status|Phase|Condition)$/.test(columns[i]?.name ?? '')) : undefined
  return word === undefined ? shown : [name, word, ...others.filter((i) => i !== word)]
}

export function isName({ name, format }: Column): boolean {
  return format === 'name' || name === 'Name'
}

/** Whether the column shows the state of the object. */
export function isState({ name }: Column): boolean {
  return /^(Status|Phase|Ready|Available|Condition)$/.test(name)
}
