// The choice of a table's columns. The browser keeps it for each kind.
import { useEffect, useState } from 'preact/hooks'
import { type ColumnChoice, isName, shownColumns } from './columns.ts'
import { Menu } from './menu.tsx'
import type { Column } from './table-rows.ts'

/** The same width as in the style sheet. */
const NARROW = '(max-width: 760px)'

export interface ChosenColumns {
  readonly shown: readonly number[]
  readonly isNarrow: boolean
  readonly choose: (name: string, isShown: boolean) => void
}

export function useColumns(resource: string, columns: readonly Column[]): ChosenColumns {
  const [choice, setChoice] = useState(() => readChoice(resource))
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const read = (): void => setNarrow(media.matches)
    media.addEventListener('change', read)
    return () => media.removeEventListener('change', read)
  }, [])
  const choose = (name: string, isShown: boolean): void => {
    const next = { ...choice, [name]: isShown }
    localStorage.setItem(keyFor(resource), JSON.stringify(next))
    setChoice(next)
  }
  return { shown: shownColumns(columns, choice, isNarrow), isNarrow, choose }
}

interface Props extends ChosenColumns {
  readonly columns: readonly Column[]
}

export function ColumnMenu({ columns, shown, choose }: Props) {
  return (
    <Menu label="Columns">
      {() =>
        columns.map((column, i) => (
          <li key={column.name}>
            <label>
              <input
                type="checkbox"
                checked={shown.includes(i)}
                disabled={isName(column)}
                onChange={({ currentTarget }) => choose(column.name, currentTarget.checked)}
              />
              {column.name}
            </label>
          </li>
        ))
      }
    </Menu>
  )
}

function keyFor(resource: string): string {
  return `columns ${resource}`
}

/** The user may have changed the stored text. */
function readChoice(resource: string): ColumnChoice {
  try {
    return Object.assign({}, JSON.parse(localStorage.getItem(keyFor(resource)) ?? '{}') as ColumnChoice)
  } catch {
    return {}
  }
}
