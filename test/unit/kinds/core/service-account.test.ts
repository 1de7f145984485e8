import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'
import { expectState, type StateRow } from '../first-state.ts'
import { judge, type Row, rows, SUBDOMAIN } from '../judging.ts'
import { expectWarnings, type WarningRow } from '../warning.ts'

describe('columns', () => {
  it('ServiceAccount has these columns', () => expectColumns(' ServiceAccount', ['Name : string name', 'Age']))
})

describe('the first state (W-089, W-091, W-578)', () => {
  it.each<StateRow>([
    {
      name: 'service accounts keep the names of secrets alone',
      at: ['serviceaccounts'],
      object: { metadata: { name: 'a' }, secrets: [{ kind: 'Secret', namespace: 'x', name: 's' }] },
      expected: { secrets: [{ name: 's' }] },
    },
  ])('$name', expectState)
})

describe('validation (W-056, W-623, P-380)', () => {
  it.each<Row>([
    ...rows('v1 ServiceAccount', [
      'a bad name',
      { 'metadata/name': 'A' },
      `metadata.name: Invalid value: "A": ${SUBDOMAIN}`,
    ]),
    ...rows('v1 ServiceAccount', [
      'a bad name',
      { 'metadata/name': '-' },
      `metadata.name: Invalid value: "-": ${SUBDOMAIN}`,
    ]),
  ])('$of: $case', judge)
})

describe('warnings', () => {
  it.each<WarningRow>([
    {
      name: 'an account that limits its secrets',
      at: ['serviceaccounts'],
      object: { metadata: { name: 's', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
      warnings: [
        'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
      ],
    },
  ])('$name', expectWarnings)
})
