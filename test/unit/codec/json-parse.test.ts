import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Value, own, setOwn } from '../../../src/api/value.ts'
import { JsonSyntaxError } from '../../../src/codec/json-exact.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { ExactMap, ExactNumber } from '../../../src/schema/exact-value.ts'
import { anyCharacter } from '../../corpora/any-character.ts'
import { outOfProportion, tooSlow } from '../../rigs/processor-time.ts'

const parse = (text: string): Value => parseJsonDocument(Buffer.from(text)).value
const duplicates = (text: string): readonly string[] => parseJsonDocument(Buffer.from(text)).duplicates

function messageOf(bytes: Buffer): string {
  try {
    parseJsonDocument(bytes)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
  return ''
}

describe('numbers', () => {
  it.each<[string, string, Value]>([
    ['an integer', '5', 5],
    ['the largest safe integer', '9007199254740991', 9007199254740991],
    ['the first unsafe one', '9007199254740993', 9007199254740993n],
    ['the largest of 64 bits', '9223372036854775807', 9223372036854775807n],
    ['the smallest of 64 bits', '-9223372036854775808', -9223372036854775808n],
    ['one beyond 64 bits is a double', '9223372036854775808', 9223372036854775808],
    ['an absurd one is a double', `1${'0'.repeat(300)}`, 1e300],
    ['a fraction', '1.5', 1.5],
    ['an exponent', '1e3', 1000],
    ['minus zero is zero where it is an integer', '-0', 0],
  ])('%s', (_name, text, value) => {
    expect(parse(text)).toBe(value)
  })

  it('keeps the spelling where plain values lose it', () => {
    expect(parseJsonDocument(Buffer.from('[1.0]')).source).toEqual([new ExactNumber('1.0')])
    expect(parseJsonDocument(Buffer.from('[1]')).source).toEqual([1])
  })
})

describe('repeated members', () => {
  it.each([
    ['of the document', '{"a":1,"a":2}', ['a']],
    ['deep inside', '{"spec":{"containers":[{"name":"a","name":"b"}]}}', ['spec.containers[0].name']],
    ['named once, however often they repeat', '{"a":1,"a":2,"a":3}', ['a']],
    ['in document order', '{"b":{"x":1,"x":2},"a":1,"a":2}', ['b.x', 'a']],
    ['in a list at the top', '[{},{"path":1,"path":2}]', ['[1].path']],
    ['the same key written in two ways', '{"a":1,"\\u0061":2}', ['a']],
    ['none', '{"a":{"a":[{"a":1},{"a":1}]}}', []],
  ])('%s', (_name, text, paths) => {
    expect(duplicates(text)).toEqual(paths)
  })

  it('the last one counts, and the exact form has them all', () => {
    const document = parseJsonDocument(Buffer.from('{"a":1,"b":true,"a":2}'))
    expect(document.value).toEqual({ a: 2, b: true })
    expect(document.source).toEqual(new ExactMap(['a', 'b', 'a'], [new ExactNumber('1'), true, new ExactNumber('2')]))
  })

  it('at most a hundred are named', () => {
    const text = `{${Array.from({ length: 200 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',')}}`
    expect(duplicates(text)).toHaveLength(100)
  })
})

describe('keys and strings', () => {
  it.each(['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1},"__proto__":{"polluted":1}}'])(
    '__proto__ is data: %s',
    (text) => {
      const value = parse(text)
      expect(Object.keys(value as object)).toEqual(['__proto__'])
      expect(own(value as Record<string, Value>, '__proto__')).toEqual({ polluted: 1 })
      expect(own(value as Record<string, Value>, 'polluted')).toBeUndefined()
    },
  )

  it('bytes that are no characters become replacement characters, one a byte', () => {
    const bytes = Buffer.from([0x22, 0x61, 0xe2, 0x82, 0xff, 0x62, 0x22])
    expect(parseJsonDocument(bytes).value).toBe('a\ufffd\ufffd\ufffdb')
  })

  it('half a surrogate pair becomes a replacement character', () => {
    expect(parse('"\\ud83d\\ude00"')).toBe('\u{1f600}')
    expect(parse('"\\ud83dx"')).toBe('\ufffdx')
    expect(parse('"\\ude00\\ud83d\\u0041"')).toBe('\ufffd\ufffdA')
  })
})

describe('what is not JSON', () => {
  it.each([
    ['nothing', '', 'unexpected end of JSON input'],
    ['blanks', ' \n', 'unexpected end of JSON input'],
    ['a word', 'hello', "invalid character 'h' looking for beginning of value"],
    ['an open map', '{"a"', 'unexpected end of JSON input'],
    ['a key without quotes', '{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['no colon', '{"a" 1}', "invalid character '1' after object key"],
    ['no comma in a map', '{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['no comma in a list', '[1 2]', "invalid character '2' after array element"],
    ['a comma too many', '[1,]', "invalid character ']' looking for beginning of value"],
    ['two documents', '{} {}', "invalid character '{' after top-level value"],
    ['a cut word', 'tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['a leading zero', '01', "invalid character '1' after top-level value"],
    ['a bare point', '1.', "invalid character ' ' after decimal point in numeric literal"],
    ['an escape', '"\\x"', "invalid character 'x' in string escape code"],
    ['a line break in a string', '"a\nb"', "invalid character '\\n' in string literal"],
    ['a number beyond all bounds', '1e400', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
    ['too deep', '['.repeat(200_000), 'exceeded max depth'],
    ['too deep in maps', '{"a":'.repeat(2000), 'exceeded max depth'],
  ])('%s', (_name, text, message) => {
    expect(messageOf(Buffer.from(text))).toBe(message)
  })
})

const arbitraryJson = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Value>(null, true, false, 0, -1.5, 1e300, '__proto__'),
    fc.string({ unit: anyCharacter }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 }).map((entries) => {
      const map: Record<string, Value> = {}
      for (const [key, value] of entries) setOwn(map, key, value)
      return map
    }),
  ),
})).value

describe('any input', () => {
  it('reads what the platform reads, and the same', () => {
    fc.assert(
      fc.property(arbitraryJson, fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const read = JSON.stringify(parse(text), (_key, member: unknown) =>
          typeof member === 'bigint' ? Number(member) : member,
        )
        expect(read).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('is refused exactly where the platform refuses it, and never otherwise than with a message', () => {
    const mutilated = fc
      .tuple(arbitraryJson, fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '0', '-', 'e', '\u0000', ' '))
      .map(([value, at, insert]) => {
        const text = JSON.stringify(value)
        const cut = at % (text.length + 1)
        return text.slice(0, cut) + insert + text.slice(cut + 1)
      })
    fc.assert(
      fc.property(mutilated, (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        const message = messageOf(Buffer.from(text))
        // The platform makes infinity of what is beyond a double.
        expect(message === '' || message.startsWith('json: cannot unmarshal number')).toBe(valid)
      }),
    )
  })

  it.each([
    ['quotes', '"'.repeat(100_000)],
    ['backslashes', `"${'\\'.repeat(100_000)}"`],
    ['digits', '1'.repeat(100_000)],
    ['a key that always repeats', `{${'"a":1,'.repeat(15_000)}"a":1}`],
    ['numbers as keys', `{${Array.from({ length: 8000 }, (_, i) => `"${i * 65_536}":1`).join(',')}}`],
    ['numbers with fractions', `[${'1.5,'.repeat(25_000)}1]`],
    ['fractions among empty maps', `[${'{},'.repeat(30_000)}1.5]`],
  ])('takes no time: %s', (_name, text) => {
    expect(tooSlow(Buffer.from(text), messageOf)).toBe('')
  })

  it('takes no time: bytes that are no characters', () => {
    const run = (size: number): string =>
      messageOf(Buffer.concat([Buffer.from('"'), Buffer.alloc(size, 0xe0), Buffer.from('"')]))
    expect(outOfProportion(1_000_000, run)).toBe('')
    expect(run(3)).toBe('')
  })
})
