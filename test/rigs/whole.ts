// Tests that take long run as a slice in `make test`: one of each class. `make test-long`, `make test-cost` and `make
// test-conformance` set WHOLE and run all of them.

export const IS_WHOLE = process.env['WHOLE'] !== undefined

/** The rows of a table of tests. `slice` names those that `make test` runs. */
export function rowsOf<Row>(
  all: Readonly<Record<string, Row>>,
  slice: readonly string[],
): readonly (readonly [string, Row])[] {
  const unknown = slice.filter((name) => !Object.hasOwn(all, name))
  if (unknown.length > 0) throw new Error(`no such rows: ${unknown.join(', ')}`)
  return Object.entries(all).filter(([name]) => IS_WHOLE || slice.includes(name))
}
