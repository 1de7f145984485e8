import { expect, it } from 'vitest'
import { atomicPartsOf } from '../../../src/patch/atomic-parts.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('Pod')

it('the atomic parts of a value are found at their paths, also inside of items', () => {
  const container = { name: 'c', command: ['a', 'b'], ports: [{ containerPort: 80, protocol: 'TCP' }] }
  const spec = { nodeSelector: { disk: 'ssd' }, containers: [container, { name: 'd' }] }
  expect(atomicPartsOf(shape, { metadata: { labels: { a: 'b' } }, spec })).toEqual([
    ['f:spec', 'f:nodeSelector'],
    ['f:spec', 'f:containers', 'k:{"name":"c"}', 'f:command'],
  ])
})

it('a value of another type than its field is none', () => {
  expect(atomicPartsOf(shape, { spec: { nodeSelector: ['x'], containers: [{ name: 'c', command: 'a' }] } })).toEqual([])
})
