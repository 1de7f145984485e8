import { describe, expect, it } from 'vitest'
import type { Count, Family } from '../../../../src/lib/measure.ts'
import { configMap, PolicyWorld } from './policy-world.ts'

function counted(family: Family<Count>): Record<string, number> {
  return Object.fromEntries([...family.all()].map(({ values, series }) => [values.join(' '), series.value]))
}

describe('what is counted of policies', () => {
  it('are checks by what was done about them, and nothing where there is nothing to say', async () => {
    const world = new PolicyWorld()
    const all = { validationActions: ['Deny', 'Audit'] }
    world.validating('strict', { validations: [{ expression: "object.metadata.name != 'm'" }] }, all)
    world.validating('kind', { validations: [{ expression: 'false' }] }, { validationActions: ['Warn'] })
    world.validating('open', { failurePolicy: 'Ignore', validations: [{ expression: 'object.no.such == 1' }] })
    world.validating('broken', { validations: [{ expression: 'object.no.such == 1' }] })
    await world.validate(configMap('n'))
    await world.validate(configMap('m'))
    expect(counted(world.measures.checks)).toEqual({
      'strict strict invalid_error deny': 1,
      'strict strict invalid_error audit': 1,
      'kind kind invalid_error warn': 2,
      'open open invalid_error allow': 2,
      'broken broken invalid_error deny': 2,
    })
    const { counts } = world.measures.checkSeconds.of('kind', 'kind', 'invalid_error', 'warn')
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2)
  })

  it('are mutations by whether they went well', async () => {
    const world = new PolicyWorld()
    const patch = (expression: string): object => ({
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    })
    world.mutating('good', patch('[JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]'))
    world.mutating('open', { failurePolicy: 'Ignore', ...patch('[JSONPatch{op: "remove", path: "/no/such"}]') })
    await world.mutate(configMap('m'))
    expect(counted(world.measures.mutations)).toEqual({ 'good good no_error': 1, 'open open invalid_error': 1 })
  })
})
