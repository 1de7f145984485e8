import { describe, expect, it } from 'vitest'
import { policyTypeWarnings } from '../../../src/schema/policy-type-check.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const schema = loadBuiltInSchema()
const KINDS: Readonly<Record<string, string>> = { configmaps: 'ConfigMap', deployments: 'Deployment' }

function warnings(spec: object): readonly object[] {
  return policyTypeWarnings({ spec } as never, ({ group, version, resource }) =>
    schema.kind({ group, version, kind: KINDS[resource] ?? '' }),
  )
}

const rule = (group: string, resource: string): object => ({
  apiGroups: [group],
  apiVersions: ['v1'],
  resources: [resource],
})
const both = { resourceRules: [rule('apps', 'deployments'), rule('', 'configmaps')] }

describe('the types of the kinds that a policy names', () => {
  it('are held against its expressions, kind by kind', () => {
    expect(
      warnings({
        matchConstraints: both,
        variables: [{ name: 'count', expression: 'object.spec.replicas' }],
        validations: [
          { expression: 'object.spec.replicas < 5 && variables.count > 1', messageExpression: 'object.nothing' },
          { expression: "object.metadata.namespace.startsWith('a') && object.kind != ''" },
        ],
      }),
    ).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'\n | object.spec.replicas < 5 && variables.count > 1\n | ......^\n",
      },
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning: [
          "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'nothing'\n | object.nothing\n | ......^\n",
          "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'nothing'\n | object.nothing\n | ......^\n",
        ].join('\n'),
      },
    ])
  })

  it('are not known where rules do not name a kind', () => {
    const validations = [{ expression: 'object.nothing == 1' }]
    expect(warnings({ matchConstraints: { resourceRules: [rule('*', '*')] }, validations })).toEqual([])
  })

  it('tell texts from numbers, times and amounts of either form', () => {
    const expressions = [
      "object.spec.template.spec.containers.all(c, c.image.contains(':') && c.resources.limits['cpu'] == '1')",
      'object.spec.replicas > 1 && object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
      'object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == "25%"',
    ]
    const validations = expressions.map((expression) => ({ expression }))
    expect(warnings({ matchConstraints: { resourceRules: [rule('apps', 'deployments')] }, validations })).toEqual([])
    const [wrong] = warnings({
      matchConstraints: { resourceRules: [rule('apps', 'deployments')] },
      validations: [{ expression: "object.spec.replicas == 'many'" }],
    })
    expect(wrong).toMatchObject({
      warning: expect.stringContaining("found no matching overload for '_==_' applied to '(int, string)'") as string,
    })
  })
})
