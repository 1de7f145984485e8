import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { kubernetes } from '../../../src/define/define.ts'
import type { StructuralSchema } from '../../../src/define/structural.ts'
import { fromZod, type ZodSchema } from '../../../src/define/zod-schema.ts'

function made(schema: ZodSchema): StructuralSchema {
  return fromZod(schema, 'spec', (path, message) => {
    throw new Error(`${path}: ${message}`)
  })
}

function problemsOf(schema: ZodSchema): readonly string[] {
  const problems: string[] = []
  fromZod(schema, 'spec', (path, message) => void problems.push(`${path}: ${message}`))
  return problems
}

describe('a Zod schema as a structural one', () => {
  it.each<readonly [string, ZodSchema, StructuralSchema]>([
    ['text', z.string(), { type: 'string' }],
    ['text of a length', z.string().min(1).min(2).max(9).max(5), { type: 'string', minLength: 2, maxLength: 5 }],
    ['text of one length', z.string().length(3), { type: 'string', minLength: 3, maxLength: 3 }],
    ['a pattern', z.string().regex(/^[a-z]+$/), { type: 'string', pattern: '^[a-z]+$' }],
    [
      'several patterns',
      z.string().regex(/^a/).regex(/b$/),
      { type: 'string', pattern: '^a', allOf: [{ pattern: 'b$' }] },
    ],
    ['flags of a pattern', z.string().regex(/^é\u00ff$/iu), { type: 'string', pattern: '(?i)^é\\x{00ff}$' }],
    ['an escaped backslash', z.string().regex(/\\1/), { type: 'string', pattern: '\\\\1' }],
    ['a beginning', z.string().startsWith('a.b'), { type: 'string', pattern: '^a\\.b.*' }],
    ['a template literal', z.templateLiteral(['v', z.int()]), { type: 'string', pattern: '^v-?\\d+$' }],
    ['a format', z.ipv4(), { type: 'string', format: 'ipv4', pattern: z.regexes.ipv4.source }],
    ['a format without a pattern', z.url(), { type: 'string', format: 'uri' }],
    ['a format whose pattern looks around', z.hostname(), { type: 'string', format: 'hostname' }],
    ['a date', z.iso.date(), { type: 'string', format: 'date', pattern: z.regexes.date.source }],
    ['a number', z.number(), { type: 'number' }],
    ['an integer', z.int(), { type: 'integer' }],
    ['an integer, the older way', z.number().int().gte(1).lte(5), { type: 'integer', minimum: 1, maximum: 5 }],
    ['an integer of 32 bits', z.int32(), { type: 'integer', format: 'int32' }],
    ['a count', z.uint32(), { type: 'integer', format: 'int64', minimum: 0, maximum: 4_294_967_295 }],
    ['a tighter count', z.uint32().min(1).max(3), { type: 'integer', format: 'int64', minimum: 1, maximum: 3 }],
    ['a float', z.float64(), { type: 'number', format: 'double' }],
    ['a positive number', z.number().positive(), { type: 'number', minimum: 0, exclusiveMinimum: true }],
    [
      'the tighter bound',
      z.number().gt(1).gte(1).lt(5).lte(4),
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 4 },
    ],
    ['multiples', z.int().multipleOf(2).multipleOf(3), { type: 'integer', multipleOf: 2, allOf: [{ multipleOf: 3 }] }],
    ['a switch', z.boolean(), { type: 'boolean' }],
    ['an enumeration', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['an enumeration of numbers', z.literal([1, 2]), { type: 'integer', enum: [1, 2] }],
    ['a literal', z.literal('only'), { type: 'string', enum: ['only'] }],
    ['literals one by one', z.union([z.literal('a'), z.enum(['b', 'a'])]), { type: 'string', enum: ['a', 'b'] }],
    ['what may be null', z.string().nullable(), { type: 'string', nullable: true }],
    ['an enumeration or null', z.enum(['a']).nullable(), { type: 'string', enum: ['a', null], nullable: true }],
    ['null as an alternative', z.union([z.int(), z.null()]), { type: 'integer', nullable: true }],
    ['an integer or a text', z.union([z.string(), z.int()]), { 'x-kubernetes-int-or-string': true }],
    ['or null', z.union([z.string(), z.int(), z.null()]), { 'x-kubernetes-int-or-string': true, nullable: true }],
    ['anything', z.unknown(), { nullable: true, 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'a list',
      z.array(z.string()).min(1).max(3),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    ],
    ['a map', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
    [
      'an object',
      z.object({ a: z.string() }),
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    ['a strict object', z.strictObject({}), { type: 'object', properties: {} }],
    [
      'a loose object',
      z.looseObject({}),
      { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    ['values by key', z.object({}).catchall(z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
    [
      'fields that may be absent',
      z.object({ a: z.string().optional(), b: z.int().default(1), c: z.int().prefault(2), d: z.string().readonly() }),
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { type: 'integer', default: 1 },
          c: { type: 'integer', default: 2 },
          d: { type: 'string' },
        },
        required: ['d'],
      },
    ],
    [
      'a default made by a function',
      z.array(z.int()).default(() => [1]),
      { type: 'array', items: { type: 'integer' }, default: [1] },
    ],
    ['a description', z.string().describe('What.').min(1), { type: 'string', description: 'What.', minLength: 1 }],
    [
      'the outer description',
      z.string().describe('In.').optional().describe('Out.'),
      { type: 'string', description: 'Out.' },
    ],
    ['the inner description', z.string().describe('In.').optional(), { type: 'string', description: 'In.' }],
    [
      'what others keep in the metadata',
      z.string().meta({ id: 'x', title: 'T', format: 'password', example: 'e', deprecated: true }),
      { type: 'string', title: 'T', format: 'password', example: 'e' },
    ],
    [
      'a list told apart by a key',
      z.array(z.object({ name: z.string() })).meta(kubernetes({ listType: 'map', listMapKeys: ['name'] })),
      {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ],
    [
      'a refinement with its rule',
      z
        .string()
        .refine((text) => text !== 'x')
        .meta(kubernetes({ rules: [{ rule: 'self != "x"', message: 'not x' }] })),
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != "x"', message: 'not x' }] },
    ],
    [
      'the rules within and around',
      z
        .string()
        .meta(kubernetes({ rules: [{ rule: 'a' }] }))
        .optional()
        .meta(kubernetes({ rules: [{ rule: 'b' }] })),
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'a' }, { rule: 'b' }] },
    ],
    [
      'everything else of Kubernetes',
      z.looseObject({}).meta(kubernetes({ mapType: 'atomic', embeddedResource: true, preserveUnknownFields: true })),
      {
        type: 'object',
        properties: {},
        'x-kubernetes-map-type': 'atomic',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    [
      'the small zod',
      mini.object({ a: mini.optional(mini.string().check(mini.minLength(1))) }),
      { type: 'object', properties: { a: { type: 'string', minLength: 1 } } },
    ],
    [
      'a description of the small zod',
      mini.string().register(mini.globalRegistry, { description: 'What.' }),
      { type: 'string', description: 'What.' },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(made(schema)).toEqual(expected)
  })
})

interface Tree {
  readonly children: readonly Tree[]
}

const Tree = z.object({
  get children(): z.ZodReadonly<z.ZodArray<typeof Tree>> {
    return z.array(Tree).readonly()
  },
})

describe('what cannot be structural is told with its path and what to write instead', () => {
  let count = 0
  it.each<readonly [string, ZodSchema, string]>([
    [
      'a union',
      z.union([z.string(), z.boolean()]),
      'spec.f: a union: use an object with an optional field for each alternative',
    ],
    ['constrained alternatives', z.union([z.string().min(1), z.int()]), 'spec.f: a union:'],
    [
      'a discriminated union',
      z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      'spec.f: a union:',
    ],
    ['a tuple', z.tuple([z.string()]), 'spec.f: a tuple: use an object with named fields'],
    ['an intersection', z.intersection(z.object({}), z.object({})), 'spec.f: an intersection: use .extend()'],
    [
      'a transform',
      z.string().transform(Number),
      'spec.f: a transform, codec or preprocessing: the API stores what is sent',
    ],
    ['preprocessing', z.preprocess(String, z.string()), 'spec.f: a transform, codec or preprocessing:'],
    ['trimming', z.string().trim(), 'spec.f: .trim(), .toLowerCase() and the like:'],
    ['coercion', z.coerce.number(), 'spec.f: z.coerce: the API accepts only values of the right type'],
    ['a fallback', z.string().catch('x'), 'spec.f: .catch(): the API refuses what is wrong'],
    [
      'a refinement',
      z.string().refine(() => true),
      'spec.f: a refinement runs in your process only: say it as a CEL rule too',
    ],
    [
      'two refinements and one rule',
      z
        .string()
        .refine(() => true)
        .refine(() => true)
        .meta(kubernetes({ rules: [{ rule: 'true' }] })),
      'spec.f: a refinement',
    ],
    ['recursion', Tree, 'spec.f.children[]: a lazy or recursive schema:'],
    ['laziness', z.lazy(() => z.string()), 'spec.f: a lazy or recursive schema:'],
    ['a record of numbers', z.record(z.number(), z.string()), 'spec.f: a record whose keys are not just text:'],
    [
      'a record with known keys',
      z.record(z.enum(['a']), z.string()),
      'spec.f: a record whose keys are not just text: use z.object()',
    ],
    [
      'a record with checked keys',
      z.record(z.string().min(1), z.string()),
      'spec.f: a record whose keys are not just text:',
    ],
    [
      'fields and values by key',
      z.object({ a: z.string() }).catchall(z.string()),
      'spec.f: an object has either fields or values by key',
    ],
    ['a Date', z.date(), 'spec.f: a Date: JSON has none, use z.iso.datetime()'],
    ['a bigint', z.bigint(), 'spec.f: a bigint: JSON has none, use z.int()'],
    ['a Map', z.map(z.string(), z.string()), 'spec.f: a Map: use z.record(z.string(), …)'],
    ['a Set', z.set(z.string()), 'spec.f: a Set: use z.array(…) with list type set'],
    ['null', z.null(), 'spec.f: null alone: use .nullable()'],
    ['a class', z.instanceof(URL), 'spec.f: z.custom() or z.instanceof():'],
    ['a file', z.file(), 'spec.f: z.file(): JSON has no such value'],
    [
      'lookaround',
      z.string().regex(/^(?!x)/),
      'spec.f: a pattern with lookaround or backreferences, which RE2 leaves out',
    ],
    ['a backreference', z.string().regex(/(a)\1/), 'spec.f: a pattern with lookaround or backreferences'],
    ['several lines', z.string().regex(/^a$/m), 'spec.f: the flags "m" of a pattern'],
    ['an ISO duration', z.iso.duration(), 'spec.f: the format "duration" is unknown to Kubernetes'],
    ['a token', z.jwt(), 'spec.f: the format "jwt" is unknown to Kubernetes'],
    ['an enumeration of several types', z.literal(['a', 1]), 'spec.f: an enumeration of several types'],
    ['a default that changes', z.number().default(() => count++), 'spec.f: a default that is different each time'],
    [
      'an unknown keyword',
      z.string().meta({ 'x-kubernetes-list-typ': 'map' }),
      'spec.f: unknown keyword "x-kubernetes-list-typ"',
    ],
  ])('%s', (_name, field, expected) => {
    const [problem, ...others] = problemsOf(z.object({ f: field as z.ZodType }))
    expect(problem).toContain(expected)
    expect(others).toEqual([])
  })

  it('all of it at once, also within lists and maps', () => {
    const inner = z.object({ a: z.tuple([]), b: z.array(z.date()), c: z.record(z.string(), z.bigint()) })
    expect(problemsOf(inner).map((problem) => problem.split(':')[0])).toEqual(['spec.a', 'spec.b[]', 'spec.c{}'])
  })
})
