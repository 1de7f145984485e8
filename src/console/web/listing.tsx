// A card with a small table.
import type { ComponentChildren } from 'preact'
import type { Problem } from './api.ts'
import type { Tone } from './health.ts'

interface Props {
  readonly title: string
  readonly columns: readonly string[]
  readonly problem?: Problem | undefined
  /** Undefined: they are not known yet. */
  readonly rows: readonly (readonly ComponentChildren[])[] | undefined
  /** Shown if there are no rows. */
  readonly empty?: ComponentChildren
  /** Shown below the rows. */
  readonly children?: ComponentChildren
}

export function Listing({ title, columns, problem, rows, empty = 'None.', children }: Props) {
  return (
    <section class="card listing" aria-label={title}>
      <h2>{title}</h2>
      {problem !== undefined && (
        <p class={problem.kind === 'forbidden' ? 'dim' : 'tone bad'}>
          {problem.kind === 'forbidden' ? `No permission: ${problem.message}` : problem.message}
        </p>
      )}
      {rows !== undefined && rows.length === 0 && <p class="dim">{empty}</p>}
      {rows !== undefined && rows.length > 0 && (
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
      )}
      {children}
    </section>
  )
}

/** A word with its colour. */
export function Toned({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={tone === '' ? '' : `tone ${tone}`}>{text}</span>
}
