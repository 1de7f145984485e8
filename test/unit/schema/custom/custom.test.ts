import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalValues, type ValueMap } from '../../../../src/api/value.ts'
import { canonicalJson } from '../../../../src/codec/json-encode.ts'
import { parseJsonDocument } from '../../../../src/codec/json-parse.ts'
import { CustomSchema } from '../../../../src/schema/custom/custom.ts'
import { loadBuiltInSchema } from '../../../../src/schema/schema.ts'
import type { ObjectShape } from '../../../../src/schema/table.ts'
import { outOfProportion } from '../../../rigs/processor-time.ts'

const metadata = loadBuiltInSchema().shape('meta_v1.ObjectMeta') as ObjectShape

function schemaOf(spec: object): CustomSchema {
  const root = { type: 'object', properties: { spec } }
  return new CustomSchema(() => root as unknown as ValueMap, metadata)
}

function told(schema: CustomSchema, object: object, old?: object): readonly string[] {
  const faults = schema.faults(object as ValueMap, old as ValueMap | undefined)
  return faults.map(({ field, message }) => `${field}: ${message}`)
}

const text = (more: object = {}) => ({ type: 'string', ...more })
const fields = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

describe('what is wrong with a value (W-008)', () => {
  it.each<[string, object, unknown, readonly string[]]>([
    [
      'a wrong type',
      { type: 'integer' },
      'x',
      ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
    ],
    [
      'a null',
      { type: 'integer' },
      null,
      ['spec: Invalid value: "null": spec in body must be of type integer: "null"'],
    ],
    ['a null that may be', { type: 'integer', nullable: true }, null, []],
    ['a whole number that is written as another', { type: 'integer' }, 2.0, []],
    ['an integer where numbers are', { type: 'number' }, 2, []],
    [
      'too small',
      { type: 'integer', minimum: 1 },
      0,
      ['spec: Invalid value: 0: spec in body should be greater than or equal to 1'],
    ],
    [
      'not above',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      0,
      ['spec: Invalid value: 0: spec in body should be greater than 0'],
    ],
    ['an integer and a bound with a fraction, which is cut off', { type: 'number', minimum: 0.5 }, 0, []],
    [
      'a double beyond a large bound',
      { type: 'number', maximum: 1_000_000 },
      1_000_000.5,
      ['spec: Invalid value: 1.0000005e+06: spec in body should be less than or equal to 1e+06'],
    ],
    [
      'an integer beyond a large bound',
      { type: 'number', maximum: 1_000_000 },
      1_000_001,
      ['spec: Invalid value: 1000001: spec in body should be less than or equal to 1000000'],
    ],
    [
      'a bound that is none of the type',
      { type: 'integer', maximum: 2.5 },
      3,
      [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in spec',
        'spec: Invalid value: 3: spec in body should be less than or equal to 2.5',
      ],
    ],
    [
      'a bound beyond 64 bits, which holds against everything',
      { type: 'number', maximum: 1e300 },
      0,
      ['spec: Invalid value: 0: spec in body should be less than or equal to -9223372036854775808'],
    ],
    [
      'a factor that is none',
      { type: 'integer', multipleOf: 0 },
      3,
      ['spec: Invalid value: 0: factor MultipleOf declared for spec must be positive: 0'],
    ],
    [
      'a double that is nearly an integer',
      { type: 'integer' },
      3.0000000001,
      ['<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec'],
    ],
    [
      'an integer beyond 64 bits',
      { type: 'integer', format: 'int64' },
      2 ** 63,
      [
        'spec: Invalid value: "float64": spec in body must be of type int64: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec',
      ],
    ],
    [
      'the same fault in two alternatives',
      { type: 'string', enum: ['a'], allOf: [{ enum: ['a'] }] },
      'b',
      [
        'spec: Unsupported value: "b": supported values: "a"',
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
    ['a list for a text with a format', { type: 'string', format: 'ipv4' }, ['x'], []],
    [
      'a list for a text without one',
      { type: 'string' },
      ['x'],
      ['spec: Invalid value: "array": spec in body must be of type string: "array"'],
    ],
    [
      'an integer where anything of a format is',
      { 'x-kubernetes-preserve-unknown-fields': true, format: 'ipv4' },
      5,
      ['spec: Invalid value: "int64": spec in body must be of type ipv4: "int64"'],
    ],
    [
      'a format that is none of the type',
      { type: 'integer', format: 'double' },
      'x',
      ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
    ],
    [
      'a format that does not belong to the type, and a value of the wrong one',
      { type: 'number', format: 'float64' },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type number: "boolean"'],
    ],
    [
      'not below',
      { type: 'number', maximum: 3, exclusiveMaximum: true },
      3,
      ['spec: Invalid value: 3: spec in body should be less than 3'],
    ],
    [
      'no multiple',
      { type: 'integer', multipleOf: 5 },
      7,
      ['spec: Invalid value: 7: spec in body should be a multiple of 5'],
    ],
    [
      'beyond 32 bits',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec'],
    ],
    ['too long', text({ maxLength: 2 }), 'abc', ['spec: Too long: may not be more than 2 bytes']],
    ['long by letters, not by bytes', text({ maxLength: 2 }), 'äö', []],
    ['a pair counts once', text({ maxLength: 1 }), '😀', []],
    [
      'too short',
      text({ minLength: 2 }),
      'a',
      ['spec: Invalid value: "a": spec in body should be at least 2 chars long'],
    ],
    ['another pattern', text({ pattern: '^a$' }), 'b', [`spec: Invalid value: "b": spec in body should match '^a$'`]],
    ['not in the set', text({ enum: ['a', 'b'] }), 'c', ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [
      'too many',
      { type: 'array', maxItems: 1, items: text() },
      ['a', 'b'],
      ['spec: Too many: 2: must have at most 1 item'],
    ],
    [
      'too few members',
      fields({}, { minProperties: 1, additionalProperties: true }),
      {},
      ['spec: Invalid value: 0: spec in body should have at least 1 properties'],
    ],
    [
      'none of any',
      fields({ a: text(), b: text() }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      {},
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', 'spec.a: Required value'],
    ],
    [
      'what must not be',
      fields({ a: text() }, { not: { required: ['a'] } }),
      { a: '' },
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      'not all',
      fields({ a: text(), b: text() }, { allOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { a: '' },
      ['spec.b: Required value', '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)'],
    ],
    [
      'in an item',
      { type: 'array', items: fields({ n: { type: 'integer' } }) },
      [{ n: 1 }, { n: 'x' }],
      ['spec[1].n: Invalid value: "string": spec[1].n in body must be of type integer: "string"'],
    ],
    [
      'in a map',
      { type: 'object', additionalProperties: { type: 'boolean' } },
      { k: 1 },
      ['spec.k: Invalid value: "integer": spec.k in body must be of type boolean: "integer"'],
    ],
    [
      'neither number nor text',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    ['an unknown format', text({ format: 'florp' }), 'x', []],
    [
      'a number for a formatted text',
      text({ format: 'date-time' }),
      5,
      ['spec: Invalid value: "int64": spec in body must be of type date-time: "int64"'],
    ],
    [
      'a truth for a formatted number',
      { type: 'integer', format: 'int32' },
      true,
      ['spec: Invalid value: "": spec in body must be of type int32: ""'],
    ],
    [
      'too few members, and which is missing',
      { type: 'object', minProperties: 1, required: ['a'], properties: { a: text({}) } },
      {},
      ['spec: Invalid value: 0: spec in body should have at least 1 properties', 'spec.a: Required value'],
    ],
    [
      'too many members, and what is wrong with them',
      { type: 'object', maxProperties: 1, additionalProperties: text({ maxLength: 1 }) },
      { a: 'x', b: 'xy', c: 1 },
      [
        'spec: Too many: 3: must have at most 1 item',
        'spec.b: Too long: may not be more than 1 byte',
        'spec.c: Invalid value: "integer": spec.c in body must be of type string: "integer"',
      ],
    ],
    [
      'no alternative, of which the first that fits as well as any is told',
      {
        type: 'object',
        properties: { a: text({}), b: text({}), c: text({}) },
        anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }],
      },
      { c: 'x' },
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', 'spec.a: Required value'],
    ],
  ])('%s', (_name, spec, value, expected) => {
    expect(told(schemaOf(spec), { spec: value })).toEqual(expected)
  })

  it('is passed over where it was so before (W-438, P-342)', () => {
    const schema = schemaOf(fields({ n: { type: 'integer', minimum: 5 }, other: text() }))
    const old = { spec: { n: 1 } }
    expect(told(schema, { spec: { n: 1, other: 'x' } }, old)).toEqual([])
    expect(told(schema, { spec: { n: 2, other: 'x' } }, old)).toHaveLength(1)
  })

  it('is passed over in an item of a list with keys wherever the item stands (P-342)', () => {
    const items = fields({ k: text(), n: { type: 'integer', minimum: 5 } }, { required: ['k'] })
    const list = { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
    const schema = schemaOf(fields({ list }))
    const old = {
      spec: {
        list: [
          { k: 'a', n: 1 },
          { k: 'b', n: 1 },
        ],
      },
    }
    expect(
      told(
        schema,
        {
          spec: {
            list: [
              { k: 'c', n: 9 },
              { k: 'b', n: 1 },
            ],
          },
        },
        old,
      ),
    ).toEqual([])
    expect(told(schema, { spec: { list: [{ k: 'c', n: 1 }] } }, old)).toHaveLength(1)
  })

  it('of the status alone is told without the word (W-441)', () => {
    const root = {
      type: 'object',
      properties: { status: fields({ n: { type: 'integer' } }), spec: { type: 'integer' } },
    }
    const schema = new CustomSchema(() => root as unknown as ValueMap, metadata)
    const faults = schema.statusFaults({ spec: 'bad', status: { n: 'x' } }, {})
    expect(faults).toMatchObject([
      { field: 'status.n', message: expect.stringContaining('n in body must be') as string },
    ])
  })

  it('takes linear time for patterns that others take for ever with', () => {
    const schema = schemaOf(text({ pattern: '^(a+)+$' }))
    const judge = (size: number): void => expect(told(schema, { spec: `${'a'.repeat(size)}!` })).toHaveLength(1)
    expect(outOfProportion(20_000, judge)).toBe('')
  })
})

describe('formats', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'date-time',
      ['2020-01-01T00:00:00Z', '2020-01-01t00:00:00.123+01:00', '2020-01-01T00:00:00,5Z'],
      [
        '2020-01-01',
        '2020-02-30T00:00:00Z',
        'x',
        '2020-01-01 00:00:00Z',
        '2020-01-01T24:00:00Z',
        '2020-01-01T00:00:00',
      ],
    ],
    ['date', ['2020-02-29'], ['2021-02-29', '2020-1-1']],
    ['duration', ['1h30m', '3 weeks', '0', '1d2h', '3 s', '-1 day', 'about 2 hours'], ['1x', '', 'soon', '12', 'h']],
    ['ipv4', ['10.0.0.1', '010.0.0.01', '::ffff:10.0.0.1'], ['300.0.0.1', '::1', '10.0.1']],
    ['ipv6', ['::1', '::ffff:10.0.0.1'], ['10.0.0.1', 'fe80::1%eth0']],
    ['cidr', ['10.0.0.0/8', '::/0', '010.0.0.0/08'], ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/+8', '::1%a/64']],
    ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab', '0123456789ab'], ['01:23:45', '01:23-45:67:89:ab']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567']],
    ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
    [
      'email',
      ['a@b.c', 'A. B <a@b.c>', '"A" <a@b>', ' a@ b ', '"a\\"b"@c', 'a@[10.0.0.1]', 'a@b (of c)'],
      ['nobody', '@b', 'a b@c', 'a@b.', 'a@.b', 'a@b..c', '""@b', 'a@[x]', '.a@b', 'A <>', 'a@b <c@d>'],
    ],
    ['hostname', ['a.b-c.dd', 'x', 'a-b'], ['-a', 'a..bb', '', 'a.b', 'ab-c', 'a.b1']],
    [
      'uri',
      [
        'https://a/b?c',
        '/path',
        '*',
        '/a b',
        'a:',
        'a:b c',
        'http://u:p@a:80/',
        'http://[::1]:80/',
        'http://a:/?%zz',
        'http://%C3%BC/',
      ],
      [
        '',
        'no scheme',
        ':a',
        '/%zz',
        'http://[::1/',
        'http://[x]/',
        'http://a:b',
        'http://a%20b/',
        'http://a\\b',
        'http://u v@a/',
        '/\t',
      ],
    ],
    ['byte', ['YWJj', 'YQ=='], ['YWJ', 'a b=', '', 'a===']],
    ['hexcolor', ['#fff', 'a1b2c3'], ['#ffff']],
    ['rgbcolor', ['rgb(1, 2,255)'], ['rgb(1,2,256)', 'rgb(1,\u00a02,3)']],
    ['isbn10', ['0-306-40615-2', '080442957X'], ['0-306-40615-3', '080442957x', '0\u00a0306406152']],
    ['isbn13', ['978-0-306-40615-7'], ['978-0-306-40615-8']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['ssn', ['123-45-6789', '123 45-6789'], ['12-345-6789', '123456789']],
    ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f']],
    ['password', ['anything'], []],
    ['k8s-short-name', ['a-b'], ['A', 'a.b']],
    ['k8s-long-name', ['a.b-c'], ['a..b']],
  ])('%s', (format, good, bad) => {
    const schema = schemaOf(text({ format }))
    expect(good.filter((value) => told(schema, { spec: value }).length > 0)).toEqual([])
    expect(bad.filter((value) => told(schema, { spec: value }).length === 0)).toEqual([])
  })

  it('take no time for a long text that is no email address', () => {
    const started = performance.now()
    for (const part of ['a', '.', ' ', '"', 'a.', '"a" ', '(', '<', '\\']) {
      expect(told(schemaOf(text({ format: 'email' })), { spec: part.repeat(10_000) })).not.toEqual([])
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  it('show a bad text as the reference does', () => {
    const found = told(schemaOf(text({ format: 'date' })), { spec: 'a\u0001\u00a0' })
    expect(found.join()).toContain(String.raw`must be of type date: "a\x01\u00a0"`)
  })
})

describe('defaults', () => {
  const filled = (spec: object, value: unknown) => schemaOf(spec).withDefaults({ spec: value } as ValueMap)['spec']

  it.each<[string, object, unknown, unknown]>([
    ['fill what is absent', fields({ n: { type: 'integer', default: 3 } }), {}, { n: 3 }],
    ['leave what is there', fields({ n: { type: 'integer', default: 3 } }), { n: 0 }, { n: 0 }],
    ['replace a null that may not be', fields({ n: { type: 'integer', default: 3 } }), { n: null }, { n: 3 }],
    [
      'leave a null that may be',
      fields({ n: { type: 'integer', default: 3, nullable: true } }),
      { n: null },
      { n: null },
    ],
    ['drop a null without a default', fields({ n: { type: 'integer' } }), { n: null }, {}],
    [
      'go down into what they filled in',
      fields({ a: fields({ b: text({ default: 'x' }) }, { default: {} }) }),
      {},
      { a: { b: 'x' } },
    ],
    [
      'reach items and maps',
      fields({
        l: { type: 'array', items: fields({ b: text({ default: 'x' }) }) },
        m: { type: 'object', additionalProperties: fields({ b: text({ default: 'y' }) }) },
      }),
      { l: [{}], m: { k: {} } },
      { l: [{ b: 'x' }], m: { k: { b: 'y' } } },
    ],
    ['do not make what nobody asked for', fields({ a: fields({ b: text({ default: 'x' }) }) }), {}, {}],
  ])('%s', (_name, spec, value, expected) => {
    expect(filled(spec, value)).toEqual(expected)
  })

  it('give the object itself back where there is nothing to fill in', () => {
    const schema = schemaOf(fields({ n: { type: 'integer', default: 3 } }))
    const object = { spec: { n: 1 } }
    expect(schema.withDefaults(object)).toBe(object)
  })
})

describe('what a schema does not know', () => {
  it('stays in the items of a list that keeps it, but not in what they name', () => {
    const items = fields({ a: fields({ b: text() }) })
    const schema = schemaOf({ type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items })
    const object = { metadata: {}, spec: [{ z: 1, a: { b: 'x', y: 1 } }] }
    expect(schema.known(object as unknown as ValueMap)).toEqual({ metadata: {}, spec: [{ z: 1, a: { b: 'x' } }] })
  })

  it.each([
    ['members', { properties: { a: fields({ b: text() }) } }, { z: 1, a: { b: 'x', y: 1 } }, { z: 1, a: { b: 'x' } }],
    ['items', { items: fields({ a: fields({ b: text() }) }) }, [{ z: 1, a: { y: 1 } }], [{ z: 1, a: {} }]],
    ['a list where members are named', { properties: { a: fields({}) } }, [{ a: { z: 1 } }], [{ a: { z: 1 } }]],
    ['a map where items are', { items: fields({ a: text() }) }, { z: 1 }, { z: 1 }],
    ['a text', { properties: { a: text() } }, 'x', 'x'],
  ])('goes out of what a value without a type names: %s', (_, node, spec, kept) => {
    const schema = schemaOf({ 'x-kubernetes-preserve-unknown-fields': true, ...node })
    const object = { metadata: {}, spec } as unknown as ValueMap
    expect(schema.known(object)).toEqual({ metadata: {}, spec: kept })
  })
})

describe('lists whose items differ', () => {
  const list = {
    type: 'array',
    items: fields({ k: text({ default: 'd' }) }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }
  const set = { type: 'array', items: text(), 'x-kubernetes-list-type': 'set' }
  const schema = schemaOf(fields({ list, set }))
  const repeated = (spec: object, old?: object) =>
    schema
      .repeated({ spec } as ValueMap, old && ({ spec: old } as ValueMap))
      .map(({ field, message }) => `${field}: ${message}`)

  it('tell the keys of what repeats', () => {
    expect(repeated({ list: [{ k: 'a' }, { k: 'a' }], set: ['x', 'y', 'x'] })).toEqual([
      'spec.list[1]: Duplicate value: {"k":"a"}',
      'spec.set[2]: Duplicate value: "x"',
    ])
  })

  it('tell a repetition once, and what has no keys', () => {
    expect(repeated({ set: ['x', 'x', 'x'] })).toEqual(['spec.set[1]: Duplicate value: "x"'])
    expect(repeated({ list: [{ k: 'a' }, 'x'] })).toEqual([
      'spec.list[1]: Invalid value: "x": must be an object for an array of list-type map',
    ])
  })

  it('count absent keys by their default', () => {
    expect(repeated({ list: [{}, { k: 'd' }] })).toHaveLength(1)
  })

  it('are not looked at where they repeated before', () => {
    expect(repeated({ set: ['x', 'x', 'y', 'y'] }, { set: ['x', 'x'] })).toEqual([])
  })
})

describe('any schema', () => {
  const schema: fc.Arbitrary<object> = fc.letrec<{ node: object }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean'), nullable: fc.boolean() }),
      fc.record({ type: fc.constant('array'), items: tie('node') }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.string({ maxLength: 3 }), tie('node'), { maxKeys: 4 }),
      }),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('node') }),
      fc.constant({ 'x-kubernetes-preserve-unknown-fields': true }),
      fc.constant({ 'x-kubernetes-int-or-string': true }),
    ),
  })).node

  it('keeps what fits it through pruning, defaults, encoding and decoding', () => {
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 4 }), (node, value) => {
        // A double beyond the safe integers is read back as the integer that its digits say.
        fc.pre(!/\d{16}/.test(JSON.stringify(value)))
        const custom = schemaOf(node)
        const first = custom.shown({ metadata: {}, spec: value } as ValueMap)
        if (custom.faults(first, undefined).length > 0) return
        const decoded = custom.decode(
          parseJsonDocument(Buffer.from(canonicalJson(first as never, { custom: true } as never))).source,
        )
        expect(equalValues(custom.withDefaults(decoded.value), first)).toBe(true)
        expect(decoded.problems).toEqual([])
        expect(custom.shown(first)).toBe(first)
      }),
      { numRuns: 300 },
    )
  })

  it('compiles whatever a definition holds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'type',
            'properties',
            'items',
            'enum',
            'allOf',
            'pattern',
            'default',
            'required',
            'maximum',
            'not',
            'x-kubernetes-validations',
          ),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        fc.jsonValue({ maxDepth: 3 }),
        (node, value) => {
          const custom = schemaOf(node)
          const object = { metadata: {}, spec: value } as ValueMap
          custom.decode(object)
          custom.faults(custom.shown(object), undefined)
          custom.repeated(object, undefined)
        },
      ),
      { numRuns: 300 },
    )
  })
})
