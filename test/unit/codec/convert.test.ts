import { describe, expect, it } from 'vitest'
import { type Value, equalValues } from '../../../src/api/value.ts'
import { convert, ConvertError, type SourceEncoding, type TargetEncoding } from '../../../src/codec/convert.ts'
import { columnsOf } from '../../corpora/kind-of.ts'
import { GOLDEN_SCHEMA, goldenFixtures } from '../../corpora/golden-fixtures.ts'

const kinds = GOLDEN_SCHEMA

function run(input: Buffer | string, from: SourceEncoding, to: TargetEncoding): Buffer {
  return convert(Buffer.from(input), { from, to, kinds, columnsOf, now: 0 }).bytes
}

function messageOf(input: Buffer | string, from: SourceEncoding, to: TargetEncoding): string {
  try {
    run(input, from, to)
  } catch (error) {
    if (error instanceof ConvertError) return error.message
    throw error
  }
  return ''
}

const parse = (bytes: Buffer): Value => JSON.parse(bytes.toString()) as Value

describe('the reference’s objects', () => {
  const goldens = goldenFixtures()

  it.each(goldens.filter(({ kind }) => kind !== undefined).map((golden) => [golden.name, golden] as const))(
    '%s goes through all encodings and stays the same',
    (_name, golden) => {
      expect(run(golden.json, 'json', 'protobuf').equals(golden.protobuf)).toBe(true)
      expect(run(golden.json, 'json', 'yaml').toString()).toBe(golden.yaml)
      expect(run(golden.protobuf, 'protobuf', 'json').toString()).toBe(golden.json)
      expect(run(golden.protobuf, 'protobuf', 'yaml').toString()).toBe(golden.yaml)
      const way: readonly SourceEncoding[] = ['json', 'cbor', 'yaml', 'cbor-seq', 'protobuf', 'json']
      let end: Buffer = Buffer.from(golden.json)
      for (const [i, to] of way.slice(1).entries()) end = run(end, way[i] ?? 'json', to)
      expect(equalValues(parse(end), parse(Buffer.from(golden.json)))).toBe(true)
    },
  )

  it.each(goldens.filter(({ kind }) => kind === undefined).map((golden) => [golden.name, golden] as const))(
    '%s, which is of no kind that is served, passes where no schema is needed',
    (_name, golden) => {
      expect(run(golden.json, 'json', 'yaml').toString()).toBe(golden.yaml)
      expect(run(golden.json, 'json', 'json').toString()).toBe(golden.json)
      const back = run(run(golden.json, 'json', 'cbor'), 'cbor', 'json')
      expect(equalValues(parse(back), parse(Buffer.from(golden.json)))).toBe(true)
      expect(messageOf(golden.protobuf, 'protobuf', 'json')).toMatch(/ has no protobuf encoding$/)
    },
  )
})

describe('several objects', () => {
  const lines =
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}\n{"kind":"Foo","apiVersion":"g/v1","x":1}\n'

  it('stand in a line each in JSON, in documents in YAML, one after the other in a CBOR sequence', () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: g/v1\nkind: Foo\nx: 1\n'
    expect(run(lines, 'json', 'yaml').toString()).toBe(yaml)
    expect(run(`# a comment\n---\n${yaml}---\n`, 'yaml', 'json').toString()).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}\n{"apiVersion":"g/v1","kind":"Foo","x":1}\n',
    )
    expect(run(run(yaml, 'yaml', 'cbor-seq'), 'cbor-seq', 'yaml').toString()).toBe(yaml)
  })

  it.each(['protobuf', 'cbor', 'table'] as const)('do not fit into %s', (to) => {
    expect(messageOf(lines, 'json', to)).toBe('the input holds 2 objects, and the target encoding holds one')
  })
})

describe('tables', () => {
  it('show an object in a row', () => {
    const secret =
      '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"type":"Opaque","data":{"x":""}}'
    const table = parse(run(secret, 'json', 'table'))
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      rows: [{ cells: ['a', 'Opaque', 1, '<unknown>'] }],
    })
  })

  it('show a list in rows', () => {
    const list =
      '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}'
    const table = parse(run(list, 'json', 'table'))
    expect(table).toMatchObject({
      metadata: { resourceVersion: '9' },
      rows: [{ cells: ['a', 0, '<unknown>'] }, { cells: ['b', 0, '<unknown>'] }],
    })
  })
})

describe('what cannot be converted gets one line', () => {
  it.each<[string, string, SourceEncoding, TargetEncoding, string]>([
    ['nothing', '', 'yaml', 'json', 'the input holds no object'],
    ['bad JSON', '{"a"', 'json', 'yaml', 'unexpected end of JSON input'],
    ['bad YAML', 'a: [', 'yaml', 'json', 'yaml: line 1: did not find expected node content'],
    ['bad CBOR', '\u0001\u0002', 'cbor', 'json', 'cbor: 1 bytes of extraneous data starting at index 1'],
    [
      'bad protobuf',
      'hello',
      'protobuf',
      'json',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['no object', '[1]', 'json', 'yaml', 'the input is not an object'],
    [
      'a field of the wrong type',
      '{"kind":"Pod","apiVersion":"v1","spec":5}',
      'json',
      'yaml',
      'json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec',
    ],
    [
      'a kind without protobuf',
      '{"kind":"Foo","apiVersion":"g/v1"}',
      'json',
      'protobuf',
      'g/v1 Foo has no protobuf encoding',
    ],
    ['no kind', '{"a":1}', 'json', 'protobuf', 'an object without a kind has no protobuf encoding'],
  ])('%s', (_name, input, from, to, message) => {
    expect(messageOf(input, from, to)).toBe(message)
  })

  it('what is only left out is told beside the result', () => {
    const { problems } = convert(Buffer.from('{"kind":"Pod","apiVersion":"v1","foo":1}'), {
      from: 'json',
      to: 'yaml',
      kinds,
      now: 0,
    })
    expect(problems).toEqual(['unknown field "foo"'])
  })
})
