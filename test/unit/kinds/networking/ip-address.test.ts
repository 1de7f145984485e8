import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { changes, IMMUTABLE, judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('networking.k8s.io IPAddress has these columns', () =>
    expectColumns('networking.k8s.io IPAddress', ['Name : string name', 'ParentRef']))

  it.each<CellRow>([
    [
      'networking.k8s.io IPAddress',
      'of a service',
      { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } },
      ['services/n/s'],
    ],
    [
      'networking.k8s.io IPAddress',
      'of a thing of a group',
      { spec: { parentRef: { group: 'X.io', resource: 'Things', name: 's' } } },
      ['things.x.io/s'],
    ],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'networking.k8s.io/v1 IPAddress',
      [
        'no address',
        { 'metadata/name': 'x' },
        'metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
      ['no parent', { 'spec/parentRef': undefined }, 'spec.parentRef: Required value'],
    ),
    ...changes('networking.k8s.io/v1 IPAddress', [
      'another parent',
      {},
      { 'spec/parentRef/name': 't' },
      `spec.parentRef: Invalid value: {"resource":"services","namespace":"ns","name":"t"}: ${IMMUTABLE}`,
    ]),
    ...changes('networking.k8s.io/v1 IPAddress', [
      'no parent any more',
      {},
      { 'spec/parentRef': undefined },
      'spec.parentRef: Required value',
      `spec.parentRef: Invalid value: null: ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})
