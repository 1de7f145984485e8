import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { patternSize } from '../../../src/lib/pattern-size.ts'

const PATTERNS: readonly string[] = [
  'abc',
  'a{1000}',
  'a{3,}',
  'a{0}',
  'a{0,7}b?',
  '(a{10}){10}',
  '((a|bc){2,5}d){3}',
  '([)]aaa){100}',
  '([]a)b]x){100}',
  '(?:[^]a]bc){100}',
  '([\\])]abc){100}',
  '([[:alpha:])]abc){100}',
  '(\\)abc){100}',
  '(\\(abc){100}',
  '(\\Qa)\\Ebc){100}',
  '(\\p{Greek}\\x{1F600}a){100}',
  '(?i:(ab|c){20})',
  '(?P<name>ab){50}',
  '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]{1,63})*$',
  'a{,5}',
  '{',
  '(((((a)))))',
]

it.each(PATTERNS)('the size of %s is at least that of its program, and not many times as large', (pattern) => {
  const instructions = Number(RE2JS.compile(pattern).re2().numberOfInstructions())
  expect(patternSize(pattern) + 3).toBeGreaterThanOrEqual(instructions)
  expect(patternSize(pattern)).toBeLessThan(4 * instructions + 100)
})

it('counts the time to read sets of many characters, most of all in both cases', () => {
  expect(patternSize('\\pL'.repeat(100))).toBeGreaterThan(1000)
  expect(patternSize(`(?i)${'[a-\\x{FFFF}]'.repeat(100)}`)).toBeGreaterThan(50_000)
  expect(patternSize(`(?i)${'[a-z]'.repeat(100)}`)).toBeLessThan(1000)
})

it('counts what is left open', () => {
  expect(patternSize('((a{1000}')).toBeGreaterThan(1000)
  expect(patternSize('[a{1000}')).toBeLessThan(10)
})
