// Merges two edits of one text line by line. If both edits changed the same lines, the lines of `mine` stay, and the lines of `theirs` are
// reported.
import { presentableDiff } from '@codemirror/merge'

export interface Clash {
  readonly mine: string
  readonly theirs: string
}

export interface Merged {
  readonly text: string
  readonly clashes: readonly Clash[]
}

/** A range of the base, and its replacement. Both are whole lines. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

export function mergeTexts(base: string, mine: string, theirs: string): Merged {
  const own = editsOf(base, mine)
  const clashes: Clash[] = []
  const others = editsOf(base, theirs).filter((edit) => {
    const clashing = own.filter((one) => overlap(one, edit))
    if (clashing.length === 0) return true
    if (clashing.some((one) => one.text !== edit.text)) {
      clashes.push({ mine: clashing.map(({ text }) => text).join(''), theirs: edit.text })
    }
    return false
  })
  const edits = [...own, ...others].sort((a, b) => b.from - a.from || b.to - a.to)
  return {
    text: edits.reduce((text, { from, to, text: put }) => text.slice(0, from) + put + text.slice(to), base),
    clashes,
  }
}

/** Two insertions at one place clash too. */
function overlap(a: Edit, b: Edit): boolean {
  return a.from === b.from || (a.from < b.to && b.from < a.to)
}

function editsOf(base: string, changed: string): readonly Edit[] {
  const edits: Edit[] = []
  let last: { fromA: number; toA: number; fromB: number; toB: number } | undefined
  const close = (): void => {
    if (last !== undefined) edits.push({ from: last.fromA, to: last.toA, text: changed.slice(last.fromB, last.toB) })
  }
  for (const { fromA, toA, fromB, toB } of presentableDiff(base, changed)) {
    const before = fromA - (base.lastIndexOf('\n', fromA - 1) + 1)
    const after = lineEnd(base, toA) - toA
    const next = { fromA: fromA - before, toA: toA + after, fromB: fromB - before, toB: toB + after }
    if (last !== undefined && next.fromA < last.toA)
      last = { ...last, toA: Math.max(last.toA, next.toA), toB: Math.max(last.toB, next.toB) }
    else {
      close()
      last = next
    }
  }
  close()
  return edits
}

/** The end of the line that contains the place. A place at the beginning of a line stays: it is the end of the line before. */
function lineEnd(text: string, place: number): number {
  if (place === 0 || text[place - 1] === '\n') return place
  const end = text.indexOf('\n', place)
  return end === -1 ? text.length : end + 1
}
