import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'

describe('columns', () => {
  it('ComponentStatus has these columns', () =>
    expectColumns(' ComponentStatus', ['Name : string name', 'Status', 'Message', 'Error']))

  it.each<CellRow>([
    [
      ' ComponentStatus',
      'healthy',
      { conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }] },
      ['Healthy', 'ok', ''],
    ],
    [
      ' ComponentStatus',
      'not',
      { conditions: [{ type: 'Healthy', status: 'False', error: 'e' }] },
      ['Unhealthy', '', 'e'],
    ],
  ])('of %s, %s', expectCells)
})
