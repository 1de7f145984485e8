// A table of any length: only the rows in view are in the document. Arrow keys move along the rows, and Enter opens a row.
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isName, isState } from './columns.ts'
import { wordTone } from './health.ts'
import { Toned } from './listing.tsx'
import { pageKey } from './keys.ts'
import { NOTHING_SELECTED, selectedOf, type Selection, withAll, withRow } from './selection.ts'
import { ageText, cellText, type Column, isAge, type Order, type Row, type TableRows } from './table-rows.ts'

const ROW_PX = 30
const OVERSCAN = 12
const MEASURED_ROWS = 200
/** The time for which a changed row is highlighted. */
const FRESH_MS = 1500

interface Props {
  readonly rows: TableRows
  readonly columns: readonly Column[]
  /** The indices of the shown columns. */
  readonly shown: readonly number[]
  /** The namespaces come last on a narrow screen. */
  readonly isNarrow: boolean
  readonly hasNamespaces: boolean
  readonly order: Order
  readonly label: string
  /** Undefined: rows cannot be selected. */
  readonly selection: Selection | undefined
  readonly onSelect: (selection: Selection) => void
  readonly onSort: (column: number | undefined) => void
  readonly canSort: (column: number | undefined) => boolean
  readonly addressOf: (row: Row) => string
  readonly onOpen: (row: Row) => void
}

export function VirtualTable(props: Props) {
  const { rows, columns, shown, isNarrow, hasNamespaces, order, label } = props
  const { selection, onSelect, onSort, canSort, addressOf, onOpen } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const [chosen, setChosen] = useState('')
  const keys = rows.shown
  const active = activeIn(keys, chosen)
  const now = Date.now()
  useTick(10_000)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - OVERSCAN)
  const last = Math.min(keys.length, Math.ceil((view.top + view.height) / ROW_PX) + OVERSCAN)
  /** Moves to a row, and returns its key. */
  const move = (current: readonly string[], to: number): string => {
    const next = Math.max(0, Math.min(current.length - 1, to))
    const key = current[next] ?? ''
    setChosen(key)
    const element = scroller.current
    if (element === null) return key
    const [top, bottom] = [next * ROW_PX, (next + 2) * ROW_PX]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
    return key
  }
  const select = (key: string, isRange: boolean): void => {
    if (selection !== undefined) onSelect(withRow(selection, keys, key, isRange))
  }
  const press = (event: KeyboardEvent): void => {
    const key = pageKey(event)
    const { target } = event
    // Enter and space are for the link or button that has the focus. The button of a closed dialog keeps the focus until the next frame.
    const control = target instanceof Element ? target.closest('a, button, summary') : null
    const isPress = key === 'Enter' || key === ' '
    if (key === undefined || (isPress && control?.checkVisibility() === true)) return
    const page = Math.floor(view.height / ROW_PX) - 1
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
    }
    const step = steps[key]
    // A key can come before the frame that draws a new filter. It is meant for the rows that pass the filter.
    const current = rows.shown
    const from = activeIn(current, chosen)
    const row = rows.get(current[from] ?? '')
    if (step !== undefined) {
      const at = move(current, from + step)
      if (event.shiftKey && selection !== undefined && row !== undefined) {
        const begun =
          selectedOf(selection, [row.key]).length === 0 ? withRow(selection, current, row.key, false) : selection
        onSelect(withRow(begun, current, at, true))
      }
    } else if (key === ' ' && row !== undefined) select(row.key, event.shiftKey)
    else if (key === 'Escape') onSelect(NOTHING_SELECTED)
    else if (key === 'Home') move(current, 0)
    else if (key === 'End') move(current, current.length - 1)
    else if (key === 'Enter' && row !== undefined) onOpen(row)
    else return
    event.preventDefault()
    scroller.current?.focus({ preventScroll: true })
  }
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  const widths = useWidths(rows, columns)
  const heading = (column: number | undefined, name: string, width: number, title = ''): VNode => (
    <Heading key={name} {...{ column, name, width, title, order, canSort, onSort }} />
  )
  const namespaceHeading = hasNamespaces && heading(undefined, 'Namespace', 20)
  const clock = performance.now()
  const selectedCount = selection === undefined ? 0 : selectedOf(selection, keys).length
  return (
    <div
      class="scroller"
      ref={scroller}
      onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table class="rows" aria-rowcount={keys.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {selection !== undefined && (
              <th scope="col" class="pick">
                <span>
                  <input
                    type="checkbox"
                    aria-label="Select all rows"
                    checked={selectedCount > 0 && selectedCount === keys.length}
                    indeterminate={selectedCount > 0 && selectedCount < keys.length}
                    onChange={() => onSelect(withAll(selection, keys))}
                  />
                </span>
              </th>
            )}
            {!isNarrow && namespaceHeading}
            {shown.map((i, place) => {
              const width = Math.min(widths[i] ?? 10, isNarrow ? 19 : 44) + (place > 0 ? 0 : 4)
              return heading(i, columns[i]?.name ?? '', width, columns[i]?.description)
            })}
            {isNarrow && namespaceHeading}
          </tr>
        </thead>
        <tbody>
          <Spacer height={first * ROW_PX} />
          {keys.slice(first, last).map((key, i) => {
            const row = rows.get(key)
            if (row === undefined) return null
            const at = first + i
            const marks = [
              at === active && 'active',
              clock - row.changedAt < FRESH_MS && row.changedAt > 0 && 'fresh',
              row.isGoing && 'going',
              selection?.keys.has(key) === true && 'selected',
            ]
            return (
              <tr
                key={key}
                class={marks.filter(Boolean).join(' ')}
                aria-rowindex={at + 2}
                onClick={() => {
                  setChosen(key)
                  onOpen(row)
                }}
              >
                {selection !== undefined && (
                  // The keyboard selects rows too, with arrow keys and space.
                  <td
                    class="pick"
                    onClick={(event) => {
                      event.stopPropagation()
                      setChosen(key)
                      select(key, event.shiftKey)
                      scroller.current?.focus({ preventScroll: true })
                    }}
                  >
                    <span>
                      <input
                        type="checkbox"
                        tabIndex={-1}
                        aria-label={`Select ${row.name}`}
                        checked={selection.keys.has(key)}
                      />
                    </span>
                  </td>
                )}
                {hasNamespaces && !isNarrow && <td class="dim">{row.namespace}</td>}
                {shown.map((index) => {
                  const column = columns[index]
                  if (column === undefined) return null
                  const cell = row.cells[index]
                  return (
                    <Cell key={column.name} column={column} row={row} cell={cell} now={now} address={addressOf(row)} />
                  )
                })}
                {hasNamespaces && isNarrow && <td class="dim">{row.namespace}</td>}
              </tr>
            )
          })}
          <Spacer height={(keys.length - last) * ROW_PX} />
        </tbody>
      </table>
    </div>
  )
}

/** The active row is known by its key, because rows come and go while the table is open. */
function activeIn(keys: readonly string[], chosen: string): number {
  return Math.max(0, keys.indexOf(chosen))
}

function Spacer({ height }: { readonly height: number }) {
  return height <= 0 ? null : <tr class="spacer" aria-hidden="true" style={{ height: `${height}px` }} />
}

interface HeadingProps {
  readonly name: string
  readonly title?: string
  readonly order: Order
  readonly column: number | undefined
  readonly width: number
  readonly canSort: (column: number | undefined) => boolean
  readonly onSort: (column: number | undefined) => void
}

function Heading({ name, title = '', order, column, width, canSort, onSort }: HeadingProps) {
  const isFixed = !canSort(column)
  const isSorted = order.column === column
  const direction = order.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={isSorted ? direction : 'none'} style={{ width: `${width}ch` }}>
      <button
        type="button"
        class="heading"
        title={isFixed ? 'The server cannot sort by this column, and the list is too long to sort here.' : title}
        disabled={isFixed}
        onClick={() => onSort(column)}
      >
        {name}
        <span aria-hidden="true">{isSorted ? (order.descending ? '↓' : '↑') : ''}</span>
      </button>
    </th>
  )
}

interface CellProps {
  readonly column: Column
  readonly row: Row
  readonly cell: unknown
  readonly now: number
  readonly address: string
}

function Cell({ column, row, cell, now, address }: CellProps) {
  const text = isAge(column) ? ageText(row.created, now) : cellText(cell)
  if (isName(column)) {
    return (
      <td>
        <a href={address} tabIndex={-1} title={text}>
          {text}
        </a>
      </td>
    )
  }
  // The tone colours the word. The word alone is enough to read the state.
  const tone = isState(column) ? wordTone(text) : ''
  return (
    <td title={text}>
      <Toned tone={tone} text={text} />
    </td>
  )
}

/** The widths of the columns, by the longest cells of the first rows. They do not change while the user scrolls. */
function useWidths(rows: TableRows, columns: readonly Column[]): readonly number[] {
  const measured = useRef<{
    readonly of: readonly Column[]
    readonly rows: number
    readonly widths: readonly number[]
  }>(undefined)
  const known = measured.current
  const enough = Math.min(rows.size, MEASURED_ROWS)
  if (known !== undefined && known.of === columns && known.rows >= enough) return known.widths
  const sample: Row[] = []
  for (const row of rows) if (sample.push(row) === MEASURED_ROWS) break
  const widths = columns.map((column, i) => {
    const longest = sample.reduce((most, row) => Math.max(most, isAge(column) ? 8 : cellText(row.cells[i]).length), 0)
    return Math.min(44, Math.max(column.name.length + 3, longest + 3, 6))
  })
  measured.current = { of: columns, rows: enough, widths }
  return widths
}

function useTick(everyMs: number): void {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
