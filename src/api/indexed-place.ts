// The places in objects whose values are indexed for queries. Flags and annotations name these places.
import { parsePaths, queryFault } from './path-text.ts'

export interface IndexedPlace {
  /** The path in the usual form: `spec.nodeName`. */
  readonly name: string
  /** The names of members, and positions in lists. */
  readonly path: readonly string[]
}

/** An annotation of definitions: the indexes of the kind. */
export const INDEXES = 'quarterdeck.io/indexes'

const MOST_PLACES = 16
/** JSON texts write other names with escapes. */
const PLAIN = /^[\w./:@ -]+$/

/** Throws `ApiError` `BadRequest` with the position of a fault. */
export function parseIndexedPlaces(parameter: string, text: string): readonly IndexedPlace[] {
  const paths = parsePaths(parameter, text)
  for (const { word, text: name, steps, column } of paths) {
    if (word !== '') throw queryFault(parameter, column + name.length + 1, `unexpected ${JSON.stringify(word)}`)
    if (name.includes('[*]')) throw queryFault(parameter, column, `${name} has many values`)
    if (steps.some((step) => !PLAIN.test(String(step))))
      throw queryFault(parameter, column, `${name} cannot be indexed`)
  }
  if (paths.length > MOST_PLACES) throw queryFault(parameter, 1, `a resource has ${MOST_PLACES} indexes at most`)
  return paths.map(({ text: name, steps }) => ({ name, path: steps.map(String) }))
}
