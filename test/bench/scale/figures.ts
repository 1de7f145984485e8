// The figures of a scenario as a table: for each size what both servers took, how they compare, and how ours grew from the size before.
import { median } from '../median.ts'
import type { Subject } from './subject.ts'

/** By what was measured, with its unit. */
export type Row = Readonly<Record<string, number>>

/** The figures of each server at one size. */
export interface Measured {
  readonly size: number
  readonly ours: Row
  readonly reference: Row | undefined
}

/** Each server in turns, so many rounds, whose order changes; the median of each figure. */
export async function inTurns(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject, round: number) => Promise<Row>,
): Promise<readonly Row[]> {
  const rows = subjects.map((): Row[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...subjects.keys()]
    for (const at of round % 2 === 0 ? order : order.reverse()) rows[at]!.push(await measure(subjects[at]!, round))
  }
  return rows.map((all) =>
    Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, median(all.map((row) => row[name] ?? 0))])),
  )
}

export function together(size: number, rows: readonly (readonly Row[])[]): Measured {
  const of = (at: number): Row => Object.assign({}, ...rows.map((all) => all[at] ?? {})) as Row
  const hasReference = rows.some((all) => all.length > 1)
  return { size, ours: of(0), reference: hasReference ? of(1) : undefined }
}

/** Line by line: what was measured is there also where a larger size fails. */
export function printTable(title: string, unit: string): (measured: Measured) => void {
  const head = [
    '',
    `### ${title}`,
    '',
    `| ${unit} | | ours | the reference | ratio | growth of ours | of the reference |`,
    '|--:|---|--:|--:|--:|--:|--:|',
  ]
  process.stdout.write(`${head.join('\n')}\n`)
  let before: Measured | undefined
  return (measured) => {
    const lines = Object.keys(measured.ours).map((name) => `${lineOf(name, measured, before)}\n`)
    process.stdout.write(lines.join(''))
    before = measured
  }
}

function lineOf(name: string, { size, ours, reference }: Measured, before: Measured | undefined): string {
  const cells = [
    size.toLocaleString('en'),
    name,
    shown(ours[name]),
    shown(reference?.[name]),
    ratio(ours[name], reference?.[name]),
    ratio(ours[name], before?.ours[name]),
    ratio(reference?.[name], before?.reference?.[name]),
  ]
  return `| ${cells.join(' | ')} |`
}

function shown(figure: number | undefined): string {
  if (figure === undefined) return '–'
  return figure < 1_000 ? figure.toPrecision(3) : Math.round(figure).toLocaleString('en')
}

function ratio(figure: number | undefined, of: number | undefined): string {
  return figure === undefined || of === undefined || of === 0 ? '–' : (figure / of).toFixed(2)
}

/** The nth part of the times, in order: 0.5 is the middle. */
export function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
