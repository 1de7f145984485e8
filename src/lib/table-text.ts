// Tables for terminals.

/** Cells in columns, two spaces apart; what is empty is shown as a dash, and nothing can be a command to the terminal. */
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
