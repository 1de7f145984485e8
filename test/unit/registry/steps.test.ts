import { expect, it } from 'vitest'
import { admissionRequest, parseResourceVersion } from '../../../src/registry/steps.ts'
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

it.each<[string, string, number | string]>([
  ['none', '', 0],
  ['a number', '42', 42],
  ['nineteen digits', '1000000000000000000', 1e18],
  ['more digits', '12345678901234567890', 'value out of range'],
  ['other text', '0x10', 'invalid syntax'],
])('a resource version that is %s', (_name, text, expected) => {
  if (typeof expected === 'number') expect(parseResourceVersion(text)).toBe(expected)
  else expect(() => parseResourceVersion(text)).toThrow(`strconv.ParseUint: parsing "${text}": ${expected}`)
})
