import { expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { outlineOf } from '../../../src/patch/outline.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('ConfigMap')
const pod = kindOf('Pod')
const withData = (data: ValueMap): ValueMap => ({ metadata: { name: 'c' }, data })

it.each<[string, boolean, ValueMap, ValueMap]>([
  ['do not tell texts apart', true, { a: 'one' }, { a: 'other' }],
  ['tell an empty text from another', false, { a: '' }, { a: 'other' }],
  ['tell fields apart', false, { a: 'one' }, { b: 'one' }],
  ['tell texts from numbers', false, { a: 'one' }, { a: 1 }],
])('outlines %s', (_name, isSame, one, other) => {
  expect(outlineOf(shape, withData(one)) === outlineOf(shape, withData(other))).toBe(isSame)
})

it('there is none of an object that is too long to be kept', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`a-key-of-some-length-${i}`, 'v']))
  expect(outlineOf(shape, withData(many))).toBeUndefined()
})

it.each<[string, boolean, readonly Value[], readonly Value[]]>([
  ['only by their keys', true, [{ name: 'a', image: 'one' }], [{ name: 'a', image: 'other' }]],
  ['by their keys', false, [{ name: 'a' }], [{ name: 'b' }]],
  ['by all that they are where they have no keys', false, ['a'], ['b']],
])('outlines tell the items of a list apart %s', (_name, isSame, one, other) => {
  const outline = (containers: readonly Value[]): string | undefined => outlineOf(pod.shape, { spec: { containers } })
  expect(outline(one) === outline(other)).toBe(isSame)
})
