import { describe, expect, it } from 'vitest'
import { fromJsonSchema } from '../../../src/define/json-schema.ts'
import type { StructuralSchema } from '../../../src/define/structural.ts'

function walk(schema: object): { made: StructuralSchema; problems: readonly string[] } {
  const problems: string[] = []
  const made = fromJsonSchema(schema, 'spec', (path, message) => void problems.push(`${path}: ${message}`))
  return { made, problems }
}

describe('a JSON schema as a structural one', () => {
  it.each<readonly [string, object, StructuralSchema]>([
    [
      'what is one already',
      { type: 'string', minLength: 1, format: 'uri' },
      { type: 'string', minLength: 1, format: 'uri' },
    ],
    ['null beside a type', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'exclusive bounds of newer drafts',
      { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 },
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
    ],
    [
      'exclusive bounds of older drafts',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', minimum: 1, exclusiveMinimum: true },
    ],
    ['no other fields', { type: 'object', additionalProperties: false }, { type: 'object' }],
    [
      'any other fields',
      { type: 'object', additionalProperties: true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'what is within',
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', const: 'a' } } },
        required: ['a'],
      },
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', enum: ['a'] } } },
        required: ['a'],
      },
    ],
    [
      'values by key',
      { type: 'object', additionalProperties: { type: ['integer', 'null'] } },
      { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
    ],
    ['comments', { $schema: 'x', $comment: 'y', examples: [1], type: 'integer' }, { type: 'integer' }],
    [
      'alternatives of values',
      { type: 'string', anyOf: [{ pattern: '^a' }, { maxLength: 3 }], not: { enum: ['x'] } },
      { type: 'string', anyOf: [{ pattern: '^a' }, { maxLength: 3 }], not: { enum: ['x'] } },
    ],
    [
      'alternatives in the words of newer drafts',
      { type: 'integer', oneOf: [{ const: 1 }, { exclusiveMinimum: 5 }] },
      { type: 'integer', oneOf: [{ enum: [1] }, { minimum: 5, exclusiveMinimum: true }] },
    ],
    [
      'an integer or a text',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(walk(schema)).toEqual({ made: expected, problems: [] })
  })

  it.each<readonly [string, object, string]>([
    ['a reference', { type: 'string', $ref: '#/x' }, 'spec.f: $ref: write the schema out where it is used'],
    ['several types', { type: ['string', 'integer'] }, 'spec.f: several types: only x-kubernetes-int-or-string'],
    ['null', { type: ['null'], 'x-kubernetes-preserve-unknown-fields': true }, 'spec.f: null alone'],
    ['no type', { minLength: 1 }, 'spec.f: has no type'],
    ['a tuple', { type: 'array', prefixItems: [] }, 'spec.f: prefixItems: use an object with named fields'],
    ['a tuple of older drafts', { type: 'array', items: [{ type: 'string' }] }, 'spec.f: prefixItems:'],
    ['lookaround', { type: 'string', pattern: '^(?!a)' }, 'spec.f: a pattern with lookaround'],
    ['a condition', { type: 'string', if: {} }, 'spec.f: if: use a CEL rule'],
    [
      'unique items',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      'spec.f: uniqueItems: use x-kubernetes-list-type',
    ],
    ['two bounds', { type: 'number', minimum: 5, exclusiveMinimum: 1 }, 'spec.f: minimum and exclusiveMinimum: keep'],
    ['an unknown keyword', { type: 'string', minLenght: 1 }, 'spec.f: unknown keyword "minLenght"'],
    [
      'fields and values by key',
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
      'spec.f: an object has either properties or additionalProperties',
    ],
    [
      'alternatives of types',
      { type: 'object', oneOf: [{ properties: { a: { type: 'string' } } }] },
      'spec.f.oneOf.a: "type" cannot depend on the value',
    ],
    [
      'a default among values',
      { type: 'object', allOf: [{ not: { items: { default: 1 } } }] },
      'spec.f.allOf.not[]: "default"',
    ],
  ])('refuses %s', (_name, field, expected) => {
    const { problems } = walk({ type: 'object', properties: { f: field } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(expected)
  })
})
