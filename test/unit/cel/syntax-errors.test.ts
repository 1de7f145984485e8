// What the reference's parser says of texts that are no expressions, from its published tests: all mistakes of a text, in its
// words and at its places.
import { getParsingSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/cel/cel.ts'

/** Their parser had narrower limits, or did not know all of the syntax that the API has, or knew `existsOne` of one variable. */
const SET_UP_OTHERWISE = /limit exceeded|max recursion depth|unsupported syntax|undeclared reference to 'existsOne'/

const rows = getParsingSuite().tests.flatMap(({ original, error }) =>
  error === undefined || SET_UP_OTHERWISE.test(error) || original.expr.includes('.existsOne(__')
    ? []
    : [[original.expr, error] as const],
)

/** The texts name their source differently, and end in spaces that nobody sees. */
const tidy = (text: string): string =>
  text
    .replaceAll('<input>', '')
    .replace(/[ \t]+$/gm, '')
    .trim()

describe('texts that are no expressions', () => {
  it('are enough of them', () => {
    expect(rows.length).toBeGreaterThan(110)
  })

  it.each(rows)('%j', (expression, error) => {
    const compiled = compile(expression, { variables: new Map(), mixedLiterals: true })
    expect(compiled.kind === 'refused' && tidy(compiled.text)).toBe(tidy(error))
  })
})
