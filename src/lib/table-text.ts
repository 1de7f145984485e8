// Tables for terminals.

/** The head of a column, and its cell in a row. */
export type Columns<T> = readonly (readonly [title: string, cell: (row: T) => string | number])[]

const WIDEST_CELL = 48

/** A table of rows, with long cells cut off. */
export function tableOf<T>(columns: Columns<T>, rows: readonly T[]): string {
  const heads = columns.map(([title]) => title)
  return tableText([heads, ...rows.map((row) => columns.map(([, cell]) => cropped(String(cell(row)))))])
}

function cropped(cell: string): string {
  return cell.length > WIDEST_CELL ? `${cell.slice(0, WIDEST_CELL - 3)}...` : cell
}

/**
 * Cells in columns, two spaces apart. An empty cell is shown as a dash. All characters but printable ASCII are replaced, so that no cell can be
 * a command to the terminal.
 */
export function tableText(lines: readonly (readonly string[])[]): string {
  const shown = lines.map((line) => line.map((cell) => (cell === '' ? '-' : cell.replaceAll(/[^\x20-\x7e]/g, '?'))))
  const widths = (shown[0] ?? []).map((_, i) => shown.reduce((width, line) => Math.max(width, line[i]!.length), 0))
  const text = shown.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  return `${text.join('\n')}\n`
}
