import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, NOT_NEGATIVE, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('policy PodDisruptionBudget has these columns', () =>
    expectColumns('policy PodDisruptionBudget', [
      'Name : string name',
      'Min Available',
      'Max Unavailable',
      'Allowed Disruptions : integer',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'policy PodDisruptionBudget',
      'by number',
      { spec: { minAvailable: 2 }, status: { disruptionsAllowed: 1 } },
      ['2', 'N/A', 1],
    ],
    ['policy PodDisruptionBudget', 'by share', { spec: { maxUnavailable: '50%' } }, ['N/A', '50%', 0]],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'policy/v1 PodDisruptionBudget',
      [
        'both bounds',
        { 'spec/maxUnavailable': 1 },
        'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"a"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
      ['fewer than none', { 'spec/minAvailable': -1 }, `spec.minAvailable: Invalid value: -1: ${NOT_NEGATIVE}`],
      [
        'more than all',
        { 'spec/minAvailable': '101%' },
        'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
      ],
      [
        'an unknown policy',
        { 'spec/unhealthyPodEvictionPolicy': 'Odd' },
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ),
    ...statuses('policy/v1 PodDisruptionBudget', [
      'fewer than none',
      {},
      { 'status/expectedPods': -1 },
      `status.expectedPods: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]),
  ])('$of: $case', judge)
})
