import { expect, it } from 'vitest'
import type { ValueMap } from '../../../src/api/value.ts'
import { withZeroValues } from '../../../src/patch/zero-values.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('Pod')
const completed = (spec: ValueMap, other?: ValueMap): ValueMap =>
  withZeroValues(shape, { metadata: {}, spec, status: {} }, other)['spec'] as ValueMap

it('what output never leaves out is written down, also in the items of lists', () => {
  expect(completed({ containers: [{ image: 'i' }] })).toEqual({ containers: [{ name: '', image: 'i', resources: {} }] })
})

it('so it is in the records of a map', () => {
  const slice = kindOf('ResourceSlice', 'resource.k8s.io').shape
  const devices = [{ name: 'd', capacity: { memory: {}, cores: { value: '8' } } }]
  expect(withZeroValues(slice, { metadata: {}, spec: { devices } })['spec']).toMatchObject({
    devices: [{ capacity: { memory: { value: '0' }, cores: { value: '8' } } }],
  })
})

it('what is complete is handed back itself', () => {
  const spec = { containers: [{ name: 'c', resources: {} }] }
  expect(completed(spec)).toBe(spec)
})

it('parts that are shared with what it is compared with are not looked into', () => {
  const containers = [{ image: 'i' }]
  const other = { spec: { containers } }
  expect(completed({ containers }, other)['containers']).toBe(containers)
  expect(completed({ containers: [...containers] }, other)['containers']).toEqual(containers)
})
