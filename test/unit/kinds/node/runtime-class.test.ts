import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns } from '../columns.ts'
import { changes, IMMUTABLE, judge, LABEL, type Row, rows } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('node.k8s.io RuntimeClass has these columns', () =>
    expectColumns('node.k8s.io RuntimeClass', ['Name : string name', 'Handler', 'Age']))

  it.each<CellRow>([['node.k8s.io RuntimeClass', 'any', { handler: 'runsc' }, ['runsc']]])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'node.k8s.io/v1 RuntimeClass',
      ['a bad handler', { handler: 'A' }, `handler: Invalid value: "A": ${LABEL}`],
      ['no handler', { handler: '' }, 'handler: Required value'],
      ['a finalizer without a domain', { 'metadata/finalizers': ['x'] }],
    ),
    ...changes('node.k8s.io/v1 RuntimeClass', [
      'another handler',
      {},
      { handler: 'g' },
      `handler: Invalid value: "g": ${IMMUTABLE}`,
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'old labels of nodes in a way to run pods',
      at: ['runtimeclasses', 'node.k8s.io'],
      object: { scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
      warnings: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
    },
  ])('$name', expectWarnings)
})
