import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { EMPTY_SET, setOfFields } from '../../../src/patch/field-set.ts'
import { encodeFieldsV1 } from '../../../src/patch/fields-v1.ts'
import { compareUpdated, withoutReset } from '../../../src/patch/update-comparison.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

const { shape } = kindOf('Pod')

const names = fc.subarray(['a', 'b', 'c'])
const spec = names.map((all) => ({ containers: all.map((name) => ({ name })) }))
const status = names.map((all) => ({ conditions: all.map((type) => ({ type, status: 'True' })) }))
const labels = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'))
const pod = fc.record(
  { metadata: fc.record({ name: fc.constant('p'), labels }), spec, status },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<ValueMap>

it('an update changes what the two differ in, less what it cannot change', () => {
  const resets = fc.subarray(['status', 'spec', 'metadata', 'metadata.labels', 'spec.containers'])
  fc.assert(
    fc.property(pod, pod, resets, (before, after, dotted) => {
      const reset = setOfFields(dotted)
      const whole = withoutReset(compareUpdated(shape, { before, after, reset: EMPTY_SET }), reset)
      const found = compareUpdated(shape, { before, after, reset })
      for (const difference of ['added', 'modified', 'removed'] as const) {
        expect(encodeFieldsV1(found[difference])).toEqual(encodeFieldsV1(whole[difference]))
      }
    }),
  )
})

it('what it cannot change is not looked at', () => {
  const status = new Proxy<ValueMap>({}, { ownKeys: () => expect.fail('the status was looked at') })
  const after: Record<string, Value> = { metadata: { name: 'p' }, status }
  const { added } = compareUpdated(shape, { before: {}, after, reset: setOfFields(['status']) })
  expect(encodeFieldsV1(added)).toHaveProperty(['f:metadata', 'f:name'])
})
