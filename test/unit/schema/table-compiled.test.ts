import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileDescriptions, compileProtos } from '../../../src/schema/compile/compile.ts'
import { compiledFiles } from '../../../src/schema/compile/write-compiled.ts'

const HEAD = 'syntax = "proto3"; package test.v1; option (openapi_prefix) = "test";'

function compile(body: string) {
  return compileProtos([{ stem: 'test_v1', text: `${HEAD}\n${body}` }])
}

describe('the compiled table', () => {
  it('is current: make generate leaves it as it is committed', () => {
    const files = [...compiledFiles()]
    expect(files.length).toBe(6)
    expect(files.filter(([file, text]) => readFileSync(file, 'utf8') !== text).map(([file]) => file)).toEqual([])
  })

  it('keeps the order of declaration and the JSON name', () => {
    const [file] = compile(
      'message A { string b = 2 [json_name = "$b"]; repeated A a = 1; map<string, bytes> c = 3; }',
    ).files
    expect(file?.types[0]?.fields).toEqual([
      ['$b', 2, 'string'],
      ['a', 1, '[]test_v1.A'],
      ['c', 3, '{}bytes'],
    ])
  })

  it('takes what comments say as descriptions', () => {
    const text = `${HEAD}\n// What A is.\nmessage A {\n  // What b is.\n  string b = 1 [json_name = "$b"];\n  string c = 2;\n}`
    expect(compileDescriptions([{ stem: 'test_v1', text }])).toEqual({
      'test_v1.A': 'What A is.',
      'test_v1.A.$b': 'What b is.',
    })
  })

  it('gives a required scalar its zero as default, and others what they say', () => {
    const [file] = compile(`message A {
      string a = 1 [(required) = true];
      int32 b = 2 [(required) = true, (omit) = "empty"];
      optional int64 c = 3 [(default_value) = "7"];
      bool d = 4 [(omit) = "never", (default_value) = "true"];
      repeated string e = 5 [(omit) = "absent"];
    }`).files
    expect(file?.types[0]?.fields).toEqual([
      ['a', 1, 'string', 'rn', { default: '' }],
      ['b', 2, 'int32', 'r'],
      ['c', 3, 'int64', 'p', { default: 7 }],
      ['d', 4, 'bool', 'n', { default: true }],
      ['e', 5, '[]string', 'a'],
    ])
  })

  it('takes the rules of a field', () => {
    const [file] = compile(`message A {
      string a = 1 [(rules) = { required: true, format: "portName", max_bytes: 9 }];
      int32 b = 2 [(rules) = { min: 2, out_of_bounds: "must be two", zero_too: true }];
      repeated string c = 3 [(rules) = { missing: "one is needed", values: "X|Y", unique: true, max_items: 2 }];
      optional string d = 4 [(values) = "P|Q", (rules) = { immutable: true }];
    }`).files
    expect(file?.types[0]?.rules).toEqual([
      { name: 'a', type: 'string', required: '', format: 'portName', maxBytes: 9 },
      { name: 'b', type: 'int32', zeroToo: true, min: 2, outOfBounds: 'must be two' },
      { name: 'c', type: '[]string', required: 'one is needed', values: ['X', 'Y'], maxItems: 2, unique: true },
      { name: 'd', type: 'string', pointer: true, values: ['P', 'Q'], immutable: true },
    ])
  })

  it.each([
    ['an option nobody knows', 'message A { string a = 1 [(requird) = true]; }', 'unknown option requird'],
    ['an option of the wrong type', 'message A { string a = 1 [(required) = "yes"]; }', 'required cannot be "yes"'],
    [
      'a word outside of the closed set',
      'message A { repeated string a = 1 [(list_type) = "bag"]; }',
      'list_type cannot be',
    ],
    [
      'an unknown patch strategy',
      'message A { string a = 1 [(patch_strategy) = "mix"]; }',
      'patch_strategy cannot be mix',
    ],
    ['an option said twice', 'message A { string a = 1 [(gate) = "A", (gate) = "B"]; }', 'says gate twice'],
    ['a type that is not declared', 'message A { B b = 1; }', 'type test_v1.B is not declared'],
    ['a package that no file has', 'message A { other.v1.B b = 1; }', 'no file declares its package'],
    ['packed numbers', 'message A { repeated int32 a = 1; }', 'must be declared with packed = false'],
    ['a map with numbers as keys', 'message A { map<int32, string> a = 1; }', 'keys are not strings'],
    [
      'a keyed list without keys',
      'message A { repeated A a = 1 [(list_type) = "map"]; }',
      'list_key goes with list_type map, and only with it',
    ],
    [
      'a key that the items lack',
      'message A { repeated A a = 1 [(list_type) = "map", (list_key) = "b"]; }',
      'has no key b',
    ],
    ['a list type on what is no list', 'message A { A a = 1 [(list_type) = "set"]; }', 'is not a list'],
    ['one JSON name for two fields', 'message A { string a = 1; string b = 2 [json_name = "a"]; }', 'uses a twice'],
    ['a format nobody knows', 'message A { string a = 1 [(rules) = { format: "any" }]; }', 'format cannot be "any"'],
    ['a format on a number', 'message A { int32 a = 1 [(rules) = { format: "portName" }]; }', 'rules for texts'],
    ['bounds on a text', 'message A { string a = 1 [(rules) = { min: 1 }]; }', 'bounds and is not a number'],
    [
      'unusual bounds without a text',
      'message A { int32 a = 1 [(rules) = { min: 7 }]; }',
      'bounds that need out_of_bounds',
    ],
    ['an upper bound alone', 'message A { int32 a = 1 [(rules) = { max: 7 }]; }', 'bounds that need out_of_bounds'],
    ['items of what is no list', 'message A { string a = 1 [(rules) = { unique: true }]; }', 'rules for lists'],
    [
      'zero beside required',
      'message A { string a = 1 [(rules) = { required: true, zero_too: true }]; }',
      'has zero_too and is required',
    ],
    ['a rule nobody knows', 'message A { string a = 1 [(rules) = { lenght: 1 }]; }', 'unknown option lenght'],
    ['a default of an object that is no JSON', 'message A { A a = 1 [(default_value) = "x"]; }', 'not valid JSON'],
    ['something that is not a message', 'enum A { B = 0; }', 'is not a message'],
    ['two resources', `message A { option (resource) = { plural: "a" }; option (resource) = { plural: "b" }; }`, 'two'],
  ])('refuses %s', (_, body, message) => {
    expect(() => compile(body)).toThrow(message)
  })

  it('refuses a file without a package', () => {
    expect(() => compileProtos([{ stem: 'x', text: 'syntax = "proto3"; message A {}' }])).toThrow('has no package')
  })
})
