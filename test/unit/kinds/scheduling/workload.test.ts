import { describe, expect, it } from 'vitest'
import { openWorld, type ApiWorld } from '../../../rigs/api-world.ts'
import {
  basic,
  gang,
  GROUP_FLAGS,
  GROUP_GATES,
  POD_GROUPS,
  REFUSED_GROUPS,
  template,
  WORKLOADS,
} from '../../../corpora/refused-groups.ts'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('scheduling.k8s.io Workload has these columns', () =>
    expectColumns('scheduling.k8s.io Workload', ['Name : string name', 'Age']))
})

async function open(gates = GROUP_GATES): Promise<ApiWorld> {
  return openWorld({ gates, flags: GROUP_FLAGS })
}

async function causesOf(world: ApiWorld, method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> {
  const answer = await world.send({ method, path, body })
  const { causes = [] } = (answer.body['details'] ?? {}) as {
    causes?: readonly { reason: string; field: string; message: string }[]
  }
  return answer.status < 300 ? [] : causes.map(({ reason, field }) => `${field} ${reason}`)
}

describe('new objects', () => {
  it.each(REFUSED_GROUPS)('%s are refused', async (_, path, spec, causes) => {
    expect(await causesOf(await open(), 'POST', path, { metadata: { name: 'x' }, spec })).toEqual(causes)
  })

  it('have a priority, a mode of disruption and a preemption policy', async () => {
    const world = await open()
    const body = { metadata: { name: 'x' }, spec: { schedulingPolicy: gang } }
    const { spec } = await world.must('POST', POD_GROUPS, body)
    const disruptionMode = { single: {} }
    const preemptionPolicy = 'PreemptLowerPriority'
    expect(spec).toEqual({ schedulingPolicy: gang, disruptionMode, priority: 0, preemptionPolicy })
    const named = { ...body.spec, priorityClassName: 'system-node-critical', priority: 7 }
    const refused = await world.send({ method: 'POST', path: POD_GROUPS, body: { ...body, spec: named } })
    expect([refused.status, refused.body['message']]).toEqual([
      403,
      expect.stringContaining('must match the priority computed (2000001000)'),
    ])
  })

  it('lose the fields of gates that are off', async () => {
    const world = await open(['GenericWorkload'])
    const spec = {
      schedulingPolicy: gang,
      schedulingConstraints: { topology: [{ key: 'a' }] },
      resourceClaims: [{ name: 'c', resourceClaimName: 'c' }],
      preemptionPolicy: 'Never',
      parentCompositePodGroupName: 'p',
    }
    const made = await world.must('POST', POD_GROUPS, { metadata: { name: 'x' }, spec })
    expect(made['spec']).toEqual({ schedulingPolicy: gang, disruptionMode: { single: {} }, priority: 0 })
  })
})

describe('changes', () => {
  it('of a gang can be of its size alone', async () => {
    const world = await open()
    const made = await world.must('POST', POD_GROUPS, { metadata: { name: 'x' }, spec: { schedulingPolicy: gang } })
    const change = (spec: object): Promise<unknown> =>
      causesOf(world, 'PUT', `${POD_GROUPS}/x`, { ...made, spec: { ...(made['spec'] as object), ...spec } })
    expect(await change({ schedulingPolicy: basic })).toEqual([
      'spec.schedulingPolicy.basic FieldValueInvalid',
      'spec.schedulingPolicy.gang FieldValueInvalid',
    ])
    expect(await change({ disruptionMode: { all: {} } })).toEqual(['spec.disruptionMode FieldValueInvalid'])
    expect(await change({ schedulingPolicy: { gang: { minCount: 5 } } })).toEqual([])
  })

  it('add and remove no templates', async () => {
    const world = await open()
    const body = { metadata: { name: 'x' }, spec: { podGroupTemplates: [template('a'), template('b')] } }
    const made = await world.must('POST', WORKLOADS, body)
    const change = (...podGroupTemplates: readonly object[]): Promise<unknown> =>
      causesOf(world, 'PUT', `${WORKLOADS}/x`, { ...made, spec: { podGroupTemplates } })
    expect(await change(template('a'), template('c'))).toEqual([
      'spec.podGroupTemplates[1] FieldValueForbidden',
      'spec.podGroupTemplates FieldValueForbidden',
    ])
    expect(await change(template('b'), template('a'))).toEqual([])
  })
})
