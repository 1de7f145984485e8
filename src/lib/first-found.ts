// The first result of a search.

/** The first result that is not undefined. `look` is not called for the items after it. */
export function firstFound<T, F>(items: Iterable<T>, look: (item: T) => F | undefined): F | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}
