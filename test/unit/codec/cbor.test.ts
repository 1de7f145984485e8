import * as cborX from 'cbor-x'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Value, type ValueMap, equalValues } from '../../../src/api/value.ts'
import { CborError, parseCbor, parseCborSequence } from '../../../src/codec/cbor-decode.ts'
import { encodeCbor, encodeCborEvent, encodeCborValue } from '../../../src/codec/cbor-encode.ts'
import { sortedJson } from '../../../src/codec/json-encode.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { BUILT_IN, kindOf } from '../../corpora/built-in-kinds.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { goldenFixtures } from '../../corpora/golden-fixtures.ts'
import { repeated, tooSlow } from '../../rigs/processor-time.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

function messageOf(bytes: Buffer): string {
  try {
    parseCbor(bytes)
  } catch (error) {
    if (error instanceof CborError) return error.message
    throw error
  }
  return ''
}

describe('writing CBOR', () => {
  it.each<[string, Value, string]>([
    ['strings are bytes', 'a', '41 61'],
    ['a long string', 'x'.repeat(24), `58 18 ${'78'.repeat(24)}`],
    [
      'small integers',
      [0, 23, 24, 255, 256, 65536, 4294967296],
      '87 00 17 18 18 18ff 190100 1a00010000 1b0000000100000000',
    ],
    ['negative integers', [-1, -24, -25, -257], '84 20 37 38 18 39 0100'],
    [
      'integers of 64 bits',
      [9223372036854775807n, -9223372036854775808n],
      '82 1b 7fffffffffffffff 3b 7fffffffffffffff',
    ],
    [
      'the shortest fractions',
      [1.5, 0.1, 65504.5, 2 ** -24, 3.4028234663852886e38],
      '85 f93e00 fb3fb999999999999a fa477fe080 f90001 fa7f7fffff',
    ],
    ['flags and nothing', [true, false, null], '83 f5 f4 f6'],
    ['keys by length, then by bytes', { bb: 1, a: 2, c: 3, '': 4 }, 'a4 40 04 41 61 02 41 63 03 42 6262 01'],
    ['keys by their bytes, not by their characters', { é: 1, ab: 2, z: 3 }, 'a3 41 7a 03 42 6162 02 42 c3a9 01'],
  ])('%s', (_name, value, bytes) => {
    expect(encodeCborValue(value).toString('hex')).toBe(`d9d9f7${bytes.replaceAll(' ', '')}`)
  })

  it('binary fields are bytes that are tagged as base64 to be', () => {
    expect(encodeCbor({ data: { a: 'aGVsbG8=' } }, kindOf('Secret')).toString('hex')).toBe(
      hex('d9d9f7 a1 44 64617461 a1 41 61 d6 45 68656c6c6f').toString('hex'),
    )
  })

  it('fields that hold fractions do so even where they are whole', () => {
    const kind = kindOf('CustomResourceDefinition', 'apiextensions.k8s.io')
    const schema = { spec: { versions: [{ schema: { openAPIV3Schema: { maximum: 1, maxLength: 1 } } }] } }
    const bytes = encodeCbor(schema, kind).toString('hex')
    expect(bytes).toContain(`${Buffer.from('maximum').toString('hex')}f93c00`)
    expect(bytes).toContain(`${Buffer.from('maxLength').toString('hex')}01`)
  })

  it('an event is an item of a sequence, with the object as it was encoded', () => {
    const object = encodeCborValue({ kind: 'Pod' })
    const events = Buffer.concat([encodeCborEvent('ADDED', object), encodeCborEvent('DELETED', object)])
    expect(events.subarray(0, 9).toString('hex')).toBe('d9d9f7a24474797065')
    expect(parseCborSequence(events)).toEqual([
      { type: 'ADDED', object: { kind: 'Pod' } },
      { type: 'DELETED', object: { kind: 'Pod' } },
    ])
  })
})

describe('reading CBOR', () => {
  it.each<[string, string, Value]>([
    ['self-described', 'd9d9f7 01', 1],
    ['texts', '63 616263', 'abc'],
    ['bytes are texts', '43 616263', 'abc'],
    ['bytes to become base64', 'd6 43 616263', 'YWJj'],
    ['bytes to become base64 of URLs', 'd5 42 fffe', '__4'],
    ['bytes to become digits', 'd7 42 0aff', '0aff'],
    ['texts and bytes in chunks', '82 7f 61 61 62 6263 ff 5f 41 61 ff', ['abc', 'a']],
    ['lists and maps without a length', '9f 01 bf 61 61 02 ff ff', [1, { a: 2 }]],
    ['longer forms than needed', '1b 0000000000000001', 1],
    ['all widths of fractions', '83 f93e00 fa3fc00000 fb3ff8000000000000', [1.5, 1.5, 1.5]],
    ['integers of 64 bits', '1b 7fffffffffffffff', 9223372036854775807n],
    [
      'moments',
      '82 c0 74 323031332d30332d32315432303a30343a30305a c1 1a514b67b0',
      ['2013-03-21T20:04:00Z', '2013-03-21T20:04:00Z'],
    ],
    ['unknown tags', 'd903e8 01', 1],
  ])('%s', (_name, bytes, value) => {
    expect(parseCbor(hex(bytes))).toEqual(value)
  })

  it.each([
    ['nothing', '', 'cbor: unexpected EOF'],
    ['cut off', '82 01', 'cbor: unexpected EOF'],
    ['a length that cannot be', '9b 00ffffffffffffff', 'cbor: unexpected EOF'],
    ['more behind it', '01 02', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['a key twice', 'a2 61 61 01 41 61 02', 'cbor: found duplicate map key "a" at map element index 1'],
    ['keys that are no strings', 'a1 01 02', 'cbor: map keys must be strings'],
    ['text that is none', '62 c328', 'cbor: invalid UTF-8 string'],
    ['big integers', 'c2 41 01', 'cbor: bignum is not allowed'],
    ['integers beyond 64 bits', '1b 8000000000000000', "cbor: 9223372036854775808 overflows Go's int64"],
    ['what is not a number', 'f97e00', 'cbor: NaN and infinity are not allowed'],
    ['infinity', 'fa7f800000', 'cbor: NaN and infinity are not allowed'],
    ['undefined', 'f7', 'cbor: simple values other than true, false and null are not allowed'],
    ['a break alone', 'ff', 'cbor: unexpected "break" code'],
    ['too deep', '81'.repeat(5000), 'cbor: exceeded max nested level'],
  ])('is refused: %s', (_name, bytes, message) => {
    expect(messageOf(hex(bytes))).toBe(message)
  })

  it('__proto__ is data', () => {
    const value = parseCbor(cborX.encode(new Map([['__proto__', { polluted: 1 }]]))) as ValueMap
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('reads what another encoder writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const value = JSON.parse(JSON.stringify(json)) as Value
        expect(equalValues(parseCbor(cborX.encode(value)), value)).toBe(true)
      }),
    )
  })

  it('another decoder reads what we write, where there are no strings', () => {
    const lists = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Value>(true, false, null),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.array(tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(lists, (value) => {
        expect(equalValues(cborX.decode(encodeCborValue(value)) as Value, value)).toBe(true)
      }),
    )
  })

  it('any bytes are a value or a message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(typeof messageOf(Buffer.from(bytes))).toBe('string')
      }),
      { numRuns: 200 },
    )
  })

  it.each(['81', '9f', 'bf', 'a1', 'd6', '5f41', 'ff', '00', '9b', 'bf6161'])(
    'takes no time for %s without end',
    (bytes) => {
      const input = Buffer.from(repeated(bytes).toString(), 'hex')
      expect(tooSlow(input, messageOf)).toBe('')
    },
  )
})

describe('objects', () => {
  const served = goldenFixtures().filter(({ kind }) => kind !== undefined)

  it.each(served.map((golden) => [golden.name, golden] as const))('the reference’s %s', (_name, golden) => {
    if (golden.kind === undefined) throw new Error('not served')
    const { value } = decodeObject(parseJsonDocument(Buffer.from(golden.json)).source, golden.kind.shape)
    const read = decodeObject(parseCbor(encodeCbor(value, golden.kind)), golden.kind.shape)
    expect(read.problems).toEqual([])
    expect(sortedJson(read.value)).toBe(sortedJson(value))
  })

  it.each([...BUILT_IN.kinds()].map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    'random %s',
    (_name, kind) => {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const bytes = encodeCbor(object, kind)
          const { value, problems } = decodeObject(parseCbor(bytes), kind.shape)
          expect(problems).toEqual([])
          expect(equalValues(value, object)).toBe(true)
          expect(encodeCbor(value, kind).equals(bytes)).toBe(true)
        }),
        { numRuns: 2 },
      )
    },
  )
})
