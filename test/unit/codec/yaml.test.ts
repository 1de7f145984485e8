import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Value, equalValues } from '../../../src/api/value.ts'
import { sortedJson } from '../../../src/codec/json-encode.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { emitYaml } from '../../../src/codec/yaml-emit.ts'
import { compareNaturally } from '../../../src/codec/yaml-key-order.ts'
import { YamlError } from '../../../src/codec/yaml-faults.ts'
import { parseYaml } from '../../../src/codec/yaml-parse.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { goldenFixtures } from '../../corpora/golden-fixtures.ts'
import { anyCharacter } from '../../corpora/any-character.ts'
import { outOfProportion, repeated, tooSlow } from '../../rigs/processor-time.ts'

const table = loadBuiltInSchema()
const parse = (text: string): Value => parseYaml(Buffer.from(text)).value

function messageOf(text: string | Buffer): string {
  try {
    parseYaml(Buffer.from(text))
  } catch (error) {
    if (error instanceof YamlError) return error.message
    throw error
  }
  return ''
}

describe('reading YAML', () => {
  it.each<[string, string, Value]>([
    ['nothing', '', null],
    ['an empty document', '---\n', null],
    ['a comment', '# only\n', null],
    ['flags of YAML 1.1', '[yes, No, on, OFF, y, n, True]', [true, false, true, false, true, false, true]],
    ['numbers in all bases', '[0755, 0o17, 0x1F, 0b11, 1_000, -0x1, +5, 08]', [493, 15, 31, 3, 1000, -1, 5, 8]],
    [
      'integers around the longest that a number holds in every base',
      '[999999999999999, -999999999999999, 9007199254740993, 0x1fffffffffffff, 0x1ffffffffffffff, 0777777777777777, 00]',
      [999999999999999, -999999999999999, 9007199254740993n, 2 ** 53 - 1, 2n ** 57n - 1n, 0o777777777777777, 0],
    ],
    ['fractions', '[1.0, .5, 5., 1e3, 1.5e-3]', [1, 0.5, 5, 1000, 0.0015]],
    [
      'integers of 64 bits',
      '[9223372036854775807, -9223372036854775808]',
      [9223372036854775807n, -9223372036854775808n],
    ],
    ['dates and times of day are texts', '[2001-12-14, 1:30, 12:30:45]', ['2001-12-14', '1:30', '12:30:45']],
    ['nothing in its forms', '[~, null, Null, ""]', [null, null, null, '']],
    ['quotes make texts', '["yes", \'1\', "\\u00e9\\n"]', ['yes', '1', 'é\n']],
    ['blocks', 'a: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['a block that the end cuts off', 'a: |\n  x', { a: 'x' }],
    ['tags', '[!!str 5, !!int "5", !!binary aGVsbG8=, !local x]', ['5', 5, 'hello', 'x']],
    ['keys that are no texts', '1: a\ntrue: b\n2.5: c\n', { '1': 'a', '2.5': 'c', true: 'b' }],
    ['JSON', '{"a": [1, {"b": null}]}', { a: [1, { b: null }] }],
    ['the first document only', 'a: 1\n---\nb: [\n', { a: 1 }],
    ['directives', '%YAML 1.1\n---\na: 1\n', { a: 1 }],
    ['aliases', 'a: &x {b: 1}\nc: *x\n', { a: { b: 1 }, c: { b: 1 } }],
    ['merge keys', 'a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\n', { a: { b: 1, c: 2 }, d: { b: 3, c: 2 } }],
    ['several to merge', 'a: {<<: [{b: 1}, {b: 2, c: 3}]}', { a: { b: 1, c: 3 } }],
    [
      'brackets without indentation',
      'a:\n  b: {\n"c": 1,\n"d": [2,\n3]\n}\n  e: 4\n',
      { a: { b: { c: 1, d: [2, 3] }, e: 4 } },
    ],
    ['quotes without indentation', 'a:\n  b: "x\ny"\n', { a: { b: 'x y' } }],
  ])('%s', (_name, text, value) => {
    const read = parse(text)
    expect(equalValues(read, value), sortedJson(read)).toBe(true)
  })

  it('sorts the members of maps', () => {
    expect(Object.keys(parse('c: 1\na: 2\nb: 3\n') as object)).toEqual(['a', 'b', 'c'])
  })

  it('sorts them also where keys are empty, repeated or numbers', () => {
    const { value, duplicates } = parseYaml(Buffer.from('"": 0\nb: 1\na: 2\nb: 3\n"": 4\nc: 5\n'))
    expect(Object.entries(value as object)).toEqual(Object.entries({ '': 4, a: 2, b: 3, c: 5 }))
    expect(duplicates).toEqual(['line 4: key "b" already set in map', 'line 5: key "" already set in map'])
    expect(Object.keys(parse('b: 1\n10: 2\n9: 3\na: 4\n') as object)).toEqual(['9', '10', 'a', 'b'])
    expect(Object.is(parse('-0'), 0)).toBe(true)
  })

  it.each(['\n', ' \n', '#\n', '%a\n', '\r\n'])('reads a document behind a body of %j', (line) => {
    expect(parse(`${line.repeat(3_000_000 / line.length)}---\na: 1\n`)).toEqual({ a: 1 })
  })

  it('__proto__ is data', () => {
    const value = parse('__proto__: {polluted: 1}\n<<: {constructor: x}\n') as Record<string, Value>
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('tells repeated keys with their lines; the last one counts', () => {
    const { value, duplicates } = parseYaml(Buffer.from('a:\n  b: 1\n  b: 2\nc: 3\n"c": 4\n1: x\n1: z\n'))
    expect(value).toEqual({ a: { b: 2 }, c: 4, '1': 'z' })
    expect(duplicates).toEqual([
      'line 3: key "b" already set in map',
      'line 5: key "c" already set in map',
      'line 7: key 1 already set in map',
    ])
  })

  it.each([
    ['a:\n  b: 1\n', 3],
    ['a:\n- b\n', 3],
    ['a:\n\n# c\n  "x"\n', 5],
    ['a: &x\n  b: 1\n', 2],
    ['a: !!map\n  b: 1\n', 2],
    ['a: |\n  x\n', 2],
    ['a:\n', 2],
    ['? a\n: b\n', 3],
  ])('tells of a repeated key where its value begins: %j', (again, line) => {
    expect(parseYaml(Buffer.from(`a: 0\n${again}z: 1\n`)).duplicates).toEqual([
      `line ${line}: key "a" already set in map`,
    ])
  })

  it.each([
    ['an open bracket', 'a: [', 'yaml: line 1: did not find expected node content'],
    ['an open quote', 'a: "x', 'yaml: found unexpected end of stream'],
    ['an unknown anchor', 'a: *x', "yaml: unknown anchor 'x' referenced"],
    ['an anchor inside of itself', 'a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['a list as a key', '? [a]\n: b', 'yaml: invalid map key'],
    ['nothing as a key', 'null: a', 'unsupported map key of type: null'],
    ['infinity', 'a: .inf', 'json: unsupported value: +Inf'],
    ['what is not a number', 'a: .nan', 'json: unsupported value: NaN'],
    ['a merge of something else', '<<: 5', 'yaml: map merge requires map or sequence of maps as the value'],
    ['too deep', '['.repeat(100_000), 'yaml: exceeded max depth'],
  ])('is refused: %s', (_name, text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it('is refused: bytes that are no text', () => {
    expect(messageOf(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toBe('yaml: invalid leading UTF-8 octet')
  })

  it('refuses a bomb of aliases at once', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`)
    expect(messageOf(`a0: &a0 [x,x,x,x,x,x,x,x,x]\n${levels.join('')}`)).toBe(
      'yaml: document contains excessive aliasing',
    )
  })

  const LONG = 'x'.repeat(100_000)
  it.each<[string, string]>([
    ['values', `a: &a ${LONG}\nb: [${'*a,'.repeat(40)}]`],
    ['keys', `? &a ${LONG}\n: 1\nb:\n${'- *a : 1\n'.repeat(40)}`],
    ['values of merged maps', `a: &a {k: ${LONG}}\nb: [${'{<<: *a},'.repeat(40)}]`],
    ['keys of merged maps', `a: &a {${LONG}: 1}\nb: [${'{<<: *a},'.repeat(40)}]`],
    ['lists of lists', `a: &a [${LONG}]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b]`],
  ])('refuses a long text that aliases make longer than a body: as %s', (_name, text) => {
    expect(messageOf(text)).toBe('yaml: document contains excessive aliasing')
  })

  it('takes a long text again where all is shorter than a body', () => {
    expect(parse(`a: &a ${LONG}\nb: [*a, *a]`)).toEqual({ a: LONG, b: [LONG, LONG] })
  })

  it('refuses a bomb of merge keys', () => {
    const source = `x: &x {${Array.from({ length: 2000 }, (_, i) => `k${i}: 1`).join(', ')}}\n`
    const maps = Array.from({ length: 2000 }, (_, i) => `m${i}: {<<: *x}\n`)
    expect(messageOf(source + maps.join(''))).toBe('yaml: document contains excessive aliasing')
  })

  it.each([
    '[',
    '{',
    '- ',
    '? ',
    'a: ',
    '&a ',
    '! ',
    '"',
    "'",
    ': ',
    '\n',
    '\t',
    '[a: b, ',
    'a: b\n',
    '- &a\n',
    '!a\n',
    'a: |\n x\n',
    '"x\n',
    '{x: y,\n',
  ])('takes no time for %j without end', (text) => {
    expect(tooSlow(repeated(text), messageOf)).toBe('')
  })

  it.each([
    ['escaped single quotes', 'a: "', "\\'", '"'],
    ['texts with one', '', 'a: "it\\\'s"\n', ''],
    ['backslashes before a slash', 'a: "', '\\\\', '\\/"'],
    ['texts that end with a colon', 'a: [', 'b:, ', 'c]'],
    ['items before a question mark', 'a: [', 'b, ', 'c?d]'],
  ])('takes no time for many %s', (_, begin, text, end) => {
    const input = (size: number): string => begin + text.repeat(size / text.length) + end
    expect(outOfProportion(100_000, (size) => messageOf(input(size)))).toBe('')
  })

  it('any text is a value or a message', () => {
    const pieces = [
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '&x ',
      '*x',
      '!!str ',
      '|\n',
      '>\n',
      '#',
      '<<: ',
      '1',
      '---\n',
      '? ',
    ]
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join('')),
          fc.string({ unit: anyCharacter }),
        ),
        (text) => {
          expect(typeof messageOf(text)).toBe('string')
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('writing YAML', () => {
  it.each<[string, Value, string]>([
    ['an empty map', {}, '{}\n'],
    ['an empty list', [], '[]\n'],
    ['a scalar', 'x', 'x\n'],
    ['lists are not indented', { a: ['b', { c: 1, d: [2] }] }, 'a:\n- b\n- c: 1\n  d:\n  - 2\n'],
    ['lists in lists', [['a'], [['b']]], '- - a\n- - - b\n'],
    ['keys in natural order', { a10: 1, a9: 2, B: 3, '1': 4, _: 5 }, '_: 5\n"1": 4\nB: 3\na9: 2\na10: 1\n'],
    [
      'quotes where a text looks like something else',
      ['true', '1', '', '~', 'y', '1:30', '2001-01-01', '0x1'],
      '- "true"\n- "1"\n- ""\n- "~"\n- "y"\n- "1:30"\n- "2001-01-01"\n- "0x1"\n',
    ],
    [
      'quotes where a text could not stand',
      ['a: b', '# x', '- x', ' x', '[x', "it's", "'x"],
      "- 'a: b'\n- '# x'\n- '- x'\n- ' x'\n- '[x'\n- it's\n- '''x'\n",
    ],
    ['escapes', ['a\tb', '\u{1f600}', '\u0000'], '- "a\\tb"\n- "\\U0001F600"\n- "\\0"\n'],
    [
      'several lines',
      { a: 'x\ny\n', b: 'x\n', c: 'x\ny', d: 'x\n\n', e: ' x\ny' },
      'a: |\n  x\n  y\nb: |\n  x\nc: |-\n  x\n  y\nd: |+\n  x\n\ne: |2-\n   x\n  y\n',
    ],
    [
      'numbers',
      [1, -1.5, 1e21, 1234567.5, 0.00001, 9223372036854775807n],
      '- 1\n- -1.5\n- 1e+21\n- 1.2345675e+06\n- 1e-05\n- 9223372036854775807\n',
    ],
    ['a long key', { ['k'.repeat(129)]: 1 }, `? ${'k'.repeat(129)}\n: 1\n`],
    [
      'long lines are folded',
      { a: `${'word '.repeat(20)}end` },
      `a: ${'word '.repeat(15)}word\n  ${'word '.repeat(4)}end\n`,
    ],
  ])('%s', (_name, value, text) => {
    expect(emitYaml(value)).toBe(text)
  })

  it('does not swell with depth, and reads back equal', () => {
    const deep = parseJsonDocument(Buffer.from(`${'{"a":['.repeat(450)}{"b":"<c>"}${']}'.repeat(450)}`)).value
    const text = emitYaml(deep)
    expect(text.length).toBeLessThan(20_000)
    expect(sortedJson(parse(text))).toBe(sortedJson(deep))
  })

  it('the order of keys is an order', () => {
    const keys = fc.string({ unit: fc.constantFrom('a', 'B', '0', '1', '9', '-', '.', 'é') })
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(Math.sign(compareNaturally(a, b))).toBe(-Math.sign(compareNaturally(b, a)) + 0)
        expect(compareNaturally(a, a)).toBe(0)
      }),
    )
  })

  it('any value reads back equal', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }), (json) => {
        // Minus zero does not survive, and neither do characters that YAML cannot tell from line breaks.
        const value = parseJsonDocument(Buffer.from(JSON.stringify(json))).value
        const read = parse(emitYaml(value))
        expect(equalValues(read, value), emitYaml(value)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it.each(['a b ', 'a"\n ', "'x: ", '\u0000'])('takes no time for a text of %j', (text) => {
    expect(tooSlow(repeated(text), (input) => emitYaml(input.toString()))).toBe('')
  })

  it('takes no time for many members', () => {
    const list = Array.from({ length: 2500 }, (_, i) => ({ [`key ${i}`]: 'a: b c d e' }))
    const members = Array.from({ length: 5000 }, (_, i) => [`k${i}`, i] as const)
    expect(outOfProportion(list.length, (size) => emitYaml(list.slice(0, size)))).toBe('')
    expect(outOfProportion(members.length, (size) => emitYaml(Object.fromEntries(members.slice(0, size))))).toBe('')
  })
})

describe('the reference’s objects', () => {
  it.each(goldenFixtures().map((golden) => [golden.name, golden] as const))('%s', (_name, golden) => {
    const fromJson = parseJsonDocument(Buffer.from(golden.json)).value
    expect(emitYaml(fromJson)).toBe(golden.yaml)
    expect(sortedJson(parse(golden.yaml))).toBe(sortedJson(fromJson))
  })
})

describe('random objects of every kind', () => {
  it.each([...table.kinds()].map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s reads back equal',
    (_name, kind) => {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const { value, problems } = decodeObject(parse(emitYaml(object)), kind.shape)
          expect(problems).toEqual([])
          expect(equalValues(value, object)).toBe(true)
        }),
        { numRuns: 1 },
      )
    },
  )
})
