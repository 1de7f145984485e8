import { describe, expect, it } from 'vitest'
import { NO_HEADERS } from '../../fakes/no-headers.ts'
import { bearerTokens } from '../../../src/auth/bearer-tokens.ts'
import { Count } from '../../../src/lib/measure.ts'
import { parseTokenFile, staticTokens } from '../../../src/auth/token-file.ts'

describe('the static token file (P-036)', () => {
  it('names user, uid and groups', () => {
    const { users } = parseTokenFile('t1,alice,1,"dev,qa"\nt2,bob,2\n')
    expect(users.get('t1')).toEqual({ name: 'alice', uid: '1', groups: ['dev', 'qa'], extra: {} })
    expect(users.get('t2')).toEqual({ name: 'bob', uid: '2', groups: [], extra: {} })
  })

  it('takes a group without quotes, quotes in fields, blank lines and Windows line ends', () => {
    const { users } = parseTokenFile('t1,alice,1,system:masters\r\n\r\n"t""2","b, c",,""\r\n')
    expect(users.get('t1')?.groups).toEqual(['system:masters'])
    expect(users.get('t"2')).toEqual({ name: 'b, c', uid: undefined, groups: [], extra: {} })
  })

  it('lets the last line of a repeated token win, and skips empty tokens', () => {
    const { users, skippedLines } = parseTokenFile('t,a,1\n,nobody,2\nt,b,3')
    expect(users.get('t')?.name).toBe('b')
    expect(users.size).toBe(1)
    expect(skippedLines).toEqual([2])
  })

  it.each([
    [
      'too few columns',
      't1,alice,1\nt2,bob',
      'line 2 has 2 columns where at least 3 are needed: token, user name, user uid',
    ],
    ['a stray quote', 't1,al"ice,1', 'line 1 has a stray double quote'],
    ['an open quote', 't1,alice,1\n"t2,bob,2', 'line 2 has a stray double quote'],
  ])('refuses %s', (_name, text, message) => {
    expect(() => parseTokenFile(text)).toThrow(message)
  })

  it('finds exactly the tokens that it has', () => {
    const { authenticator } = bearerTokens([staticTokens(parseTokenFile('secret,alice,1').users)], [])
    const ask = (bearerToken: string) =>
      authenticator.authenticate(
        { bearerToken, certificate: undefined, sent: NO_HEADERS },
        new AbortController().signal,
      )
    expect(ask('secret')).toMatchObject({ kind: 'user', user: { name: 'alice' } })
    for (const token of ['secre', '', '__proto__']) expect(ask(token)).toMatchObject({ kind: 'refused' })
  })
})

it('a token is known the second time it was good, and only then', () => {
  const lookups = { hits: new Count(), misses: new Count() }
  const { authenticator } = bearerTokens([staticTokens(parseTokenFile('secret,alice,1').users)], [], lookups)
  const ask = (bearerToken: string) =>
    authenticator.authenticate({ bearerToken, certificate: undefined, sent: NO_HEADERS }, new AbortController().signal)
  for (const token of ['wrong', 'wrong', 'secret', 'secret', 'secret']) void ask(token)
  expect([lookups.hits.value, lookups.misses.value]).toEqual([2, 3])
})
