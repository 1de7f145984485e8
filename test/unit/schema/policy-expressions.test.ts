import { describe, expect, it } from 'vitest'
import { compilePolicyExpression, type Wanted } from '../../../src/schema/policy-expressions.ts'

const scope = { hasParams: true, hasAuthorizer: true, variables: new Map(), makesObjects: true }

const ACCEPTED: readonly (readonly [Wanted, string])[] = [
  ['bool', "object.a == 1 && params.b != null && request.userInfo.groups.exists(g, g == 'x')"],
  [
    'bool',
    "namespaceObject.metadata.labels['a'] == 'b' && namespaceObject.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
  ],
  ['bool', "authorizer.requestResource.check('get').allowed() && oldObject == null"],
  ['string', "'a' + request.operation"],
  ['stringOrNull', 'null'],
  ['applyConfiguration', 'Object{spec: Object.spec{replicas: 3, template: Object.spec.template{}}}'],
  ['jsonPatch', '[JSONPatch{op: "add", path: "/a", value: 1}]'],
  ['jsonPatch', 'object.a ? [JSONPatch{op: "remove", path: "/a"}] : []'],
  ['jsonPatch', 'object.list.map(i, JSONPatch{op: "add", path: "/a/" + string(i), value: Object.a{b: i}})'],
]

const REFUSED: readonly (readonly [Wanted, string, string])[] = [
  ['bool', 'object.a', 'must evaluate to bool but got dyn'],
  ['bool', 'null', 'must evaluate to bool but got null_type'],
  ['string', '1', 'must evaluate to string but got int'],
  ['stringOrNull', '[1]', 'must evaluate to one of [string null_type] but got list(int)'],
  ['applyConfiguration', 'Object.spec{}', 'must evaluate to Object but got Object.spec'],
  ['jsonPatch', '[]', 'must evaluate to list(JSONPatch) but got list(dyn)'],
  ['jsonPatch', '[JSONPatch{path: 1}]', "expected type of field 'path' is 'string' but provided type is 'int'"],
  ['bool', 'request.nothing', "compilation failed: ERROR: <input>:1:8: undefined field 'nothing'"],
  ['bool', 'variables.none', "undefined field 'none'"],
]

describe('an expression of a policy', () => {
  it.each(ACCEPTED)('may give a %s: %s', (wanted, expression) => {
    expect(compilePolicyExpression(expression, scope, wanted)).toMatchObject({ kind: 'program' })
  })

  it.each(REFUSED)('that is to give a %s is refused: %s', (wanted, expression, problem) => {
    const compiled = compilePolicyExpression(expression, scope, wanted)
    expect(compiled.kind === 'refused' ? compiled.problem : '').toContain(problem)
  })

  it.each([
    ['params', { ...scope, hasParams: false }],
    ['authorizer', { ...scope, hasAuthorizer: false }],
    ['variables', { hasParams: true, hasAuthorizer: true }],
  ])('does not know %s everywhere', (name, less) => {
    const compiled = compilePolicyExpression(name, less)
    const problem = `undeclared reference to '${name}' (in container '')`
    expect(compiled.kind === 'refused' ? compiled.problem : '').toContain(problem)
  })
})
