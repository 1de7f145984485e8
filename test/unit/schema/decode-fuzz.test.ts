import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Value, isList, isMap, setOwn } from '../../../src/api/value.ts'
import { encodeObject } from '../../../src/codec/codec.ts'
import { DecodeError, decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'

const table = loadBuiltInSchema()
const kinds = [...table.kinds()]

/** A copy of a value in which one place, counted through, holds something else. */
function withOther(value: Value, place: { left: number }, other: Value): Value {
  place.left -= 1
  if (place.left === 0) return other
  if (isList(value)) return value.map((item) => withOther(item, place, other))
  if (!isMap(value)) return value
  const out: Record<string, Value> = {}
  for (const [key, member] of Object.entries(value)) setOwn(out, key, withOther(member, place, other))
  return out
}

describe('decoding anything as an object of any kind', () => {
  const others = fc.oneof(
    fc.constantFrom<Value>(null, true, '', 'x', 0, 1.5, -1, 2 ** 40, 9223372036854775807n, [], {}, [null], { a: null }),
    fc.jsonValue({ maxDepth: 2 }).map((value) => value as Value),
  )

  it('gives an object that is its own canonical form, or a message', () => {
    const cases = fc
      .constantFrom(...kinds)
      .chain((kind) => fc.tuple(fc.constant(kind), arbitraryObject(kind), fc.nat(200), others))
    fc.assert(
      fc.property(cases, ([kind, object, at, other]) => {
        const mutilated = withOther(object, { left: at }, other)
        try {
          const { value } = decodeObject(mutilated, kind.shape)
          expect(decodeObject(value, kind.shape).value).toBe(value)
          for (const encoding of ['json', 'cbor', 'yaml'] as const) encodeObject(value, kind, encoding)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
      { numRuns: 400 },
    )
  })
})
