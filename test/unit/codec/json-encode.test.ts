import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { encodeJson, plainJson, sortedJson, stringJson } from '../../../src/codec/json-encode.ts'
import { indentJson } from '../../../src/codec/indent.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import type { KindSchema } from '../../../src/schema/table.ts'
import { BUILT_IN, kindOf } from '../../corpora/built-in-kinds.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { goldenFixtures } from '../../corpora/golden-fixtures.ts'

const encode = (kind: KindSchema, object: ValueMap): string => encodeJson(object, kind).toString()

describe('canonical JSON', () => {
  it('has the members in the reference’s order, whatever order they come in', () => {
    const object = {
      status: {},
      spec: { nodeName: 'n', containers: [] },
      metadata: { uid: 'u', name: 'a' },
      apiVersion: 'v1',
      kind: 'Pod',
    }
    expect(encode(kindOf('Pod'), object)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u"},"spec":{"containers":[],"nodeName":"n"},"status":{}}',
    )
  })

  it('shows what is always shown and leaves out what is empty', () => {
    expect(encode(kindOf('Pod'), { spec: { hostNetwork: false, nodeName: '', volumes: [] } })).toBe(
      '{"metadata":{},"spec":{"containers":null},"status":{}}',
    )
    expect(encode(kindOf('Event'), {})).toBe(
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    )
  })

  it('sorts the keys of maps by their bytes', () => {
    const data = { '9': 'a', '10': 'b', Z: 'c', a: 'd', '\u{1f600}': 'e', '\uffff': 'f' }
    expect(encode(kindOf('ConfigMap'), { data })).toBe(
      '{"metadata":{},"data":{"10":"b","9":"a","Z":"c","a":"d","\uffff":"f","\u{1f600}":"e"}}',
    )
  })

  it('keeps integers of 64 bits', () => {
    expect(encode(kindOf('Pod'), { metadata: { generation: 9223372036854775807n } })).toContain(
      '"generation":9223372036854775807',
    )
  })

  it('leaves out what the kind does not know', () => {
    expect(encode(kindOf('ConfigMap'), { foo: 1, data: { a: 'b' } })).toBe('{"metadata":{},"data":{"a":"b"}}')
  })

  it('writes custom kinds with all members sorted', () => {
    const kind: KindSchema = { ...kindOf('Pod'), custom: true }
    expect(encode(kind, { kind: 'Foo', apiVersion: 'g/v1', spec: { b: 1, a: [{ d: null, c: {} }] } })).toBe(
      '{"apiVersion":"g/v1","kind":"Foo","spec":{"a":[{"c":{},"d":null}],"b":1}}',
    )
  })

  it.each([
    ['markup', '<a href="x">&', '"\\u003ca href=\\"x\\"\\u003e\\u0026"'],
    ['separators', '\u2028\u2029', '"\\u2028\\u2029"'],
    ['controls', '\b\f\n\r\t\u0000\u001f\u007f', '"\\b\\f\\n\\r\\t\\u0000\\u001f\u007f"'],
    ['other text', 'é\u{1f600}/', '"é\u{1f600}/"'],
    ['half a character', 'a\ud800', '"a\ufffd"'],
  ])('escapes as the reference does: %s', (_name, text, json) => {
    expect(stringJson(text)).toBe(json)
  })

  it.each([
    [1.5, '1.5'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [-0, '-0'],
    [123456789012345, '123456789012345'],
    [-9223372036854775808n, '-9223372036854775808'],
  ])('prints the number %s', (number, text) => {
    expect(plainJson(number)).toBe(text)
  })

  it('reads back equal, and is then written the same', () => {
    // Minus zero does not survive: as an integer it is zero.
    const values = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as ValueMap)
    fc.assert(
      fc.property(values, (value) => {
        const text = sortedJson(value)
        expect(JSON.parse(text)).toEqual(value)
        expect(sortedJson(parseJsonDocument(Buffer.from(text)).value)).toBe(text)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the reference’s objects', () => {
  const served = goldenFixtures().filter(({ kind }) => kind !== undefined)

  it('are there', () => expect(served.length).toBeGreaterThan(40))

  it.each(served.map((golden) => [golden.name, golden] as const))(
    '%s is read and written byte for byte',
    (_name, golden) => {
      if (golden.kind === undefined) throw new Error('not served')
      const { value, problems } = decodeObject(parseJsonDocument(Buffer.from(golden.json)).source, golden.kind.shape)
      expect(problems).toEqual([])
      expect(indentJson(encodeJson(value, golden.kind)).toString()).toBe(golden.json)
    },
  )
})

describe('random objects of every kind', () => {
  it.each([...BUILT_IN.kinds()].map((kind) => [`${kind.group}/${kind.version} ${kind.kind}`, kind] as const))(
    '%s reads back equal',
    (_name, kind) => {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const bytes = encodeJson(object, kind)
          const { value, problems } = decodeObject(parseJsonDocument(bytes).source, kind.shape)
          expect(problems).toEqual([])
          expect(value).toEqual(object)
          expect(encodeJson(value, kind).equals(bytes)).toBe(true)
        }),
        { numRuns: 2 },
      )
    },
  )
})
