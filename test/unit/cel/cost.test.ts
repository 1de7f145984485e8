import { describe, expect, it } from 'vitest'
import { compile, type Json, type JsonMap, type Program, typeOfSchema } from '../../../src/cel/cel.ts'
import { processorMilliseconds } from '../../rigs/processor-time.ts'

const LIMIT = 1_000_000

function programFor(schema: JsonMap, rule: string): Program {
  const self = typeOfSchema(schema, false)
  if (self === undefined) throw new Error('the schema shows nothing')
  const compiled = compile(rule, {
    variables: new Map([
      ['self', self],
      ['oldSelf', self],
    ]),
  })
  if (compiled.kind === 'refused') throw new Error(compiled.text)
  return compiled.program
}

const string = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const list = (items: JsonMap, more: JsonMap = {}): JsonMap => ({ type: 'array', items, ...more })
const map = (additionalProperties: JsonMap): JsonMap => ({ type: 'object', additionalProperties })
const object = (properties: JsonMap, required: Json = []): JsonMap => ({ type: 'object', properties, required })

const rook = { schema: object({ a: string, b: string }), value: { a: 'Rook takes 👑', b: 'Rook takes 👑' } }
const numbers = { schema: object({ array: list(integer) }), value: { array: [1, 1, 2, 2, 3, 3, 4, 5] } }
const twoLists = { schema: object({ a: list(integer), b: list(integer) }), value: { a: [1, 2, 3], b: [1, 2, 3] } }
const members = { schema: object({ val: map(integer) }), value: { val: { b: 1, d: 2 } } }
const keyed = {
  schema: object({
    l: list(object({ k: string, v: string, v2: string }), {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    }),
  }),
  value: {
    l: [
      { k: 'a1', v: 'b1' },
      { k: 'a2', v: 'b2' },
      { k: 'a3', v: 'b3', v2: 'z' },
    ],
  },
}
const times = {
  schema: object({ a: { type: 'string', format: 'duration' }, t: { type: 'string', format: 'date-time' } }),
  value: { a: '1h2m3s4ms', t: '2011-08-18T19:03:37.010000000+01:00' },
}
const either = { schema: object({ x: { 'x-kubernetes-int-or-string': true } }), value: { x: '25%' } }

interface Sample {
  readonly schema: JsonMap
  readonly value: JsonMap
}

/** What the reference charges for the same expressions on the same objects. */
const charged: readonly (readonly [Sample, string, number])[] = [
  [rook, "self.a.startsWith('Rook')", 3],
  [rook, "!self.a.startsWith('knight')", 4],
  [rook, "matches(self.a, '^[^0-9]*$')", 8],
  [rook, "self.a.matches('^[^0-9]*$')", 8],
  [rook, "!self.a.matches('^[0-9]*$')", 7],
  [rook, 'type(self.a) == string', 4],
  [rook, 'size(self.a) == 12', 4],
  [rook, "self.a.charAt(3) == 'k'", 4],
  [rook, "self.a.indexOf('o') == 1", 4],
  [rook, "self.a.replace(' ', 'x') == 'Rookxtakesx👑'", 7],
  [rook, "self.a.split(' ') == ['Rook', 'takes', '👑']", 6],
  [rook, "self.a.substring(4, 10).trim() == 'takes'", 6],
  [rook, "self.a.upperAscii() == 'ROOK TAKES 👑'", 6],
  [twoLists, '1 in self.a', 5],
  [twoLists, 'self.b[0] in self.a', 8],
  [twoLists, '!(0 in self.a)', 6],
  [twoLists, 'self.a + self.b == [1, 2, 3, 1, 2, 3]', 6],
  [twoLists, 'self.a + [4, 5] == [1, 2, 3, 4, 5]', 4],
  [members, "!('a' in self.val)", 4],
  [members, "'b' in self.val", 3],
  [members, '!has(self.val.a)', 3],
  [members, 'has(self.val.b)', 2],
  [members, 'self.val.all(k, self.val[k] > 0)', 17],
  [members, 'self.val.exists_one(k, self.val[k] == 2)', 14],
  [members, '!self.val.exists_one(k, self.val[k] > 0)', 17],
  [members, 'size(self.val.filter(k, self.val[k] > 1)) == 1', 26],
  [members, "self.val == {'b': 1, 'd': 2}", 3],
  [keyed, 'has(self.l[0].v)', 3],
  [keyed, "self.l.all(m, m.k.startsWith('a'))", 21],
  [keyed, "self.l.all(m, !has(m.v2) || m.v2 == 'z')", 21],
  [keyed, "self.l.exists(m, m.k.endsWith('1'))", 13],
  [keyed, "self.l.exists_one(m, m.k == 'a3')", 15],
  [keyed, "!self.l.all(m, m.k.endsWith('1'))", 18],
  [keyed, "!self.l.exists(m, m.v == 'x')", 25],
  [keyed, "size(self.l.filter(m, m.k == 'a1')) == 1", 27],
  [keyed, "self.l.exists(m, m.k == 'a1' && m.v == 'b1')", 16],
  [keyed, "self.l.map(m, m.v).exists(v, v == 'b1')", 55],
  [keyed, "self.l.exists(m, has(m.v2) && m.v2 == 'z')", 21],
  [keyed, "self.l.filter(m, has(m.v2) && m.v2 == 'z').size() == 1", 24],
  [keyed, "self.l.map(m, has(m.v2) && m.v2 == 'z', m.v2).size() == 1", 25],
  [keyed, "self.l.filter(m, has(m.v2) && m.v2 == 'z').map(m, m.v2).size() == 1", 39],
  [keyed, "self.l.exists(m, m.v2 == 'z')", 24],
  [keyed, "!self.l.all(m, m.v2 != 'z')", 22],
  [numbers, '2 in self.array', 10],
  [numbers, 'self.array.all(e, e > 0)', 43],
  [numbers, 'self.array.exists(e, e > 2)', 36],
  [numbers, 'self.array.exists_one(e, e > 4)', 22],
  [numbers, '!self.array.all(e, e < 2)', 21],
  [numbers, '!self.array.exists(e, e < 0)', 52],
  [numbers, 'size(self.array.filter(e, e%2 == 0)) == 3', 68],
  [numbers, 'self.array.map(e, e * 20).filter(e, e > 50).exists(e, e == 60)', 194],
  [times, "self.a == duration('1h2m') + duration('3s4ms')", 4],
  [times, 'self.a.getHours() == 1', 4],
  [times, 'type(self.a) == google.protobuf.Duration', 4],
  [times, "self.t.getDate('01:00') == 18", 4],
  [either, "type(self.x) == int ? self.x == 1 : self.x == '25%'", 7],
  [either, "self.x == 1 || self.x == '25%'", 6],
  [either, "self.x == '25%' || self.x == 1", 3],
  [either, "self.x != ['anything']", 3],
  [either, String.raw`type(self.x) == string && self.x.matches(r'(\d+(\.\d+)?%)')`, 10],
  [{ schema: object({ e: { type: 'string', enum: ['P', 'A'] } }), value: { e: 'P' } }, "self.e in ['P', 'A']", 2],
]

describe('what an evaluation is charged', () => {
  it.each(charged.map(([sample, rule, cost]) => ({ ...sample, rule, cost })))('$rule costs $cost', (row) => {
    const result = programFor(row.schema, row.rule).evaluate({ self: row.value }, LIMIT)
    expect(result).toEqual({ kind: 'value', value: true, cost: row.cost })
  })
})

const bounded = (schema: JsonMap, max: number): JsonMap => ({
  ...schema,
  maxItems: max,
  maxProperties: max,
  maxLength: max,
})
const strings = (max: number): JsonMap => bounded(list(bounded(string, max)), max)

/** What the reference takes the same rules to cost at most. */
const estimated: readonly (readonly [JsonMap, string, number])[] = [
  [list(number), 'self.all(x, true)', 4718591],
  [bounded(list(number), 10), 'self.all(x, true)', 32],
  [list(string), 'self.all(x, true)', 3145727],
  [list({ type: 'boolean' }), 'self.all(x, true)', 1887437],
  [list(list(number)), 'self.all(x, true)', 3145727],
  [map(number), 'self.all(x, true)', 1348169],
  [bounded(map(string), 3), 'self.all(x, true)', 11],
  [map(string), 'self.all(x, true)', 1179647],
  [string, "self.contains('test')", 314574],
  [bounded(string, 10), "self.contains('test')", 5],
  [string, "self.startsWith('test')", 2],
  [string, 'size(self + "hello") > size("hello")', 314578],
  [bounded(string, 4), 'size(self + "hello") > size("hello")', 7],
  [list(number), 'self[1] == 0.0', 2],
  [list(string), 'self[1] == self[1]', 314577],
  [bounded(list(number), 10), 'self.all(x, self.all(y, true))', 352],
  [bounded(list(number), 10), 'self.all(x, self.all(y, self.all(z, true)))', 3552],
  [string, 'self.matches("x")', 314574],
  [bounded(string, 50), 'self.matches("x")', 22],
  [bounded(string, 50), 'matches(self, "x")', 22],
  [string, '"".matches("(((((((((())))))))))[0-9]")', 7],
  [string, 'self.matches("")', 1],
  [string, 'self == "x"', 2],
  [bounded(string, 0), 'self == "x"', 1],
  [{ type: 'string', format: 'byte' }, 'self == b"x"', 2],
  [list(number), 'self.all(x, x == 0.0)', 6291454],
  [bounded(list(number), 3 * 1024 * 2048), 'self.all(x, x == 0.0)', 25165826],
  [list({ 'x-kubernetes-int-or-string': true }), 'self.all(x, true)', 4718591],
  [list({ 'x-kubernetes-int-or-string': true }), 'self[0] == 5', 3],
  [list(list(number)), 'self[0][0] == -1.0', 3],
  [list(map(number)), 'self.all(x, x.y == 25.2)', 6291452],
  [list(map(number)), 'self[0].x > 2.0', 4],
  [list({ type: 'string', format: 'duration' }), 'self.all(x, true)', 2359295],
  [list({ type: 'string', format: 'duration' }), 'self[0].getHours() == 2', 4],
  [list({ type: 'string', format: 'date' }), 'self.all(x, true)', 725936],
  [list({ type: 'string', format: 'date-time' }), 'self.all(x, true)', 428963],
  [map({ type: 'string', format: 'duration' }), 'self.all(x, true)', 1048577],
  [map({ type: 'string', format: 'date-time' }), 'self.all(x, true)', 349526],
  [map({ type: 'string', format: 'date-time' }), 'self["a"] == self["b"]', 8],
  [map(map(number)), 'self.all(x, true)', 1179647],
  [map(list(number)), 'self.all(x, true)', 1179647],
  [string, "self.find('[0-9]+') == ''", 629147],
  [bounded(string, 10), "self.find('[0-9]+') == ''", 11],
  [list(string), "self.join(' ') == 'aa bb'", 329853068905],
  [strings(10), "self.join(' ') == 'aa bb'", 43],
  [list(string), 'self.isSorted() == true', 329854432052],
  [strings(10), 'self.isSorted() == true', 52],
  [
    object({ str: string, before: bounded(string, 2), after: bounded(string, 4) }),
    "self.str.replace(self.before, self.after) == 'does not matter'",
    629154,
  ],
  [object({ str: string, separator: string }), 'self.str.split(self.separator) == []', 629160],
  [object({ str: bounded(string, 10), separator: bounded(string, 10) }), 'self.str.split(self.separator) == []', 22],
  [
    { 'x-kubernetes-int-or-string': true },
    "type(self) == int ? self < 100 : quantity(self).isLessThan(quantity('1Gi'))",
    629152,
  ],
  [string, "self.lowerAscii() == 'lower!'", 314575],
  [bounded(string, 10), "self.lowerAscii() == 'lower!'", 6],
  [map(integer), 'oldSelf.size() == self.size()', 5],
  [{ type: 'string', enum: ['A', 'B', 'C', 'LongValue'] }, "self.contains('A')", 2],
]

describe('what a rule is taken to cost at most', () => {
  it.each(estimated.map(([schema, rule, max]) => ({ schema, rule, max })))('$rule: $max', ({ schema, rule, max }) => {
    expect(programFor(schema, rule).estimate().max).toBe(max)
  })
})

describe('a rule about the name of a resource', () => {
  const estimateOf = (schema: JsonMap, rule: string): number => {
    const self = typeOfSchema(schema, true)!
    const compiled = compile(rule, { variables: new Map([['self', self]]) })
    return compiled.kind === 'program' ? compiled.program.estimate().max : -1
  }
  const named = (name: JsonMap): JsonMap => object({ metadata: object({ name }) })

  it.each([
    [object({}), "self.metadata.name.contains('x')", 105],
    [object({}), "self.metadata.generateName.contains('x')", 104],
    [named(bounded(string, 10)), "self.metadata.name.contains('x')", 7],
    [named(bounded(string, 1000)), "self.metadata.name.contains('x')", 105],
  ])('%j, %s: at most %d', (schema, rule, max) => {
    expect(estimateOf(schema, rule)).toBe(max)
  })
})

describe('the limit', () => {
  const three = object({ l: list(integer) })
  const value = { l: Array.from({ length: 300 }, (_, i) => i) }

  it('ends a cubic loop in good time', () => {
    const program = programFor(three, 'self.l.all(x, self.l.all(y, self.l.all(z, x + y + z >= 0)))')
    const evaluate = (): void => expect(program.evaluate({ self: value }, LIMIT)).toMatchObject({ kind: 'overBudget' })
    expect(processorMilliseconds(evaluate)).toBeLessThan(10_000)
  })

  it('is looked at before a list is made', () => {
    const program = programFor(three, 'lists.range(9223372036854775807).size() > 0')
    expect(program.evaluate({ self: value }, LIMIT)).toMatchObject({ kind: 'overBudget' })
  })

  it('is what may be spent, not one more', () => {
    const program = programFor(three, 'self.l.size() == 300')
    expect(program.evaluate({ self: value }, 4)).toMatchObject({ kind: 'value' })
    expect(program.evaluate({ self: value }, 3)).toMatchObject({ kind: 'overBudget' })
  })
})
