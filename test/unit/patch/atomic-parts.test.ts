import { expect, it } from 'vitest'
import { atomicPartsOf } from '../../../src/patch/atomic-parts.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('Pod')

it('the atomic parts of a value are found at their paths, also inside of items', () => {
  const container = { name: 'c', command: ['a', 'b'], ports: [{ containerPort: 80, protocol: 'TCP' }] }
  const spec = { nodeSelector: { disk: 'ssd' }, containers: [container, { name: 'd' }] }
  expect(atomicPartsOf(shape, { metadata: { labels: { a: 'b' } }, spec })).toEqual([
    ['f:spec', 'f:nodeSelector'],
    ['f:spec', 'f:containers', 'i:0', 'f:command'],
  ])
})

it('the atomic parts of an atomic part are found too', () => {
  const labelSelector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }
  const at = ['f:spec', 'f:topologySpreadConstraints', 'i:0', 'f:labelSelector']
  expect(atomicPartsOf(shape, { spec: { topologySpreadConstraints: [{ labelSelector }] } })).toEqual([
    at,
    [...at, 'f:matchExpressions'],
    [...at, 'f:matchExpressions', 'i:0', 'f:values'],
  ])
})

it('a value of another type than its field is none', () => {
  expect(atomicPartsOf(shape, { spec: { nodeSelector: ['x'], containers: [{ name: 'c', command: 'a' }] } })).toEqual([])
})
