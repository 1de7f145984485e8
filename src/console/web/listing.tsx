// Small tables, alone or in a card with a title.
import type { ComponentChildren } from 'preact'
import type { Problem } from './api.ts'
import type { Tone } from './health.ts'
import { type Kind, type ObjectName, placeText } from './kind.ts'
import { objectAddress } from './routes.ts'

export type Cells = readonly ComponentChildren[]

interface TableProps {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly Cells[]
}

/** On a small screen, each row becomes a paragraph with the names of its columns. */
export function PlainTable({ title, columns, rows }: TableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={`${title}, scrollable`}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, at) => (
                <td key={columns[at]} data-column={columns[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ListingProps extends Omit<TableProps, 'rows'> {
  readonly problem?: Problem | undefined
  /** Undefined: the rows are not known yet. */
  readonly rows: readonly Cells[] | undefined
  /** Shown if there are no rows. */
  readonly empty?: ComponentChildren
  /** Shown below the rows. */
  readonly children?: ComponentChildren
}

export function Listing({ title, columns, problem, rows, empty = 'None.', children }: ListingProps) {
  return (
    <section class="card listing" aria-label={title}>
      <h2>{title}</h2>
      {problem !== undefined && (
        <p class={problem.kind === 'forbidden' ? 'dim' : 'tone bad'}>
          {problem.kind === 'forbidden' ? `No permission: ${problem.message}` : problem.message}
        </p>
      )}
      {rows?.length === 0 && <p class="dim">{empty}</p>}
      {rows !== undefined && rows.length > 0 && <PlainTable title={title} columns={columns} rows={rows} />}
      {children}
    </section>
  )
}

/** A word with its colour. */
export function Toned({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={tone === '' ? '' : `tone ${tone}`}>{text}</span>
}

interface LinkProps {
  /** Undefined: the server does not serve the kind, so there is no page. */
  readonly kind: Pick<Kind, 'group' | 'plural'> | undefined
  readonly named: ObjectName
  readonly text?: string
}

export function ObjectLink({ kind, named, text = named.name }: LinkProps) {
  if (kind === undefined) return <>{text}</>
  return (
    <a href={objectAddress(kind, named)} title={placeText(named)}>
      {text}
    </a>
  )
}
