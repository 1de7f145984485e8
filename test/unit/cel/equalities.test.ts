// What an expression requires of fields, for indexes.
import { describe, expect, it } from 'vitest'
import { compile, DYN, INT, listOf, mapOf, STRING, type ObjectType, type Type } from '../../../src/cel/cel.ts'

const spec: ObjectType = {
  kind: 'object',
  name: 'Spec',
  fields: new Map<string, { type: Type; member: string }>([
    ['node', { type: STRING, member: 'node' }],
    ['replicas', { type: INT, member: 'replicas' }],
    ['__namespace__', { type: STRING, member: 'namespace' }],
    ['labels', { type: mapOf(STRING, STRING), member: 'labels' }],
    ['any', { type: DYN, member: 'any' }],
    ['names', { type: listOf(STRING), member: 'names' }],
    ['label', { type: STRING, member: 'label' }],
  ]),
}

function equalitiesIn(expression: string): readonly string[] {
  const compiled = compile(expression, { variables: new Map([['object', spec]]) })
  if (compiled.kind === 'refused') throw new Error(compiled.text)
  return compiled.program.equalities('object').all.map(({ path, values }) => `${path.join('/')} ${values.join('|')}`)
}

describe('the equalities of an expression', () => {
  it.each([
    ["object.node == 'a'", ['node a']],
    ["'a' == object.node", ['node a']],
    ["object.node in ['a', 'b', 'a']", ['node a|b']],
    ['object.replicas == 3', ['replicas 3']],
    ['object.replicas in [3, -4]', ['replicas 3|-4']],
    ['object.any == true', ['any true']],
    ["object.__namespace__ == 'x'", ['namespace x']],
    ["object.labels['app.kubernetes.io/name'] == 'x'", ['labels/app.kubernetes.io/name x']],
    ["object.labels.app == 'x'", ['labels/app x']],
    ["object.names[0] == 'x'", ['names/0 x']],
    ["has(object.node) && object.node == 'a' && (object.replicas > 3 && object.any == 'b')", ['node a', 'any b']],
    ['object.node in []', ['node ']],
  ])('%s', (expression, found) => {
    expect(equalitiesIn(expression)).toEqual(found)
  })

  it.each([
    ["object.node == 'a' || object.replicas == 3"],
    ["!(object.node == 'a')"],
    ["object.node != 'a'"],
    ['has(object.node) == true'],
    ['object.node == object.labels.app'],
    ["object.names.exists(n, n == 'a')"],
    // A number of a field without a type may be written as 3 or as 3.0.
    ['object.any == 3'],
    ["object.node in [object.labels.app, 'b']"],
    ["'a' in object.names"],
    ["(object.node == 'a') == false"],
  ])('%s requires nothing that an index knows', (expression) => {
    expect(equalitiesIn(expression)).toEqual([])
  })
})

describe('an expression is as good as its equalities', () => {
  const isWhole = (expression: string): boolean => {
    const compiled = compile(expression, { variables: new Map([['object', spec]]) })
    if (compiled.kind === 'refused') throw new Error(compiled.text)
    return compiled.program.equalities('object').isWhole
  }

  it.each([
    ["object.node == 'a'", true],
    ["has(object.node) && object.node in ['a', 'b'] && object.replicas == 3", true],
    ["has(object.labels) && object.labels['app'] == 'x'", true],
    // An absent label has the empty text too.
    ["object.labels['app'] == ''", false],
    // The text true equals the value true.
    ["object.any == 'true'", false],
    ["has(object.replicas) && object.node == 'a'", false],
    // The name of one field begins with that of the other.
    ["has(object.label) && object.labels.app == 'a'", false],
    ["object.node == 'a' && object.replicas > 3", false],
    ["object.node == 'a' || object.node == 'b'", false],
  ])('%s: %s', (expression, is) => {
    expect(isWhole(expression)).toBe(is)
  })
})
