import { describe, expect, it, test } from 'vitest'
import { openWorld } from '../../../rigs/api-world.ts'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { changes, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('scheduling.k8s.io PriorityClass has these columns', () =>
    expectColumns('scheduling.k8s.io PriorityClass', [
      'Name : string name',
      'Value : integer',
      'Global-Default : boolean',
      'Age',
      'PreemptionPolicy',
    ]))

  it.each<CellRow>([
    [
      'scheduling.k8s.io PriorityClass',
      'high',
      { value: 1000, globalDefault: true, preemptionPolicy: 'Never' },
      [1000, true, 'Never'],
    ],
    ['scheduling.k8s.io PriorityClass', 'zero', { value: 0 }, [0, false, '']],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      { of: 'scheduling.k8s.io/v1 PriorityClass', given: {}, meant: { preemptionPolicy: 'PreemptLowerPriority' } },
    ]),
  )('%s', expectDefaults)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'scheduling.k8s.io/v1 PriorityClass',
      [
        'above all users',
        { value: 1_000_000_001 },
        'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
      ],
      [
        'a name of the system',
        { 'metadata/name': 'system-x' },
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
      ],
      [
        'an unknown policy',
        { preemptionPolicy: 'Odd' },
        'preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"',
      ],
    ),
    ...changes('scheduling.k8s.io/v1 PriorityClass', [
      'another value',
      {},
      { value: 11 },
      'value: Forbidden: may not be changed in an update.',
    ]),
  ])('$of: $case', judge)
})

test('the priority classes of the system cannot be deleted (W-610)', async () => {
  const { strategy } = (await openWorld()).resource('priorityclasses', 'scheduling.k8s.io')
  expect(strategy.refuseDelete('system-node-critical')).toBe('this is a system priority class and cannot be deleted')
  expect(strategy.refuseDelete('mine')).toBeUndefined()
})
