import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'

describe('columns', () => {
  it('meta.k8s.io Status has these columns', () => expectColumns('meta.k8s.io Status', ['Status', 'Reason', 'Message']))

  it.each<CellRow>([
    [
      'meta.k8s.io Status',
      'a failure',
      { status: 'Failure', reason: 'NotFound', message: 'gone' },
      ['Failure', 'NotFound', 'gone'],
    ],
  ])('of %s, %s', expectCells)
})
