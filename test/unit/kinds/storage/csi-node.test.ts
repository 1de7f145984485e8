import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { changes, judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('storage.k8s.io CSINode has these columns', () =>
    expectColumns('storage.k8s.io CSINode', ['Name : string name', 'Drivers : integer', 'Age']))

  it.each<CellRow>([['storage.k8s.io CSINode', 'two drivers', { spec: { drivers: [{}, {}] } }, [2]]])(
    'of %s, %s',
    expectCells,
  )
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'storage.k8s.io/v1 CSINode',
      ['no name', { 'spec/drivers/0/name': '' }, 'spec.drivers[0].name: Required value'],
      ['no node', { 'spec/drivers/0/nodeID': '' }, 'spec.drivers[0].nodeID: Required value'],
      [
        'a driver twice',
        { 'spec/drivers/1': { name: 'example.com', nodeID: 'm' } },
        'spec.drivers[1].name: Duplicate value: "example.com"',
      ],
      [
        'fewer than none',
        { 'spec/drivers/0/allocatable': { count: -1 } },
        `spec.drivers[0].allocatable.count: Invalid value: -1: ${NOT_NEGATIVE}`,
      ],
    ),
    ...changes('storage.k8s.io/v1 CSINode', [
      'another id of the node',
      {},
      { 'spec/drivers/0/nodeID': 'm' },
      'spec.drivers: Invalid value: {"Name":"example.com","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ]),
  ])('$of: $case', judge)
})
