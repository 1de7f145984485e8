import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalValues } from '../../../src/api/value.ts'
import { ProtobufError } from '../../../src/wire/protobuf-error.ts'
import { decodeProtobuf, decodeRaw, encodeProtobuf } from '../../../src/codec/protobuf.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'

const kinds = [...loadBuiltInSchema().kinds()].filter((kind) => kind.hasProtobuf)

describe('random objects', () => {
  it('of every kind come back as they went', () => {
    for (const kind of kinds) {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const { raw, ...names } = decodeProtobuf(encodeProtobuf(kind, object))
          const decoded = decodeRaw(kind, raw)
          if (!equalValues(decoded, object)) expect(decoded).toEqual(object)
          expect(Object.keys(decoded)).toEqual(Object.keys(object))
          expect(names.kind).toBe(object.kind ?? '')
        }),
        { numRuns: 4 },
      )
    }
  })
})

describe('broken bytes', () => {
  const [pod, definition] = ['Pod', 'CustomResourceDefinition'].map((name) => kinds.find(({ kind }) => kind === name))

  it.each([
    ['a pod', pod],
    ['a definition', definition],
  ])('of %s give an object or a ProtobufError, and nothing else', (_, kind) => {
    if (kind === undefined) throw new Error('no such kind')
    const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), byte: fc.nat(255) })
    fc.assert(
      fc.property(
        arbitraryObject(kind),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(3),
        (object, changes, cut) => {
          const bytes = Buffer.from(encodeProtobuf(kind, object))
          for (const { at, byte } of changes) bytes[Math.floor(at * bytes.length)] = byte
          try {
            const { raw } = decodeProtobuf(bytes.subarray(0, bytes.length - cut))
            expect(typeof decodeRaw(kind, raw)).toBe('object')
          } catch (error) {
            expect(error).toBeInstanceOf(ProtobufError)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('that are not protobuf at all do no better', () => {
    if (pod === undefined) throw new Error('no such kind')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(typeof decodeRaw(pod, bytes)).toBe('object')
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      }),
      { numRuns: 500 },
    )
  })
})
