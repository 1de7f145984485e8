// The selected rows of a table. This file needs no browser.

export interface Selection {
  readonly keys: ReadonlySet<string>
  /** The row that was selected last: a range begins there. */
  readonly anchor: string
}

export const NOTHING_SELECTED: Selection = Object.freeze({ keys: new Set<string>(), anchor: '' })

/** Selects the row, or takes it out of the selection. With `isRange`, all rows from the anchor to this one are selected. */
export function withRow(
  { keys, anchor }: Selection,
  shown: readonly string[],
  key: string,
  isRange: boolean,
): Selection {
  const [from, to] = [shown.indexOf(anchor), shown.indexOf(key)]
  const next = new Set(keys)
  if (isRange && from !== -1) {
    for (const one of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
    return { keys: next, anchor }
  }
  if (!next.delete(key)) next.add(key)
  return { keys: next, anchor: key }
}

/** All shown rows, or none if all of them are selected. */
export function withAll(selection: Selection, shown: readonly string[]): Selection {
  return selectedOf(selection, shown).length === shown.length ? NOTHING_SELECTED : { keys: new Set(shown), anchor: '' }
}

/** The selected rows that are shown: no action touches a row that the user does not see. */
export function selectedOf({ keys }: Selection, shown: readonly string[]): readonly string[] {
  return keys.size === 0 ? [] : shown.filter((key) => keys.has(key))
}
