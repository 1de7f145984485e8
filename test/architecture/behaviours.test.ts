// What comments and tests refer to by a code is in the catalogues, and the table of what is shown is current.
import { describe, expect, it } from 'vitest'
import { checkCited, checkDefinedOnce, citedCodes, coverageTable, definedCodes, type TextFile } from './behaviours.ts'
import { COVERAGE, coverageText, readCatalogues, readCiting, readText } from './write-coverage.ts'

describe('the catalogues of behaviour', () => {
  const catalogues = readCatalogues()

  it('have items to look at', () => {
    const codes = [...definedCodes(catalogues).keys()]
    for (const [letter, least] of [
      ['R', 226],
      ['W', 642],
      ['P', 348],
      ['D', 32],
    ] as const) {
      expect(codes.filter((code) => code.startsWith(letter)).length, letter).toBeGreaterThanOrEqual(least)
    }
  })

  it('define every code once', () => expect(checkDefinedOnce(catalogues)).toEqual([]))
  it('have every code that is cited', () => expect(checkCited(readCiting(), catalogues)).toEqual([]))

  it('are counted as they are: `make generate` renews the table', () => {
    expect(readText(COVERAGE).text).toBe(coverageText())
  })
})

const file = (path: string, text: string): TextFile => ({ path, text })
const CATALOGUE = file('reads.md', '### R-001 One\n\n**W-002** Two\n\n| D3 | Three | … |\n')

describe('codes', () => {
  it.each([
    ['a single one', 'as it should (R-141).', ['R-141']],
    ['several', 'R-001, W-002 and D3', ['R-001', 'W-002', 'D3']],
    ['a range', 'P-145 to P-148', ['P-145', 'P-146', 'P-147', 'P-148']],
    ['a range of decisions', 'D9 to D11', ['D9', 'D10', 'D11']],
    ['a range with dots', 'R-040…R-042', ['R-040', 'R-041', 'R-042']],
    ['the last digits of another', 'R-051/052, R-073/74', ['R-051', 'R-052', 'R-073', 'R-074']],
    ['a part of an item', '(R-019 c, R-024(b))', ['R-019', 'R-024']],
    ['two ranges of different letters', 'R-001 to W-002', ['R-001', 'W-002']],
    ['the name of a curve', `namedCurve: 'P-256' and 'P-384'`, []],
    ['the name of a curve in a message', `check.invalid(at, 'curve P-224', 'too weak')`, []],
    ['names of curves', 'of the curves P-256, P-384, P-521', []],
    ['what only looks like one', 'R-1, XR-001, R-0012, ID3, 0xD1F, D-3, TLS-P-001', []],
  ])('are found: %s', (_name, text, codes) => expect([...citedCodes(text)]).toEqual(codes))

  it.each([
    ['a code that nobody defined', 'R-002', ['a.ts: cites R-002, which no catalogue has']],
    ['a decision that nobody took', 'D4', ['a.ts: cites D4, which no catalogue has']],
    ['the end of a range', 'D3 to D5', ['a.ts: cites D5, which no catalogue has']],
    ['what is there', 'R-001, W-002, D3', []],
  ])('are checked: %s', (_name, text, violations) => {
    expect(checkCited([file('a.ts', text)], [CATALOGUE])).toEqual(violations)
  })

  it('that were never given out may be within a range', () => {
    const gap = file('writes.md', '**W-005** Five\n')
    expect(checkCited([file('a.ts', 'W-002 to W-005')], [CATALOGUE, gap])).toEqual([])
  })

  it('are not defined again in another file, or in the same', () => {
    const again = file('writes.md', '**W-002** Two\n**W-005** Five\n**W-005** Five\n')
    expect(checkDefinedOnce([CATALOGUE, again])).toEqual([
      'W-002: is defined 2 times, in reads.md and writes.md',
      'W-005: is defined 2 times, in writes.md',
    ])
  })

  it('are counted where tests and scenarios name them, and nowhere else', () => {
    const table = coverageTable(
      [CATALOGUE, file('writes.md', '**W-003** Three\n**W-004** Four\n**W-005** Five\n')],
      [
        file('test/unit/api/a.test.ts', `it('is one (R-001)')`),
        file('test/conformance/scenarios/reads/b.scenario.mjs', '// Covers R-001, W-002.'),
        file('src/api/a.ts', '// W-003'),
        file('test/fakes/a.ts', '// D3'),
      ],
    )
    expect(table).toContain('| R-001 | unit/api/a, scenarios/reads/b |\n')
    expect(table).toContain('| W-002 | scenarios/reads/b |\n')
    expect(table).not.toContain('| W-003 |')
    expect(table).toContain('| writes | 4 | 1 | 3 |\n')
    expect(table).toContain('- reads: none\n- writes: W-003 to W-005\n- platform: none\n- decisions: D3\n')
  })
})
