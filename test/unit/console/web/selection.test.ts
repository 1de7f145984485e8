import { describe, expect, it } from 'vitest'
import { NOTHING_SELECTED, selectedOf, withAll, withRow } from '../../../../src/console/web/selection.ts'

const SHOWN = ['a', 'b', 'c', 'd', 'e']

/** `c` selects a row, and `C` a range to it. */
function select(...steps: readonly string[]) {
  return steps.reduce(
    (before, step) => withRow(before, SHOWN, step.toLowerCase(), step !== step.toLowerCase()),
    NOTHING_SELECTED,
  )
}

describe('the selection', () => {
  it.each([
    ['one row', ['b'], 'b'],
    ['a row twice', ['b', 'b'], ''],
    ['a range down', ['b', 'D'], 'bcd'],
    ['a range up', ['d', 'B'], 'bcd'],
    ['two ranges from one row', ['c', 'E', 'A'], 'abcde'],
    ['a range without a beginning', ['C'], 'c'],
    ['a range after a row was taken out', ['a', 'b', 'b', 'D'], 'abcd'],
  ])('%s', (_title, steps, wanted) => expect(selectedOf(select(...steps), SHOWN).join('')).toBe(wanted))

  it('has no row that is filtered away or gone', () => {
    expect(selectedOf(select('a', 'D'), ['b', 'e'])).toEqual(['b'])
  })

  it('takes all shown rows, and then none', () => {
    const all = withAll(select('a'), SHOWN)
    expect(selectedOf(all, SHOWN)).toEqual(SHOWN)
    expect(selectedOf(withAll(all, SHOWN), SHOWN)).toEqual([])
  })
})
