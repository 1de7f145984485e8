import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { parseJsonDocument } from '../../../src/codec/json-parse.ts'
import { decodeCustom } from '../../../src/schema/prune.ts'
import { DecodeError } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { Field, ObjectShape, Shape } from '../../../src/schema/table.ts'

const metadata = loadBuiltInSchema().shape('meta_v1.ObjectMeta') as ObjectShape

function object(members: Readonly<Record<string, Shape>>): ObjectShape {
  const fields = Object.entries(members).map(
    ([name, shape]): Field => ({ name, shape, required: false, pointer: true, omit: 'empty' }),
  )
  const byName = new Map(fields.map((field) => [field.name, field]))
  return {
    kind: 'object',
    name: '',
    fields,
    byName,
    mapType: 'granular',
    preserveUnknown: false,
    typeMeta: true,
    wire: undefined,
  }
}

const shape = object({ spec: object({ n: { kind: 'int64' }, s: { kind: 'string' } }) })

function decode(text: string) {
  const { value, duplicates } = parseJsonDocument(Buffer.from(text))
  return decodeCustom({ value: value as ValueMap, duplicates }, { shape, metadata })
}

describe('objects of custom kinds', () => {
  it('lose what their schema does not know, and tell it in order', () => {
    const text =
      '{"kind":"Foo","apiVersion":"g/v1","metadata":{"name":"a","bad":1},"spec":{"x":1,"n":1,"n":2},"extra":{}}'
    expect(decode(text)).toEqual({
      value: { kind: 'Foo', apiVersion: 'g/v1', metadata: { name: 'a' }, spec: { n: 2 } },
      problems: [
        'duplicate field "spec.n"',
        'unknown field "metadata.bad"',
        'unknown field "extra"',
        'unknown field "spec.x"',
      ],
    })
  })

  it('keep values of the wrong type, for validation to find', () => {
    expect(decode('{"metadata":{},"spec":{"n":"x","s":null}}').value).toEqual({
      metadata: {},
      spec: { n: 'x', s: null },
    })
  })

  it('have canonical metadata', () => {
    const text = '{"metadata":{"creationTimestamp":null,"labels":{},"deletionTimestamp":"2024-01-01T00:00:00+01:00"}}'
    expect(decode(text).value).toEqual({ metadata: { deletionTimestamp: '2023-12-31T23:00:00Z' } })
  })

  it.each([
    ['a kind that is no text', '{"metadata":{},"spec":{"kind":5}}', 'spec.kind: Invalid value: 5: must be a string'],
    [
      'metadata that is no map',
      '{"metadata":{},"spec":{"metadata":"x"}}',
      'spec.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    ],
    [
      'labels of the wrong type',
      '{"metadata":{},"spec":{"metadata":{"labels":{"a":1}}}}',
      'spec.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])('are refused where an embedded object has %s', (_name, text, message) => {
    expect(() => decode(text)).toThrow(new DecodeError(message))
  })

  it('are refused where the metadata does not fit', () => {
    expect(() => decode('{"metadata":{"labels":[]}}')).toThrow(
      new DecodeError('json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string'),
    )
  })
})
