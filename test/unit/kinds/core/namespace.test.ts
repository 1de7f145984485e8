import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { expectDefaults, named } from '../defaulting.ts'
import { judge, type Row, rows, statuses } from '../judging.ts'

describe('columns', () => {
  it('Namespace has these columns', () => expectColumns(' Namespace', ['Name : string name', 'Status', 'Age']))

  it.each<CellRow>([[' Namespace', 'active', { status: { phase: 'Active' } }, ['Active']]])('of %s, %s', expectCells)
})

describe('defaults', () => {
  it.each(
    named([
      {
        of: 'v1 Namespace',
        given: { metadata: { name: 'n', labels: { a: 'b', 'kubernetes.io/metadata.name': 'x' } } },
        meant: {
          metadata: { name: 'n', labels: { a: 'b', 'kubernetes.io/metadata.name': 'n' } },
          status: { phase: 'Active' },
        },
      },
      {
        of: 'v1 Namespace',
        as: 'without a name yet',
        given: { metadata: { generateName: 'n-' } },
        meant: { metadata: { generateName: 'n-' }, status: { phase: 'Active' } },
      },
    ]),
  )('%s', expectDefaults)
})

describe('validation (W-373)', () => {
  it.each<Row>([
    ...rows('v1 Namespace', [
      'a finalizer without a domain',
      { 'spec/finalizers': ['odd'] },
      'spec.finalizers: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified',
    ]),
    ...statuses('v1 Namespace', [
      'ended without being deleted',
      {},
      { 'status/phase': 'Terminating' },
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]),
  ])('$of: $case', judge)
})
