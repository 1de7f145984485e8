// The parameters of queries on lists and watches. Requests without them do not run any query code.

interface Parameters {
  has(name: string): boolean
}

/** These parameters decide which objects an answer has, and in which form. `accessible` selects objects by the rights of the caller. */
export const QUERY_PARAMETERS: readonly string[] = [
  'where',
  'orderBy',
  'select',
  'count',
  'groupBy',
  'sum',
  'min',
  'max',
  'explainQuery',
  'accessible',
]

export function hasQuery(parameters: Parameters): boolean {
  return QUERY_PARAMETERS.some((name) => parameters.has(name))
}

/** For a query with one of these parameters, the server reads all objects, even if the query has a `limit`. */
const WHOLE: readonly string[] = ['where', 'orderBy', 'count', 'groupBy', 'sum', 'min', 'max', 'accessible']

export function readsAll(parameters: Parameters): boolean {
  return WHOLE.some((name) => parameters.has(name))
}
