import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { validateCreate } from '../../../../../src/schema/validation/validation.ts'
import { rulesOf } from '../../../../corpora/kind-of.ts'

const KIND = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' }
const RULES = 'x-kubernetes-validations'
const AT = 'spec.validation.openAPIV3Schema.properties[spec]'

function told(spec: object): readonly string[] {
  const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const definition = {
    metadata: { name: 'foos.example.com' },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
      conversion: { strategy: 'None' },
    },
    status: { storedVersions: ['v1'] },
  }
  const faults = validateCreate(rulesOf(KIND), definition as unknown as ValueMap, {
    gates: new Set(),
    namespaced: false,
  })
  return faults.map(({ field, message }) => `${field.replace(AT, '@')}: ${message}`)
}

const shown = (rule: string, more: object = {}) =>
  JSON.stringify({
    Rule: rule,
    Message: '',
    MessageExpression: '',
    Reason: null,
    FieldPath: '',
    OptionalOldSelf: null,
    ...more,
  })

describe('rules of a definition', () => {
  it('may be cheap and right', () => {
    expect(told({ type: 'integer', [RULES]: [{ rule: 'self > 0', messageExpression: 'string(self)' }] })).toEqual([])
  })

  it('must compile', () => {
    const [text = ''] = told({ type: 'integer', [RULES]: [{ rule: 'self.x' }] })
    expect(text).toContain(
      `@.${RULES}[0].rule: Invalid value: ${shown('self.x')}: compilation failed: ERROR: <input>:1:5:`,
    )
  })

  it('must give true or false', () => {
    expect(told({ type: 'integer', [RULES]: [{ rule: 'self + 1' }] })).toEqual([
      `@.${RULES}[0].rule: Invalid value: ${shown('self + 1')}: cel expression must evaluate to a bool`,
    ])
  })

  it('must give texts as messages', () => {
    expect(told({ type: 'integer', [RULES]: [{ rule: 'true', messageExpression: '1' }] })).toEqual([
      `@.${RULES}[0].messageExpression: Invalid value: ${shown('true', { MessageExpression: '1' })}: messageExpression must evaluate to a string`,
    ])
  })

  it('may speak of fields that are called like words of the language', () => {
    const properties = { namespace: { type: 'string', maxLength: 9 } }
    const rule = "self.namespace == 'x' && self.__namespace__ == 'x'"
    expect(told({ type: 'object', properties, [RULES]: [{ rule }] })).toEqual([])
  })

  it('have no local names', () => {
    const [text = ''] = told({ type: 'integer', [RULES]: [{ rule: 'cel.bind(x, self, x > 1)' }] })
    expect(text).toContain("undeclared reference to 'cel' (in container '')")
  })

  it('need a type to look at', () => {
    const unknown = { 'x-kubernetes-preserve-unknown-fields': true, [RULES]: [{ rule: 'self.x == 1' }] }
    expect(told({ type: 'object', properties: { a: unknown } })).toEqual([
      `@.properties[a].${RULES}: Internal error: internal error: failed to construct type information for ${RULES} rules: unable to convert structural schema to CEL declarations`,
    ])
  })

  it('are told about an old value that they do not use, also where they do not compile', () => {
    const rule = { rule: 'self.x', optionalOldSelf: true }
    expect(told({ type: 'integer', [RULES]: [rule] })[1]).toBe(
      `@.${RULES}[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    )
  })

  it('tell their faults from the inside out, and the cost of one before what is wrong with it otherwise', () => {
    const rule = 'self.all(a, self.all(b, self.all(c, a != b && b != c)))'
    const messageExpression = 'self.map(a, self.map(b, a + b)[0])[0]'
    const inner = {
      type: 'array',
      items: { type: 'string' },
      [RULES]: [
        { rule, messageExpression: '1', optionalOldSelf: true },
        { rule, messageExpression, optionalOldSelf: true },
      ],
    }
    const outer = { type: 'object', properties: { inner }, [RULES]: [{ rule: 'true', optionalOldSelf: true }] }
    const places = told(outer).map((text) => text.slice(0, text.indexOf(':')))
    const at = `@.properties[inner].${RULES}`
    expect(places.slice(0, 7)).toEqual([
      `${at}[0].rule`,
      `${at}[0].messageExpression`,
      `${at}[0].optionalOldSelf`,
      `${at}[1].rule`,
      `${at}[1].messageExpression`,
      `${at}[1].optionalOldSelf`,
      `@.${RULES}[0].optionalOldSelf`,
    ])
  })

  it('cannot compare what cannot be found again', () => {
    const items = { type: 'integer', [RULES]: [{ rule: 'self == oldSelf' }] }
    expect(told({ type: 'array', maxItems: 3, items })).toEqual([
      `@.items.${RULES}[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${AT}`,
    ])
  })

  it('may compare members of maps that are replaced as a whole', () => {
    const member = { type: 'integer', [RULES]: [{ rule: 'self == oldSelf' }] }
    const atomic = { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { n: member } }
    expect(told(atomic)).toEqual([])
  })

  it('are not looked at where the schema below them is wrong', () => {
    const broken = { rule: 'self.nothing' }
    const list = { type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } }
    const good = { type: 'integer', [RULES]: [broken] }
    const errors = told({ type: 'object', properties: { list, good }, [RULES]: [broken] })
    expect(errors).toEqual([
      expect.stringContaining('@.properties[list].x-kubernetes-list-type: Unsupported value: "bag"'),
      expect.stringContaining(`@.properties[good].${RULES}[0].rule: Invalid value: `),
    ])
  })

  it('do not pay for their messages as often as there may be values', () => {
    const item = { type: 'string', maxLength: 1_000, [RULES]: [{ rule: 'true', messageExpression: 'self + self' }] }
    expect(told({ type: 'array', maxItems: 100_000, items: item })).toEqual([])
  })

  it('may not cost too much', () => {
    const list = {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      [RULES]: [{ rule: 'self.all(a, a.all(b, self.all(c, c.all(d, b == d))))' }],
    }
    expect(told(list)[0]).toContain(
      'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule',
    )
    const bounded = {
      ...list,
      maxItems: 3,
      items: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
    }
    expect(told(bounded)).toEqual([])
  })
})

describe('alternatives in a definition', () => {
  it('have no defaults, not even empty ones', () => {
    expect(told({ type: 'object', allOf: [{ default: {} }] })).toEqual([
      '@.allOf[0].default: Forbidden: must be undefined to be structural',
    ])
  })
})

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true, [PRESERVE]: true }

describe('defaults of a definition', () => {
  it.each<[string, object, readonly string[]]>([
    ['that fit', { type: 'integer', minimum: 1, default: 1 }, []],
    [
      'of another type',
      { type: 'integer', default: 'x' },
      ['@.default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      'out of range',
      { type: 'integer', minimum: 2, default: 1 },
      ['@.default: Invalid value: 1:  in body should be greater than or equal to 2'],
    ],
    [
      'wrong inside',
      { type: 'object', properties: { a: { type: 'string' } }, default: { a: 1 } },
      ['@.default.a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ],
    [
      'with more than the schema knows',
      { type: 'object', properties: {}, default: { a: 1 } },
      ['@.default: Invalid value: {"a":1}: must not have unknown fields'],
    ],
    [
      'against a rule',
      { type: 'integer', default: 1, [RULES]: [{ rule: 'self > 1' }] },
      ['@.default: Invalid value: 1: failed rule: self > 1'],
    ],
    [
      'against a rule about changes',
      { type: 'integer', default: 1, [RULES]: [{ rule: 'self > oldSelf' }] },
      ['@.default: Invalid value: 1: failed rule: self > oldSelf'],
    ],
    [
      'with more in a map than a schema allows',
      { type: 'object', additionalProperties: true, default: { a: 1, b: [{ c: 1 }] } },
      ['@.default: Invalid value: {"a":1,"b":[{"c":1}]}: must not have unknown fields'],
    ],
    ['with anything where it is kept', { [PRESERVE]: true, default: [{ a: { b: 1 } }] }, []],
    [
      'with a wrong item',
      { type: 'array', items: { type: 'string' }, default: ['a', 1] },
      ['@.default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"'],
    ],
    [
      'with a wrong member of a map',
      { type: 'object', additionalProperties: { type: 'string' }, default: { a: 1 } },
      ['@.default.a: Invalid value: "integer": .a in body must be of type string: "integer"'],
    ],
    ['that are no int and no string', { 'x-kubernetes-int-or-string': true, default: [true] }, []],
    ['in a map, which are not checked', { type: 'object', additionalProperties: { type: 'string', default: 1 } }, []],
    [
      'of an embedded object that is wrong',
      { ...EMBEDDED, default: { apiVersion: '', kind: 'a_b', metadata: { name: 'X' }, more: 1 } },
      [
        '@.default.apiVersion: Invalid value: "": must not be empty',
        expect.stringContaining('@.default.kind: Invalid value: "a_b": may have mixed case'),
      ],
    ],
    [
      'of an embedded object',
      {
        ...EMBEDDED,
        properties: { metadata: { type: 'object' } },
        default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' } },
      },
      [],
    ],
  ])('%s', (_name, spec, expected) => {
    expect(told(spec)).toEqual(expected)
  })
})
