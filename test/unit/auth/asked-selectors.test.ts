import { expect, it } from 'vitest'
import { askedSelectors } from '../../../src/auth/asked-selectors.ts'

it('selectors are read from their texts; an empty one asks for nothing', () => {
  expect(askedSelectors('spec.nodeName=a', '')).toEqual({
    fields: [{ field: 'spec.nodeName', operator: '=', value: 'a' }],
    labels: undefined,
  })
  expect(askedSelectors('', 'x')).toEqual({ fields: undefined, labels: [{ kind: 'exists', key: 'x' }] })
})

it('what cannot be read is left out, which asks for more (P-105)', () => {
  expect(askedSelectors('a=b=c', 'x in (')).toEqual({ fields: undefined, labels: undefined })
})
