import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../src/http/query.ts'
import { outOfProportion } from '../../rigs/processor-time.ts'

const rows: readonly (readonly [what: string, search: string, value: string | undefined])[] = [
  ['the first value wins', 'a=1&a=2', '1'],
  ['a name alone has the empty value', 'a', ''],
  ['plus is a blank', 'a=1+2', '1 2'],
  ['a pair with a broken escape is none', 'a=%zz', undefined],
  ['a broken escape at the end', 'a=1%2', undefined],
  ['a broken pair hides no other', 'a=%zz&a=2', '2'],
  ['a pair with a semicolon is none', 'a=1;b=2', undefined],
  ['an encoded semicolon is a character', 'a=1%3Bb', '1;b'],
  ['an encoded per cent sign', 'a=%25zz', '%zz'],
  ['an encoded name', '%61=1', '1'],
  ['letters of several bytes', 'a=%C3%A9', 'é'],
  ['bytes that are no text', 'a=%ff', '\ufffd'],
  ['an equals sign in the value', 'a=b=c', 'b=c'],
  ['a name of every object', 'toString=1', undefined],
]

describe('query parameters (R-057)', () => {
  it.each(rows)('%s', (_, search, value) => {
    const query = parseQuery(search)
    expect(query.get('a')).toBe(value)
    expect(query.has('a')).toBe(value !== undefined)
  })

  it('gives all values of a name in order', () => {
    expect(parseQuery('a=1&b=2&a=3&a').all('a')).toEqual(['1', '3', ''])
    expect(parseQuery('b=2').all('a')).toEqual([])
  })

  it('reads a megabyte of empty pairs in proportion to its length', () => {
    expect(outOfProportion(500_000, (pairs) => void parseQuery('a&'.repeat(pairs)))).toBe('')
  })
})
