import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../src/api/value.ts'
import { CustomSchema } from '../../../../src/schema/custom/custom.ts'
import { loadBuiltInSchema } from '../../../../src/schema/schema.ts'
import type { ObjectShape } from '../../../../src/schema/table.ts'

const metadata = loadBuiltInSchema().shape('meta_v1.ObjectMeta') as ObjectShape
const RULES = 'x-kubernetes-validations'

function schemaOf(spec: object, rules: readonly object[] = []): CustomSchema {
  const root = { type: 'object', properties: { spec }, ...(rules.length === 0 ? {} : { [RULES]: rules }) }
  return new CustomSchema(() => root as unknown as ValueMap, metadata)
}

interface Told {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

function run(schema: CustomSchema, object: object, old?: object): Told {
  const warnings: string[] = []
  const others = schema.faults(object as ValueMap, old as ValueMap | undefined)
  const found = schema.ruleFaults(object as ValueMap, old as ValueMap | undefined, {
    others,
    warn: (text) => void warnings.push(text),
  })
  return { errors: found.map(({ field, message }) => `${field}: ${message}`), warnings }
}

const number = (...rules: readonly object[]) => ({ type: 'integer', [RULES]: rules })
const fields = (properties: object, ...rules: readonly object[]) => ({ type: 'object', properties, [RULES]: rules })

describe('an object with fields that its schema does not have', () => {
  const PRESERVE = { 'x-kubernetes-preserve-unknown-fields': true }
  const unchanged = { rule: 'self == oldSelf', message: 'immutable' }

  it.each<[string, object, readonly [old: unknown, value: unknown]]>([
    ['no fields at all', { type: 'object', ...PRESERVE, [RULES]: [unchanged] }, [{ a: 1 }, { a: 2 }]],
    [
      'open additional properties',
      { type: 'object', additionalProperties: true, [RULES]: [unchanged] },
      [{ a: 1 }, {}],
    ],
    [
      'some fields',
      { ...fields({ a: number() }, unchanged), ...PRESERVE },
      [
        { a: 1, b: 1 },
        { a: 1, b: { c: 1 } },
      ],
    ],
    ['a field without a type', fields({ a: PRESERVE }, unchanged), [{ a: [1] }, { a: [2] }]],
  ])('is compared with them: %s', (_, spec, [old, value]) => {
    const schema = schemaOf(spec)
    expect(run(schema, { spec: value }, { spec: old }).errors).toEqual(['spec: Invalid value: immutable'])
    expect(run(schema, { spec: { ...(old as object) } }, { spec: old }).errors).toEqual([])
  })
})

describe('rules', () => {
  it.each<[string, object, unknown, readonly string[]]>([
    ['that hold say nothing', number({ rule: 'self > 0' }), 1, []],
    ['show a scalar', number({ rule: 'self > 0' }), 0, ['spec: Invalid value: 0: failed rule: self > 0']],
    [
      'do not show an object',
      fields({ a: { type: 'integer' } }, { rule: 'self.a > 0', message: ' no ' }),
      { a: 0 },
      ['spec: Invalid value: no'],
    ],
    ['have reasons', number({ rule: 'false', reason: 'FieldValueForbidden', message: 'm' }), 0, ['spec: Forbidden: m']],
    [
      'can require',
      number({ rule: 'false', reason: 'FieldValueRequired', message: 'm' }),
      0,
      ['spec: Required value: m'],
    ],
    [
      'can point below',
      fields({ a: { type: 'integer' } }, { rule: 'false', fieldPath: '.a', message: 'm' }),
      {},
      ['spec.a: Invalid value: m'],
    ],
    [
      'can point to a member that no name could be',
      {
        type: 'object',
        properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
        [RULES]: [{ rule: 'false', fieldPath: ".labels['a.b']", message: 'm' }],
      },
      {},
      ['spec.labels[a.b]: Invalid value: m'],
    ],
    [
      'show a repeated value without their message',
      number({ rule: 'false', reason: 'FieldValueDuplicate', message: 'm' }),
      7,
      ['spec: Duplicate value: 7'],
    ],
    [
      'end where their message costs too much',
      {
        type: 'array',
        items: { type: 'integer' },
        [RULES]: [{ rule: 'false', messageExpression: 'string(self.all(a, self.all(b, self.all(c, true))))' }],
      },
      Array.from({ length: 100 }, (_, i) => i),
      [
        'spec: Invalid value: "array": no further validation rules will be run due to call cost exceeds limit for messageExpression: "string(self.all(a, self.all(b, self.all(c, true))))"',
      ],
    ],
    [
      'compute their message',
      number({ rule: 'false', messageExpression: '"got " + string(self)' }),
      7,
      ['spec: Invalid value: 7: got 7'],
    ],
    [
      'fall back where the message is empty',
      number({ rule: 'false', message: 'm', messageExpression: '""' }),
      7,
      ['spec: Invalid value: 7: m'],
    ],
    [
      'fall back where the message has lines',
      number({ rule: 'false', messageExpression: '"a\\nb"' }),
      7,
      ['spec: Invalid value: 7: failed rule: false'],
    ],
    [
      'tell what went wrong',
      fields({ a: { type: 'integer' } }, { rule: 'self.a > 0' }),
      {},
      ['spec: Invalid value: "object": no such key: a evaluating rule: self.a > 0'],
    ],
    [
      'find a field with the name of an operator or a constant',
      fields({ in: { type: 'integer' }, true: { type: 'integer' } }, { rule: 'self.`in` == 1 && self.__true__ == 2' }),
      { in: 1, true: 2 },
      [],
    ],
    [
      'take a null for an absent field',
      fields(
        { a: { type: 'integer', nullable: true } },
        { rule: '!has(self.a)' },
        { rule: '!self.?a.hasValue()' },
        { rule: 'self == self' },
        { rule: 'self.a == 1' },
      ),
      { a: null },
      ['spec: Invalid value: "object": no such key: a evaluating rule: self.a == 1'],
    ],
    [
      'take a null in a map and in a list for a value',
      fields(
        {
          map: { type: 'object', additionalProperties: { type: 'integer', nullable: true } },
          list: { type: 'array', items: { type: 'integer', nullable: true } },
        },
        { rule: "'k' in self.map && type(self.map.k) == null_type && type(self.list[0]) == null_type" },
      ),
      { map: { k: null }, list: [null] },
      [],
    ],
    [
      'look into items',
      { type: 'array', items: number({ rule: 'self > 0' }) },
      [1, 0],
      ['spec[1]: Invalid value: 0: failed rule: self > 0'],
    ],
    [
      'look into maps',
      { type: 'object', additionalProperties: number({ rule: 'self > 0' }) },
      { k: 0 },
      ['spec[k]: Invalid value: 0: failed rule: self > 0'],
    ],
  ])('%s', (_name, spec, value, expected) => {
    expect(run(schemaOf(spec), { spec: value }).errors).toEqual(expected)
  })

  it('on the whole object see its name and nothing else of its metadata', () => {
    const schema = schemaOf({ type: 'integer' }, [{ rule: "self.metadata.name == 'a'", message: 'm' }])
    expect(run(schema, { metadata: { name: 'a' }, spec: 1 }).errors).toEqual([])
    expect(run(schema, { metadata: { name: 'b' }, spec: 1 }).errors).toEqual(['<nil>: Invalid value: m'])
  })

  it('are not tried where the object is of another shape (P-340)', () => {
    const schema = schemaOf(fields({ a: { type: 'integer' } }, { rule: 'self.a > 0' }))
    expect(run(schema, { spec: { a: 'x' } }).errors).toEqual([
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })

  describe('about changes', () => {
    const schema = schemaOf(number({ rule: 'self >= oldSelf' }))

    it('wait for something to compare with', () => {
      expect(run(schema, { spec: 1 }).errors).toEqual([])
      expect(run(schema, { spec: 1 }, { spec: 2 }).errors).toHaveLength(1)
      expect(run(schema, { spec: 3 }, { spec: 2 }).errors).toEqual([])
      expect(run(schema, { spec: 1 }, {}).errors).toEqual([])
    })

    it('are tried without it where they say so', () => {
      const rule = { rule: 'oldSelf.hasValue() ? self == oldSelf.value() : self == 1', optionalOldSelf: true }
      const optional = schemaOf(number(rule))
      expect(run(optional, { spec: 1 }).errors).toEqual([])
      expect(run(optional, { spec: 2 }).errors).toHaveLength(1)
      expect(run(optional, { spec: 2 }, { spec: 2 }).errors).toEqual([])
    })

    it('compare members of maps that are replaced as a whole', () => {
      const atomic = {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: { n: number({ rule: 'self >= oldSelf' }) },
      }
      expect(run(schemaOf(atomic), { spec: { n: 1 } }, { spec: { n: 2 } }).errors).toHaveLength(1)
    })

    it('find items by their keys', () => {
      const items = { type: 'object', properties: { k: { type: 'string' }, n: number({ rule: 'self >= oldSelf' }) } }
      const list = { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
      const keyed = schemaOf({ type: 'object', properties: { list } })
      const old = {
        spec: {
          list: [
            { k: 'a', n: 5 },
            { k: 'b', n: 1 },
          ],
        },
      }
      expect(
        run(
          keyed,
          {
            spec: {
              list: [
                { k: 'b', n: 1 },
                { k: 'a', n: 5 },
              ],
            },
          },
          old,
        ).errors,
      ).toEqual([])
      expect(
        run(
          keyed,
          {
            spec: {
              list: [
                { k: 'b', n: 1 },
                { k: 'a', n: 4 },
              ],
            },
          },
          old,
        ).errors,
      ).toEqual(['spec.list[1].n: Invalid value: 4: failed rule: self >= oldSelf'])
    })
  })

  it('that became stricter only warn of what is as it was (P-342)', () => {
    const schema = schemaOf(fields({ a: number({ rule: 'self > 5' }), b: { type: 'integer' } }))
    const old = { spec: { a: 1, b: 1 } }
    expect(run(schema, { spec: { a: 1, b: 2 } }, old)).toEqual({
      errors: [],
      warnings: ['spec.a: Invalid value: 1: failed rule: self > 5'],
    })
    expect(run(schema, { spec: { a: 2, b: 1 } }, old).errors).toHaveLength(1)
  })

  it('warn as well of items that cannot be told apart, where their list is as it was', () => {
    const list = { type: 'array', items: number({ rule: 'self > 5' }) }
    const schema = schemaOf(fields({ list, b: { type: 'integer' } }))
    const old = { spec: { list: [1, 9], b: 1 } }
    expect(run(schema, { spec: { list: [1, 9], b: 2 } }, old)).toEqual({
      errors: [],
      warnings: ['spec.list[0]: Invalid value: 1: failed rule: self > 5'],
    })
    expect(run(schema, { spec: { list: [1, 8], b: 2 } }, old).errors).toHaveLength(1)
  })

  it('stop where one costs too much', () => {
    const list = { type: 'array', items: { type: 'integer' }, [RULES]: [{ rule: 'self.all(x, self.all(y, x == y))' }] }
    const schema = schemaOf({ type: 'object', properties: { list, n: number({ rule: 'self > 0' }) } })
    const { errors } = run(schema, { spec: { list: Array.from({ length: 2_000 }, () => 1), n: 0 } })
    expect(errors).toEqual([
      expect.stringContaining('no further validation rules will be run due to call cost exceeds limit'),
    ])
  })
})
