import { type Arbitrary, array, assert, constantFrom, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeTolerations } from '../../../src/plugins/tolerations.ts'
import { equalValues, type ValueMap } from '../../../src/api/value.ts'

/** What the first has to say so that everything that the second tolerates is tolerated. */
function covers(wide: ValueMap, given: ValueMap): boolean {
  if (equalValues(wide, given)) return true
  const { key: wideKey = '', operator = '', value: wideValue = '', effect: wideEffect = '' } = wide
  const { key = '', value = '', effect = '' } = given
  if (key !== wideKey && (wideKey !== '' || operator !== 'Exists')) return false
  if (effect !== wideEffect && wideEffect !== '') return false
  const [most, asked] = [wide['tolerationSeconds'], given['tolerationSeconds']]
  if (wideEffect === 'NoExecute' && most !== undefined && (asked === undefined || Number(asked) > Number(most)))
    return false
  if (operator === 'Exists') return true
  return (operator === 'Equal' || operator === '') && given['operator'] === 'Equal' && value === wideValue
}

function slowly(all: readonly ValueMap[]): readonly ValueMap[] {
  const merged: ValueMap[] = []
  for (const [i, each] of all.entries()) {
    if (merged.some((other) => covers(other, each))) continue
    if (all.slice(i + 1).some((other) => !equalValues(each, other) && covers(other, each))) continue
    merged.push(each)
  }
  return merged
}

const oneOf = (...texts: readonly string[]): Arbitrary<string> => constantFrom(...texts)
const toleration = record(
  {
    key: oneOf('a', 'b'),
    operator: oneOf('Exists', 'Equal', 'Lt'),
    value: oneOf('x', 'y'),
    effect: oneOf('NoSchedule', 'NoExecute'),
    tolerationSeconds: constantFrom(1, 2, 3),
  },
  { requiredKeys: [] },
)

describe('tolerations of a pod and of its runtime class', () => {
  it.each([
    ['of both', [{ key: 'a' }], [{ key: 'b' }], [{ key: 'a' }, { key: 'b' }]],
    [
      'once',
      [{ key: 'a', operator: 'Exists' }],
      [{ key: 'a', operator: 'Exists' }],
      [{ key: 'a', operator: 'Exists' }],
    ],
    [
      'that another covers',
      [{ operator: 'Exists' }],
      [{ key: 'b', operator: 'Equal', value: 'x' }],
      [{ operator: 'Exists' }],
    ],
    ['that a later one covers', [{ key: 'b', operator: 'Exists' }], [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  ])('are those %s', (_, first, second, merged) => {
    expect(mergeTolerations(first, second)).toEqual(merged)
  })

  it('are what comparing each with each gives', () => {
    assert(
      property(array(toleration, { maxLength: 8 }), array(toleration, { maxLength: 4 }), (first, second) => {
        const all = [...first, ...second] as readonly ValueMap[]
        expect(mergeTolerations(first as readonly ValueMap[], second as readonly ValueMap[])).toEqual(slowly(all))
      }),
      { numRuns: 3000 },
    )
  })
})
