import { expect, it } from 'vitest'
import { accountOf, isSubdomain } from '../../../src/auth/user.ts'

const label = (length: number): string => 'a'.repeat(length)
const dotted = (length: number): string => `${label(63)}.${label(63)}.${label(63)}.${label(length - 192)}`

it.each([
  ['a', true],
  ['a-1.b', true],
  ['', false],
  ['A', false],
  ['a_b', false],
  ['-a', false],
  ['a.', false],
  [dotted(253), true],
  [dotted(254), false],
])('%s is a name: %s', (text, isOne) => {
  expect(isSubdomain(text)).toBe(isOne)
})

it.each([
  ['system:serviceaccount:ns:robot', { namespace: 'ns', name: 'robot' }],
  [`system:serviceaccount:${label(63)}:robot`, { namespace: label(63), name: 'robot' }],
  [`system:serviceaccount:${label(64)}:robot`, undefined],
  ['system:serviceaccount:ns', undefined],
  ['system:serviceaccount:ns:robot:more', undefined],
  ['system:serviceaccount:n.s:robot', undefined],
  ['jane', undefined],
])('%s is an account: %o', (name, account) => {
  expect(accountOf(name)).toEqual(account)
})
