// Merge sort in pieces: short runs are sorted by the platform, and merged until one is left.

const RUN = 2048

/** Yields after each piece, and returns the sorted items. The sort is stable, like the platform's. */
export function* sortInPieces<T>(
  things: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < things.length; at += RUN) {
    runs.push(things.slice(at, at + RUN).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeInPieces(runs[i]!, runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergeInPieces<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  // Sorted input, such as a stored list, takes one comparison for each merge.
  if (left.length === 0 || right.length === 0 || compare(left.at(-1)!, right[0]!) <= 0) return left.concat(right)
  const out: T[] = []
  for (let [l, r] = [0, 0]; l < left.length || r < right.length; ) {
    const takesLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0)
    out.push(takesLeft ? left[l++]! : right[r++]!)
    if (out.length % RUN === 0) yield
  }
  return out
}
