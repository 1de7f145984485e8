import { expect, it } from 'vitest'
import { MANY } from '../../../src/lib/later.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { setOf } from '../../../src/patch/field-set.ts'
import { encodeFieldsInTurns, encodeFieldsV1 } from '../../../src/patch/fields-v1.ts'

it.each([1, MANY - 1, MANY, MANY + 1])('a set of %i fields is written in turns as it is at once', async (size) => {
  const paths = Array.from({ length: size }, (_, i) => ['f:data', `f:k${i}`])
  const written = encodeFieldsV1(setOf(paths))
  expect(Object.keys(written['f:data'] as object)).toHaveLength(size)
  const inTurns = await encodeFieldsInTurns(setOf(paths), new Turns())
  expect(JSON.stringify(inTurns)).toBe(JSON.stringify(written))
})
