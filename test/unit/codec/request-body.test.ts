import { describe, expect, it } from 'vitest'
import { encodeCborValue } from '../../../src/codec/cbor-encode.ts'
import { BodySyntaxError, readApplied, readDocument, readPatch, warningsOf } from '../../../src/codec/request-body.ts'
import { encodeObject, type Encoding } from '../../../src/codec/codec.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { KindSchema } from '../../../src/schema/table.ts'

const kind = loadBuiltInSchema().kind({ group: '', version: 'v1', kind: 'ConfigMap' }) as KindSchema

function messageOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof BodySyntaxError) return error.message
    throw error
  }
  return ''
}

describe('bodies of requests', () => {
  it.each<Encoding>(['json', 'yaml', 'protobuf', 'cbor'])('are read in %s', (encoding) => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { x: 'y' } }
    const { value, problems } = readDocument(encodeObject(object, kind, encoding), encoding, kind)
    expect(value).toEqual(object)
    expect(problems).toEqual([])
  })

  it.each<[string, Buffer | string, Encoding, string]>([
    [
      'not JSON',
      'x',
      'json',
      "couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value",
    ],
    ['not YAML', 'a: [', 'yaml', 'yaml: line 1: did not find expected node content'],
    [
      'not protobuf',
      'x',
      'protobuf',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['not CBOR', Buffer.from([1, 2, 3]), 'cbor', 'cbor: 2 bytes of extraneous data starting at index 1'],
    [
      'a kind that is no text',
      '{"kind":5}',
      'json',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    ['a version that is none', '{"apiVersion":"a/b/c"}', 'json', 'unexpected GroupVersion string: a/b/c'],
    [
      'a list',
      '[]',
      'json',
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    [
      'a list in YAML',
      '- a',
      'yaml',
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
  ])('are refused: %s', (_name, bytes, encoding, message) => {
    expect(messageOf(() => readDocument(Buffer.from(bytes), encoding, kind))).toBe(message)
  })

  it('that say nothing are empty objects', () => {
    expect(readDocument(Buffer.from('null'), 'json', kind).value).toBeNull()
    expect(readDocument(Buffer.from(''), 'yaml', kind).value).toBeNull()
  })

  it('tell repeated keys of YAML in one problem and in as many warnings (W-411)', () => {
    const { problems } = readDocument(Buffer.from('a: 1\na: 2\nb: 1\nb: 2\n'), 'yaml', kind)
    expect(problems).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 4: key "b" already set in map',
    ])
    expect(problems.flatMap(warningsOf)).toEqual([
      'line 2: key "a" already set in map',
      'line 4: key "b" already set in map',
    ])
    expect(warningsOf('unknown field "x"')).toEqual(['unknown field "x"'])
  })
})

describe('patches', () => {
  it('tell repeated members', () => {
    expect(readPatch(Buffer.from('[{"op":"add","path":"/a","path":"/b"}]')).problems).toEqual([
      'duplicate field "[0].path"',
    ])
  })

  it('that are applied are YAML or JSON, and nothing is an empty one', () => {
    expect(readApplied(Buffer.from('a: 1\n'), 'yaml').document).toEqual({ a: 1 })
    expect(readApplied(Buffer.from('{"a":1}'), 'yaml').document).toEqual({ a: 1 })
    expect(readApplied(Buffer.from(''), 'yaml').document).toEqual({})
  })

  it.each([
    ['{', 'error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected node content'],
    [
      '[1]',
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ])('are refused: %s', (text, message) => {
    expect(messageOf(() => readApplied(Buffer.from(text), 'yaml'))).toBe(message)
  })

  it('that are applied may be CBOR (W-233)', () => {
    expect(readApplied(Buffer.from('a1616101', 'hex'), 'cbor').document).toEqual({ a: 1 })
    expect(messageOf(() => readApplied(Buffer.from('8101', 'hex'), 'cbor'))).toMatch('cannot unmarshal array')
    expect(messageOf(() => readApplied(Buffer.from('a2616101616102', 'hex'), 'cbor'))).toMatch('duplicate map key "a"')
  })

  it('in CBOR may not repeat keys', () => {
    const twice = Buffer.from('a2616101616102', 'hex')
    expect(messageOf(() => readDocument(twice, 'cbor', kind))).toBe(
      'cbor: found duplicate map key "a" at map element index 1',
    )
    expect(readDocument(encodeCborValue({ a: 1 }), 'cbor', kind).value).toEqual({ a: 1 })
  })
})
