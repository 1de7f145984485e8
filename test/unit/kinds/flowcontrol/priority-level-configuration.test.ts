import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('flowcontrol.apiserver.k8s.io PriorityLevelConfiguration has these columns', () =>
    expectColumns('flowcontrol.apiserver.k8s.io PriorityLevelConfiguration', [
      'Name : string name',
      'Type',
      'NominalConcurrencyShares',
      'Queues',
      'HandSize',
      'QueueLengthLimit',
      'Age',
    ]))

  it.each<CellRow>([
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'queuing',
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 30,
            limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
          },
        },
      },
      ['Limited', 30, 64, 6, 50],
    ],
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'exempt',
      { spec: { type: 'Exempt' } },
      ['Exempt', '<none>', '<none>', '<none>', '<none>'],
    ],
    [
      'flowcontrol.apiserver.k8s.io PriorityLevelConfiguration',
      'rejecting',
      { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
      ['Limited', 0, '<none>', '<none>', '<none>'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
        given: { spec: { limited: { limitResponse: { queuing: { queues: 0 } } }, exempt: {} } },
        meant: {
          spec: {
            limited: {
              nominalConcurrencyShares: 30,
              lendablePercent: 0,
              limitResponse: { queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
            },
            exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
          },
        },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation (P-205)', () => {
  const LEVEL = 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration'
  it.each<Row>([
    ...rows(
      LEVEL,
      [
        'another exempt level',
        { spec: { type: 'Exempt' } },
        "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      ],
      [
        'no limits',
        { spec: { type: 'Limited' } },
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
      [
        'a hand too large',
        {
          'spec/limited/limitResponse': {
            type: 'Queue',
            queuing: { queues: 1, handSize: 2, queueLengthLimit: 1 },
          },
        },
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 2: should not be greater than queues (1)',
      ],
      [
        'more than all',
        { 'spec/limited/lendablePercent': 101 },
        'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    ),
  ])('$of: $case', judge)
})
