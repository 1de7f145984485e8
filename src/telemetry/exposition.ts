// Writes metrics in the Prometheus text format, one piece in each turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Count, Distribution, type Family } from '../lib/measure.ts'

/** The approximate length of text that is written in a millisecond. */
const PIECE_LENGTH = 64 * 1024

export async function* exposition(families: Iterable<Family>): AsyncGenerator<Buffer> {
  let text = ''
  for (const family of families) {
    await family.refresh()
    text += `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.kind}\n`
    // The list is copied, because a series that is removed and added meanwhile would be written twice.
    for (const { values, series } of Array.from(family.all())) {
      text += linesOf(family, values, series)
      if (text.length < PIECE_LENGTH) continue
      yield Buffer.from(text)
      text = ''
      await nextTurn()
    }
    text += '\n'
  }
  yield Buffer.from(text)
}

function linesOf(family: Family, values: readonly string[], series: Count | Distribution): string {
  const { name, kind } = family
  const labels = family.labels.map((label, i) => `${label}="${escapeValue(values[i] ?? '')}"`).join(',')
  // A counter or a histogram that is still at zero is not shown, unless its family has no labels or begins at zero.
  const isShown = kind === 'gauge' || values.length === 0 || family.fromZero
  if (!(series instanceof Distribution)) {
    if (!isShown && series.value <= 0) return ''
    return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(series.value)}\n`
  }
  if (!isShown && !series.counts.some((count) => count > 0)) return ''
  const { bounds, counts, sum } = series
  const before = labels === '' ? '' : `${labels},`
  const whole = labels === '' ? '' : `{${labels}}`
  let count = 0
  let text = ''
  for (let i = 0; i < counts.length; i++) {
    count += counts[i]!
    text += `${name}_bucket{${before}le="${bounds[i] ?? '+Inf'}"} ${count}\n`
  }
  return `${text}${name}_sum${whole} ${numberText(sum)}\n${name}_count${whole} ${count}\n`
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

function escapeHelp(text: string): string {
  return text.replace(/[\\\n]/g, (found) => (found === '\n' ? '\\n' : '\\\\'))
}

function escapeValue(text: string): string {
  return text.replace(/[\\\n"]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}
