// What the reference makes of expressions where the published vectors say nothing, or speak of later versions of the libraries
// than the API has. Every value here is what it answered.
import { describe, expect, it } from 'vitest'
import { compile, type JsonMap, toJson, type Type, typeOfSchema } from '../../../src/cel/cel.ts'

const SELF = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    number: { type: 'integer' },
    list: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    moment: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    otherSet: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
    records: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'object', properties: { k: { type: 'string' } } },
    },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string' } } },
    },
    one: { type: 'object', properties: { x: { type: 'integer' } } },
    other: { type: 'object', properties: { x: { type: 'integer' } } },
  },
} satisfies JsonMap

const variables = new Map<string, Type>([['self', typeOfSchema(SELF, false) as Type]])

function outcome(expression: string, self: JsonMap = {}): string {
  const compiled = compile(expression, { variables })
  if (compiled.kind === 'refused') return compiled.text.split('\n')[0] ?? ''
  const fault = compiled.program.instantiationFault()
  if (fault !== undefined) return `cannot be run: ${fault}`
  const result = compiled.program.evaluate({ self }, 1_000_000)
  if (result.kind === 'value')
    return typeof result.value === 'string' ? result.value : JSON.stringify(toJson(result.value))
  return result.kind === 'error' ? `error: ${result.message}` : result.kind
}

describe('numbers, moments and spans as texts', () => {
  it.each([
    ['string(1e6)', '1e+06'],
    ['string(123456789.0)', '1.23456789e+08'],
    ['string(100000.0)', '100000'],
    ['string(0.00001)', '1e-05'],
    ['string(double("inf"))', '+Inf'],
    ['string(timestamp("2020-01-02T03:04:05+01:00"))', '2020-01-02T03:04:05+01:00'],
    ['string(timestamp("2020-01-02T03:04:05-00:30") - duration("1h"))', '2020-01-02T02:04:05-00:30'],
    ['string(duration("1h") + timestamp("2020-01-02T03:04:05.5+01:00"))', '2020-01-02T04:04:05.5+01:00'],
    ['string(timestamp("2020-01-02T03:04:05+01:00").getHours())', '2'],
    ['string(duration("1.5s").getMilliseconds())', '1500'],
    ['string(duration("-1.5s").getMilliseconds())', '-1500'],
  ])('%s is %s', (expression, text) => {
    expect(outcome(expression)).toBe(text)
  })
})

describe('a template that is filled in', () => {
  it.each([
    ['"%s %d %x %X %o %b".format(["a", 1, 255, 255, 8, 5])', 'a 1 ff FF 10 101'],
    ['"%f".format([1234567.891])', '1,234,567.891000'],
    ['"%f".format([-1234.5])', '-1,234.500000'],
    ['"%f".format([1e30])', '1,000,000,000,000,000,019,884,624,838,656.000000'],
    ['"%.2f".format([1.555])', '1.55'],
    ['"%.0f".format([1234567.5])', '1,234,568'],
    ['"%f".format([double("-inf")])', '-∞'],
    ['"%f".format(["Infinity"])', '∞'],
    ['"%f".format(["NaN"])', 'NaN'],
    ['"%e".format([1234567.891])', '1.234568×10⁰⁶'],
    ['"%.10e".format([-0.00001234])', '-1.234000×10⁻⁰⁵'],
    ['"%e".format([1e100])', '1.000000×10¹⁰⁰'],
    ['"%e".format([double("inf")])', '     ∞'],
    ['"%s".format([1e6])', '1e+06'],
    ['"%s".format([[1, 2.5, "x", true, null]])', '[1, 2.500000, "x", true, null]'],
    ['"%s".format([{"b": 1, "a": [1u]}])', '{"a":[1], "b":1}'],
    [
      '"%s".format([[b"ab\\"c", timestamp("2020-01-01T00:00:00Z"), duration("90s"), int]])',
      '[b"ab\\"c", timestamp("2020-01-01T00:00:00Z"), duration("90s"), int]',
    ],
    ['"%s".format([[double("nan"), double("inf")]])', '["NaN", "+Inf"]'],
    ['"%s".format([timestamp("2020-01-02T03:04:05+01:00")])', '2020-01-02T03:04:05+01:00'],
    ['"%s%%%s".format([1, 2])', '1%2'],
  ])('%s is %s', (expression, text) => {
    expect(outcome(expression)).toBe(text)
  })

  it.each([
    [
      '"%5.1f".format([1.0])',
      'ERROR: <input>:1:15: could not parse formatting clause: unrecognized formatting clause "5"',
    ],
    [
      '"%d".format(["x"])',
      'ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ['"%s %s".format(["a"])', 'ERROR: <input>:1:15: index 1 out of range'],
    [
      '"%s".format([[1, [self.one]]])',
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given selfType0.one',
    ],
    ['"%d %d".format([1, 2, 3])', 'too many arguments supplied to string.format (expected 2, got 3)'],
    ['"a%".format(["x"])', 'ERROR: <input>:1:12: unexpected end of string'],
    [
      '"%.f".format([1.5])',
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    ],
    ['"%.2".format([1.5])', 'error while parsing precision: could not find end of precision specifier'],
    [
      '"%f".format([dyn(1)])',
      'error: error during formatting: fixed-point clause can only be used on doubles, was given int',
    ],
    [
      '"%d".format(dyn([1.5]))',
      'error: error during formatting: decimal clause can only be used on integers, was given double',
    ],
    ['"%d%d".format(dyn([1]))', 'error: index 1 out of range'],
  ])('%s is refused', (expression, told) => {
    expect(outcome(expression)).toContain(told)
  })
})

describe('quantities', () => {
  it.each([
    ['quantity("1.5Gi").isInteger()', 'false'],
    ['quantity("1.0").isInteger()', 'false'],
    ['quantity("1000m").isInteger()', 'false'],
    ['quantity("1500m").add(quantity("500m")).isInteger()', 'false'],
    ['quantity("1").add(quantity("0m")).isInteger()', 'true'],
    ['quantity("0").add(quantity("10m")).isInteger()', 'false'],
    ['string(quantity("2.0k").asInteger())', '2000'],
    ['quantity("1Ei").isInteger()', 'false'],
    ['string(sign(quantity("-1")))', '-1'],
  ])('%s is %s', (expression, value) => {
    expect(outcome(expression)).toBe(value)
  })
})

describe('a comparison with null', () => {
  it.each([
    'format.dns1123Label().validate(self.text) == null',
    'format.dns1123Label() == null',
    'null != self.?text',
    'optional.of(1) == null',
    'optional.of(self.list).orValue([]) == []',
    'quantity("1") == null',
    'self.one == null',
    'self.moment != null',
    'null == self.span',
    '(self.number > 1 ? null : self.moment) == self.moment',
    'null in [optional.of(1)]',
  ])('%s is allowed', (expression) => {
    const compiled = compile(expression, { variables })
    expect(compiled.kind === 'refused' ? compiled.text : compiled.kind).toBe('program')
  })

  it.each([
    ['self.text == null', '(string, null)'],
    ['self.number == null', '(int, null)'],
    ['self.list == null', '(list(string), null)'],
    ['self.map == null', '(map(string, string), null)'],
    ['self.one == self.other', '(selfType0.one, selfType0.other)'],
  ])('%s is not', (expression, types) => {
    expect(outcome(expression)).toContain(`applied to '${types}'`)
  })

  it('is false for what is there', () => {
    expect(outcome('optional.of(1) == null')).toBe('false')
    expect(outcome('format.dns1123Label().validate("A") == null')).toBe('false')
  })
})

describe('a constant that no function takes', () => {
  it.each([
    ['int("x") == 1', "type conversion error from 'string' to 'int'"],
    ['uint(-1) == 1u', 'unsigned integer overflow'],
    ['int(1e30) == 1', 'integer overflow'],
    ['bool("x")', "type conversion error from 'string' to 'bool'"],
    ['double("1e400") == 1.0', "type conversion error from 'string' to 'double'"],
    ['string(b"\\xff") == ""', 'invalid UTF-8 in bytes, cannot convert to string'],
    ['self.text.find(")") == ""', 'error parsing regexp: unexpected ): `)`'],
  ])('%s cannot be run', (expression, why) => {
    expect(outcome(expression)).toBe(`cannot be run: ${why}`)
  })
})

describe('a text that is no time', () => {
  it.each([
    [
      'duration(self.text) == duration("1s")',
      "error: type conversion error from 'string' to 'google.protobuf.Duration'",
    ],
    [
      'timestamp(self.text) == timestamp(0)',
      "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
    ],
  ])('%s', (expression, told) => {
    expect(outcome(expression, { text: '12' })).toBe(told)
  })
})

describe('names', () => {
  it.each([
    ['format.dns1123LabelPrefix().validate("A-").hasValue()', 'false'],
    ['format.dns1123LabelPrefix().validate("AA-").hasValue()', 'true'],
    ['format.qualifiedName().validate("a/b/c").value()[0].startsWith("a valid label key must consist of")', 'true'],
    ['jsonpatch.escapeKey("a")', "ERROR: <input>:1:1: undeclared reference to 'jsonpatch' (in container '')"],
  ])('%s is %s', (expression, value) => {
    expect(outcome(expression)).toBe(value)
  })
})

describe('the sum of lists that are sets or maps', () => {
  const self = {
    list: ['a', 'z'],
    set: ['a', 'b'],
    otherSet: ['b', 'c'],
    numbers: [1, 2],
    records: [{ k: '1' }],
    keyed: [
      { k: '1', v: 'm1' },
      { k: '2', v: 'm2' },
    ],
  }
  it.each([
    ['self.set + self.otherSet', '["a","b","c"]'],
    ['self.otherSet + self.set', '["b","c","a"]'],
    ['self.set + self.set', '["a","b"]'],
    ['self.set + ["x", "a", "x"]', '["a","b","x"]'],
    ['["x", "a"] + self.set', '["x","a","a","b"]'],
    ['self.set + self.list', '["a","b","z"]'],
    ['self.list + self.set', '["a","z","a","b"]'],
    ['self.list + (self.set + self.otherSet)', '["a","z","a","b","c"]'],
    ['(self.set + self.otherSet) + self.list', '["a","b","c","z"]'],
    ['self.set.filter(x, true) + self.otherSet', '["a","b","b","c"]'],
    ['self.set + self.otherSet == self.otherSet + self.set', 'true'],
    ['self.set + self.otherSet == ["c", "b", "a"]', 'true'],
    ['["c", "b", "a"] == self.set + self.otherSet', 'false'],
    ['self.numbers + [2, 3] == [3, 2, 1]', 'true'],
    ['self.records + self.records', 'error: listSet operations are only supported on lists of scalar values'],
    ['self.keyed + self.keyed == self.keyed', 'true'],
    ['self.keyed + self.keyed.filter(x, x.k == "2")', '[{"k":"1","v":"m1"},{"k":"2","v":"m2"}]'],
    ['size(self.keyed.filter(x, true) + self.keyed)', '4'],
  ])('%s is %s', (expression, text) => {
    expect(outcome(expression, self)).toBe(text)
  })
})

describe('a text of the format `duration`', () => {
  it.each([
    ['1h30m', '5400s'],
    ['1d', '86400s'],
    ['2 days', '172800s'],
    ['1w', '604800s'],
    ['1d2h', '93600s'],
    ['3 s', '3s'],
    ['1 minute', '60s'],
    ['-1h', '-3600s'],
  ])('%s is %s', (span, text) => {
    expect(outcome('string(self.span)', { span })).toBe(text)
  })
})

describe('a set', () => {
  it.each([
    ["self.set == ['b', 'a']", 'true'],
    ["self.set == ['a', 'a']", 'false'],
    ["['a', 'a'] == self.set", 'false'],
  ])('%s is %s', (expression, text) => {
    expect(outcome(expression, { set: ['a', 'b'] })).toBe(text)
  })
})
