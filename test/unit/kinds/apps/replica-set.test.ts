import { describe, it } from 'vitest'
import { sets } from './sets.ts'
import { type CellRow, expectCells, expectColumns, selector, template } from '../columns.ts'
import { expectDefaults, named, TEMPLATE } from '../defaulting.ts'
import { changes, judge, type Row, statuses } from '../judging.ts'

describe('columns', () => {
  it('apps ReplicaSet has these columns', () =>
    expectColumns('apps ReplicaSet', [
      'Name : string name',
      'Desired : integer',
      'Current : integer',
      'Ready : integer',
      'Age',
      '|Containers',
      '|Images',
      '|Selector',
    ]))

  it.each<CellRow>([
    [
      'apps ReplicaSet',
      'scaled',
      { spec: { replicas: 3, selector, template }, status: { replicas: 2 } },
      [3, 2, 0, 'c,d', 'i:1,j', 'app=x,b'],
    ],
  ])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(named([{ of: 'apps/v1 ReplicaSet', given: {}, meant: { spec: { template: TEMPLATE, replicas: 1 } } }]))(
    '%s',
    expectDefaults,
  )
})

describe('validation', () => {
  it.each<Row>([
    ...sets('ReplicaSet'),
    ...statuses('apps/v1 ReplicaSet', [
      'more available than ready',
      {},
      { 'status/replicas': 2, 'status/readyReplicas': 1, 'status/availableReplicas': 2 },
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ]),
    ...changes('apps/v1 ReplicaSet', [
      'a fault is told once',
      {},
      { 'spec/replicas': -1 },
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]),
  ])('$of: $case', judge)
})
