import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compile,
  DYN,
  type Environment,
  INT,
  listOf,
  mapOf,
  NONE,
  type ObjectType,
  optionalOf,
  STRING,
  toJson,
  type Type,
  typeOfSchema,
} from '../../../src/cel/cel.ts'
import { repeated, tooSlow } from '../../rigs/processor-time.ts'

const spec: ObjectType = {
  kind: 'object',
  name: 'Spec',
  fields: new Map([
    ['replicas', { type: INT, member: 'replicas' }],
    ['names', { type: listOf(STRING), member: 'names' }],
    ['__namespace__', { type: STRING, member: 'namespace' }],
  ]),
}

const environment: Environment = {
  variables: new Map<string, Type>([
    ['self', spec],
    ['object', DYN],
    ['labels', mapOf(STRING, STRING)],
    ['authorizer.requestResource', INT],
  ]),
  structs: (name) => (name === 'Object.spec' ? spec : undefined),
}

function refusal(expression: string): string {
  const compiled = compile(expression, environment)
  return compiled.kind === 'refused' ? compiled.text : `accepted as ${compiled.program.resultType.kind}`
}

const REFUSED: readonly (readonly [string, string])[] = [
  [
    '',
    "ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['size([1]', "ERROR: <input>:1:9: Syntax error: missing ')' at '<EOF>'\n | size([1]\n | ........^"],
  ['self[1', "ERROR: <input>:1:7: Syntax error: missing ']' at '<EOF>'\n | self[1\n | ......^"],
  ['((1', "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting ')'\n | ((1\n | ...^"],
  ['x == 1', "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x == 1\n | ^"],
  ['self.x', "ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^"],
  [
    "self.replicas == 'a'",
    "ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'\n | self.replicas == 'a'\n | ..............^",
  ],
  [
    'self.names.startsWith("a")',
    "ERROR: <input>:1:22: found no matching overload for 'startsWith' applied to 'list(string).(string)'\n | self.names.startsWith(\"a\")\n | .....................^",
  ],
  [
    'self.replicas.x',
    "ERROR: <input>:1:14: type 'int' does not support field selection\n | self.replicas.x\n | .............^",
  ],
  ["[1, 'a']", "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^"],
  [
    'duration(1)',
    "ERROR: <input>:1:9: found no matching overload for 'duration' applied to '(int)'\n | duration(1)\n | ........^",
  ],
  [
    "'a'.includes('a')",
    "ERROR: <input>:1:13: undeclared reference to 'includes' (in container '')\n | 'a'.includes('a')\n | ............^",
  ],
  ["duration('x')", "ERROR: <input>:1:10: invalid duration argument\n | duration('x')\n | .........^"],
  ["'a'.matches('(')", "ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('(')\n | ............^"],
  ['object.', "ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^"],
  [
    'self.replicas > 1 1',
    "ERROR: <input>:1:19: Syntax error: extraneous input '1' expecting <EOF>\n | self.replicas > 1 1\n | ..................^",
  ],
  [
    'self.replicas ==',
    "ERROR: <input>:1:17: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.replicas ==\n | ................^",
  ],
  [
    'self.replicas = 1',
    "ERROR: <input>:1:15: Syntax error: token recognition error at: '= '\n | self.replicas = 1\n | ..............^\nERROR: <input>:1:17: Syntax error: extraneous input '1' expecting <EOF>\n | self.replicas = 1\n | ................^",
  ],
  ['has(self)', 'ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^'],
  [
    'self.names.all(a.b, true)',
    'ERROR: <input>:1:17: argument must be a simple name\n | self.names.all(a.b, true)\n | ................^',
  ],
  [
    'Object.none{}',
    "ERROR: <input>:1:12: undeclared reference to 'Object.none' (in container '')\n | Object.none{}\n | ...........^",
  ],
  [
    "Object.spec{replicas: 'x'}",
    "ERROR: <input>:1:21: expected type of field 'replicas' is 'int' but provided type is 'string'\n | Object.spec{replicas: 'x'}\n | ....................^",
  ],
  [
    "a +\n  'ö' + b",
    "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a +\n | ^\nERROR: <input>:2:9: undeclared reference to 'b' (in container '')\n |   'ö' + b\n | ...．....^",
  ],
]

describe('an expression that makes no sense', () => {
  it.each(REFUSED)('%s', (expression, text) => {
    expect(refusal(expression)).toBe(text)
  })

  it('is refused where it is too long, too deep or too long a chain', () => {
    expect(refusal(`${'1+'.repeat(60_000)}1`)).toContain(
      'expression code point size exceeds limit: size: 120001, limit 100000',
    )
    expect(refusal(`${'('.repeat(300)}1${')'.repeat(300)}`)).toContain('expression recursion limit exceeded: 250')
    expect(refusal(`${'1+'.repeat(300)}1`)).toContain('max recursion depth exceeded')
    expect(refusal(`${'true || '.repeat(3000)}true`)).toBe('accepted as bool')
  })
})

describe('an expression that makes sense', () => {
  it('reads members of JSON by their escaped names', () => {
    const compiled = compile("self.__namespace__ == 'x' && !has(self.replicas)", environment)
    expect(compiled.kind).toBe('program')
    if (compiled.kind !== 'program') return
    expect(compiled.program.evaluate({ self: { namespace: 'x' } }, 100)).toMatchObject({ value: true })
  })

  it('knows names with dots, and which variables it speaks of', () => {
    const compiled = compile('authorizer.requestResource + 1', environment)
    if (compiled.kind !== 'program') throw new Error(compiled.text)
    expect(compiled.program.mentions('authorizer.requestResource')).toBe(true)
    expect(compiled.program.mentions('self')).toBe(false)
    expect(compiled.program.evaluate({ 'authorizer.requestResource': 1 }, 100)).toMatchObject({ value: 2n })
  })

  it('takes JSON for an optional that is there', () => {
    const variables = new Map<string, Type>([['old', optionalOf(spec)]])
    const compiled = compile('old.hasValue() ? old.value().replicas : 0', { variables })
    if (compiled.kind !== 'program') throw new Error(compiled.text)
    expect(compiled.program.evaluate({ old: { replicas: 3 } }, 100)).toMatchObject({ value: 3n })
    expect(compiled.program.evaluate({ old: NONE }, 100)).toMatchObject({ value: 0n })
  })

  it('makes objects, and JSON of them', () => {
    const compiled = compile("Object.spec{replicas: 3, ?names: optional.none(), __namespace__: 'n'}", environment)
    if (compiled.kind !== 'program') throw new Error(compiled.text)
    const result = compiled.program.evaluate({}, 100)
    expect(result.kind === 'value' ? toJson(result.value) : result).toEqual({ replicas: 3, __namespace__: 'n' })
  })

  it('sees keys like __proto__ as data', () => {
    const object = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Record<string, never>
    const compiled = compile(
      "object['__proto__'].a == 1 && object.constructor == 2 && !has(object.toString)",
      environment,
    )
    if (compiled.kind !== 'program') throw new Error(compiled.text)
    expect(compiled.program.evaluate({ object }, 100)).toMatchObject({ value: true })
    const made = compile("{'__proto__': 1}", environment)
    if (made.kind !== 'program') throw new Error(made.text)
    const result = made.program.evaluate({}, 100)
    expect(JSON.stringify(result.kind === 'value' ? toJson(result.value) : undefined)).toBe('{"__proto__":1}')
    expect(({} as Record<string, unknown>)['__proto__']).not.toBe(1)
  })

  it('compares lists of a schema by their semantics', () => {
    const keyed = {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
    }
    const type = typeOfSchema(
      {
        type: 'object',
        properties: {
          set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          map: { ...keyed, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
        },
      },
      false,
    )
    const compiled = compile('self.set == oldSelf.set && self.map == oldSelf.map', {
      variables: new Map([
        ['self', type ?? DYN],
        ['oldSelf', type ?? DYN],
      ]),
    })
    if (compiled.kind !== 'program') throw new Error(compiled.text)
    const self = {
      set: ['a', 'b'],
      map: [
        { k: 'x', v: 1 },
        { k: 'y', v: 2 },
      ],
    }
    const oldSelf = {
      set: ['b', 'a'],
      map: [
        { k: 'y', v: 2 },
        { k: 'x', v: 1 },
      ],
    }
    expect(compiled.program.evaluate({ self, oldSelf }, 100)).toMatchObject({ value: true })
  })
})

const words = [
  'self',
  'object',
  'labels',
  '.names',
  '.replicas',
  '.all(x, ',
  ')',
  '(',
  '[',
  ']',
  '{',
  '}',
  '1',
  '"a"',
  "'",
  '"""',
  ' in ',
  ' == ',
  '+',
  '-',
  '?',
  ':',
  '||',
  '&&',
  '!',
  ',',
  'has(',
  '.?',
  '[?',
  'x',
  '.map(y, ',
  '\\',
  'é',
  '`',
  '//',
  'r"',
  '0x',
  '1e9',
  '.',
  'null',
  '.format([',
  '.matches(',
  'cel.bind(z, ',
] as const

describe('any text', () => {
  it('is refused or evaluated, and never breaks anything', () => {
    const text = fc.oneof(
      fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
    )
    fc.assert(
      fc.property(text, fc.jsonValue({ maxDepth: 3 }), (expression, object) => {
        const compiled = compile(expression, environment)
        if (compiled.kind === 'refused') return compiled.text.startsWith('ERROR: ')
        compiled.program.estimate()
        const bindings = { object: object as never, self: { names: ['a'] }, labels: { a: 'b' } }
        const result = compiled.program.evaluate(bindings, 1000)
        if (result.kind === 'value') toJson(result.value)
        return result.cost <= 1000 || result.kind === 'overBudget'
      }),
      { numRuns: 1500 },
    )
  })

  it.each(["'\\", '"""', "'", '(', '[', '{', 'a.', '!', '-', 'x?', '`', 'a || ', '[1,'])(
    'takes time in proportion to its length: %s again and again',
    (piece) => {
      expect(tooSlow(repeated(piece, 30_000), (input) => compile(input.toString(), environment))).toBe('')
    },
  )
})

describe('an expression with many faults', () => {
  it('is told of the first hundred, and of how many there are', () => {
    const compiled = compile(Array.from({ length: 105 }, (_, i) => `a${i}`).join(' + '), environment)
    if (compiled.kind !== 'refused') throw new Error('it was compiled')
    expect(compiled.issues).toHaveLength(100)
    expect(compiled.text.split('\n').at(-1)).toBe('5 more errors were truncated')
  })

  it('is not shown where its line is very long', () => {
    const compiled = compile(`x == '${'a'.repeat(20_000)}'`, environment)
    expect(compiled.kind === 'refused' && compiled.text).toBe(
      "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')",
    )
  })
})
