import { expect, it } from 'vitest'
import { admissionRequest } from '../../../src/registry/steps.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

const world = new ApiWorld()
const HPA = { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' }
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

it.each([
  ['the kind that is stored', undefined, { kind: { ...HPA, version: 'v2' }, requestKind: { ...HPA, version: 'v1' } }],
  ['the kind of a view', SCALE, { kind: SCALE, requestKind: SCALE }],
])('admission is asked about %s', (_name, kind, expected) => {
  const step = {
    resource: world.resource('horizontalpodautoscalers', 'autoscaling'),
    operation: 'UPDATE',
    subresource: '',
    name: 'a',
    object: undefined,
    oldObject: undefined,
    ...(kind === undefined ? {} : { kind }),
  } as const
  expect(admissionRequest(step, world.context())).toMatchObject(expected)
})
