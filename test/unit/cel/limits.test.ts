// Expressions that are small and ask for much work: to compile, or to evaluate. The cost of a call is the reference's, and does not count
// all work in JavaScript.
import { describe, expect, it } from 'vitest'
import { type Compiled, compile, type Environment, type Evaluation, mapOf, STRING } from '../../../src/cel/cel.ts'
import { leastTime, processorMilliseconds } from '../../rigs/processor-time.ts'

const ENVIRONMENT: Environment = {
  variables: new Map([['data', mapOf(STRING, STRING)]]),
  limits: { parts: 10_000, patterns: 1500, stepsPerUnit: 2 },
}
const COST = 50_000

const LONG = 'a'.repeat(1_000_000)
const data = {
  long: LONG,
  other: `b${LONG.slice(1)}`,
  text: LONG.slice(0, 300_000),
  word: `b${LONG.slice(0, 150_000)}`,
  short: LONG.slice(0, 20_000),
  ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key-${i}`, ''])),
}

const repeated = (expression: string): string => `lists.range(10000).all(i, ${expression})`

const EVALUATED: readonly (readonly [what: string, expression: string])[] = [
  ['the characters of a text', repeated('data.long.size() > 0')],
  ['texts in place of no text', repeated("data.short.replace('', '0123456789012345678901234567890123456789') != ''")],
  ['a word in a text', repeated('data.text.indexOf(data.word) < 0')],
  ['a word in a text from its end', repeated('data.text.lastIndexOf(data.word) < 0')],
  ['a separator in a text', repeated('data.text.split(data.word).size() > 0')],
  ['a number of a million digits', repeated('double(data.long) > 0.0')],
  ['a text within a list as a text', repeated("'%s'.format([[data.long]]) != ''")],
  ['a text in hexadecimal', repeated("'%x'.format([data.long]) != ''")],
  ['a text in a list of almost equal texts', repeated('!(data.long in [data.other, data.other, data.other])')],
  ['a text in a map', repeated("!(data.long in {'a': 1})")],
  ['a text as a key', repeated("!{'a': 1}[?data.long].hasValue()")],
  ['the members of a map', repeated('data.size() > 0')],
  ['the first member of a map', repeated('data.exists(key, true)')],
  ['a slice of a long list', repeated(`[[1]]${'.map(a, a + a)'.repeat(20)}[0].slice(0, 0).size() == 0`)],
  ['a pattern that an evaluation makes', repeated("data.short.matches('a{' + string(i) + '}b{900}')")],
  ['a large pattern in a long text', repeated("data.short.matches('([ab]{0,100}){5}[bc]')")],
  ['matches that each read all of the text', repeated("data.short.findAll('a*?b|a').size() > 0")],
]

function compiled(expression: string): Compiled {
  let found: Compiled | undefined
  expect(processorMilliseconds(() => (found = compile(expression, ENVIRONMENT)))).toBeLessThan(300)
  return found!
}

describe('an evaluation counts the work of', () => {
  it.each(EVALUATED)('%s', (_, expression) => {
    const found = compiled(expression)
    if (found.kind !== 'program') throw new Error(found.text)
    const results: Evaluation[] = []
    const took = leastTime(() => results.push(found.program.evaluate({ data }, COST)))
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['overBudget']))
    expect(took).toBeLessThan(300)
  })

  it('a list that is longer than any number', () => {
    const list = `[[1]]${'.map(a, a + a)'.repeat(200)}[0]`
    const found = compile(`sets.contains(${list}, []) && [${list}].all(a, a.size() > 0)`, ENVIRONMENT)
    if (found.kind !== 'program') throw new Error(found.text)
    expect(found.program.evaluate({ data }, COST)).toMatchObject({ kind: 'overBudget' })
  })
})

const REFUSED: readonly (readonly [what: string, expression: string, problem: string])[] = [
  [
    'a type of two parts of each earlier one',
    `[1]${'.map(a, {a: a})'.repeat(60)}.size() > 0`,
    'the type is too complex',
  ],
  ['a macro that repeats its target', `optional.of(1)${'.optMap(a, a)'.repeat(60)}.hasValue()`, 'is too complex'],
  ['many words', `[${'1,'.repeat(40_000)}1].size() > 0`, 'more than 10000 parts'],
  [
    'patterns that are large together',
    Array.from({ length: 20 }, (_, i) => `'a'.matches('${i}a{100}')`).join('||'),
    'invalid matches',
  ],
  ['a pattern of a million instructions', `'a'.matches('${'a{1000}'.repeat(1000)}')`, 'invalid matches argument'],
  [
    'a set of all characters in both cases',
    `'a'.matches('(?i)${'[a-\\\\x{FFFF}]'.repeat(700)}')`,
    'invalid matches argument',
  ],
]

describe('an expression is refused for', () => {
  it.each(REFUSED)('%s', (_, expression, problem) => {
    const found = compiled(expression)
    expect(found.kind === 'refused' && found.text).toContain(problem)
  })

  it('large patterns of administrators, together', () => {
    const patterns = Array.from({ length: 30 }, (_, i) => `'a'.matches('${i}a{1000}')`)
    expect(compile(patterns.slice(0, 9).join(' || '), { variables: new Map() }).kind).toBe('program')
    const found = compile(patterns.join(' || '), { variables: new Map() })
    expect(found.kind === 'refused' && found.text).toContain('invalid matches argument')
  })

  it('a large pattern that a conversion hides', () => {
    const found = compiled(`'a'.matches(string('${'a{1000}'.repeat(1000)}'))`)
    expect(found.kind === 'program' && found.program.instantiationFault()).toContain('expression too large')
  })
})

it('a program tells about how much memory it keeps', () => {
  const bytesOf = (expression: string): number => {
    const found = compile(expression, ENVIRONMENT)
    return found.kind === 'program' ? found.program.bytes : 0
  }
  expect(bytesOf("data.short == 'a'")).toBeLessThan(4000)
  expect(bytesOf("data.short.matches('a{1,600}')")).toBeGreaterThan(300_000)
  expect(bytesOf(Array.from({ length: 1000 }, (_, i) => `data.short == '${i}'`).join(' || '))).toBeGreaterThan(
    1_500_000,
  )
})

it('usual expressions stay far below the limits', () => {
  const names = Array.from({ length: 4_000 }, (_, i) => `'web-${i}'`).join(', ')
  const dns = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$'
  for (const expression of [
    `data.short in [${names}]`,
    `'www.example.com'.matches('${dns}')`,
    "data.short.size() == 20000 && data.short.replace('a', 'b', 10).startsWith('bbbbbbbbbba')",
    'data.all(key, key.size() < 100)',
    "data.text.split('b').size() == 1 && data.text.indexOf('b') < 0",
  ]) {
    const found = compile(expression, ENVIRONMENT)
    if (found.kind !== 'program') throw new Error(found.text)
    expect(found.program.evaluate({ data }, 100 * COST).kind).toBe('value')
  }
})
