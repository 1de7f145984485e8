import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { judge, NOT_NEGATIVE, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('autoscaling Scale has these columns', () =>
    expectColumns('autoscaling Scale', ['Name', 'Desired : integer', 'Available : integer', 'Age']))

  it.each<CellRow>([['autoscaling Scale', 'scaled', { spec: { replicas: 2 }, status: { replicas: 1 } }, [2, 1]]])(
    'of %s, %s',
    expectCells,
  )
})

describe('validation', () => {
  it.each<Row>([
    ...rows('autoscaling/v1 Scale', [
      'fewer than none',
      { 'spec/replicas': -1 },
      `spec.replicas: Invalid value: -1: ${NOT_NEGATIVE}`,
    ]),
  ])('$of: $case', judge)
})
