import { describe, it } from 'vitest'
import { judge, type Row, rows } from '../../judging.ts'

describe('validation', () => {
  it.each<Row>([
    ...rows(
      'v1 Binding',
      ['no node', { target: {} }, 'target.name: Required value'],
      [
        'no node at all',
        { 'target/kind': 'Pod' },
        'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      ],
    ),
  ])('$of: $case', judge)
})
