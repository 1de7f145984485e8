import { describe, expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { pruneUnknown } from '../../../src/schema/prune.ts'
import type { Field, ObjectShape, Shape } from '../../../src/schema/table.ts'

function field(name: string, shape: Shape, more: Partial<Field> = {}): Field {
  return { name, shape, required: false, pointer: false, omit: 'empty', ...more }
}

function object(fields: readonly Field[], preserveUnknown = false, typeMeta = false): ObjectShape {
  return {
    kind: 'object',
    name: '',
    fields,
    byName: new Map(fields.map((each) => [each.name, each])),
    mapType: 'granular',
    preserveUnknown,
    typeMeta,
    wire: undefined,
  }
}

const inner = object([field('a', { kind: 'string' })])
const spec = object([
  field('list', { kind: 'list', item: inner, listType: 'atomic', keys: [] }),
  field('map', { kind: 'map', value: inner, mapType: 'granular' }),
  field('open', object([field('known', inner)], true)),
  field('text', { kind: 'string' }),
  field('bare', { kind: 'map', value: { kind: 'any' }, mapType: 'granular', isOpen: true }),
  field('kept', { kind: 'string', preserveUnknown: true }),
  field('keptList', { kind: 'list', item: inner, listType: 'atomic', keys: [], preserveUnknown: true }),
  field('any', { kind: 'any', within: object([field('known', inner)], true) }),
  field('template', object([field('spec', inner)], false, true)),
  field('templates', { kind: 'map', value: object([], false, true), mapType: 'granular' }),
])
const shape = object([field('spec', spec)], false, true)

const metadata = object([
  field('name', { kind: 'string' }),
  field('labels', { kind: 'map', value: { kind: 'string' }, mapType: 'granular' }),
])
const prune = (value: ValueMap) => pruneUnknown(value, shape, metadata)

describe('pruning', () => {
  it.each<[string, ValueMap, ValueMap, readonly string[]]>([
    [
      'keeps what every object has',
      { kind: 'K', apiVersion: 'v', metadata: { x: 1 } },
      { kind: 'K', apiVersion: 'v', metadata: { x: 1 } },
      [],
    ],
    ['drops at the top', { foo: 1, spec: {} }, { spec: {} }, ['unknown field "foo"']],
    [
      'drops in lists',
      { spec: { list: [{ a: 'x', b: 1 }] } },
      { spec: { list: [{ a: 'x' }] } },
      ['unknown field "spec.list[0].b"'],
    ],
    [
      'drops in maps',
      { spec: { map: { k: { b: 1 } } } },
      { spec: { map: { k: {} } } },
      ['unknown field "spec.map.k.b"'],
    ],
    [
      'prunes what it knows of a value of any type',
      { spec: { any: { known: { a: 'x', b: 1 }, other: { c: 1 } } } },
      { spec: { any: { known: { a: 'x' }, other: { c: 1 } } } },
      ['unknown field "spec.any.known.b"'],
    ],
    ['keeps any other value of any type', { spec: { any: [1, 'x'] } }, { spec: { any: [1, 'x'] } }, []],
    [
      'keeps the unknown where the schema says so, and prunes what it knows there',
      { spec: { open: { x: { y: 1 }, known: { z: 1 } } } },
      { spec: { open: { x: { y: 1 }, known: {} } } },
      ['unknown field "spec.open.known.z"'],
    ],
    [
      'embedded objects have a kind and metadata',
      { spec: { template: { kind: 'P', metadata: { name: 'n', m: 1 }, spec: { a: 'x' }, foo: 1 } } },
      { spec: { template: { kind: 'P', metadata: { name: 'n' }, spec: { a: 'x' } } } },
      ['unknown field "spec.template.foo"', 'unknown field "spec.template.metadata.m"'],
    ],
    [
      'the key of an embedded object stands in brackets in the path of its metadata only',
      { spec: { templates: { k: { metadata: { m: 1 }, foo: 1 } } } },
      { spec: { templates: { k: { metadata: {} } } } },
      ['unknown field "spec.templates.k.foo"', 'unknown field "spec.templates[k].metadata.m"'],
    ],
    [
      'metadata of embedded objects that does not fit stays for validation',
      { spec: { template: { metadata: { labels: [] } } } },
      { spec: { template: { metadata: { labels: [] } } } },
      [],
    ],
    ['leaves wrong types to validation', { spec: { list: 'x', map: [1] } }, { spec: { list: 'x', map: [1] } }, []],
    [
      'knows nothing of what is in a value of the wrong type',
      { spec: { list: { a: 1, b: {} }, map: [{ a: 1 }, [{ b: 1 }], 1], text: { x: { y: 1 } }, open: [{ x: 1 }] } },
      { spec: { list: {}, map: [{}, [{}], 1], text: {}, open: [{ x: 1 }] } },
      [
        'unknown field "spec.list.a"',
        'unknown field "spec.list.b"',
        'unknown field "spec.map[0].a"',
        'unknown field "spec.map[1][0].b"',
        'unknown field "spec.text.x"',
      ],
    ],
    [
      'knows nothing of values that the schema says nothing of',
      { spec: { bare: { a: 1, b: { x: 1 }, c: [{ y: 1 }] } } },
      { spec: { bare: { a: 1, b: {}, c: [{}] } } },
      ['unknown field "spec.bare.b.x"', 'unknown field "spec.bare.c[0].y"'],
    ],
    [
      'keeps what is of the wrong type where the schema says so',
      { spec: { kept: { x: [{ y: 1 }] }, keptList: { x: 1 } } },
      { spec: { kept: { x: [{ y: 1 }] }, keptList: { x: 1 } } },
      [],
    ],
    [
      'tells in order of the paths',
      { z: 1, b: 1, spec: { y: 1 } },
      { spec: {} },
      ['unknown field "b"', 'unknown field "spec.y"', 'unknown field "z"'],
    ],
  ])('%s', (_name, value, pruned, problems) => {
    expect(prune(value)).toEqual({ value: pruned, problems })
  })

  it('does not copy what has nothing to prune', () => {
    const value = { spec: { list: [{ a: 'x' }], map: { k: { a: 'y' } } } }
    expect(prune(value).value).toBe(value)
  })

  it('__proto__ is a member like any other', () => {
    const value = JSON.parse('{"spec":{"__proto__":1,"map":{"__proto__":{"a":"x","b":1}}}}') as ValueMap
    const { value: pruned, problems } = prune(value)
    expect(JSON.stringify(pruned)).toBe('{"spec":{"map":{"__proto__":{"a":"x"}}}}')
    expect(problems).toEqual(['unknown field "spec.__proto__"', 'unknown field "spec.map.__proto__.b"'])
  })
})
