import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../../src/api/field-error.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { equalValues } from '../../../src/api/value.ts'
import { applyDefaults } from '../../../src/schema/defaults/defaults.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import type { KindSchema } from '../../../src/schema/table.ts'
import { validateCreate, validateSubresource, validateUpdate } from '../../../src/schema/validation/validation.ts'
import { defaultsOf, rulesOf } from '../../corpora/kind-of.ts'
import { arbitraryObject } from '../../corpora/arbitrary-object.ts'
import { ENABLED_GATES } from '../schema/gates.ts'

const KINDS = [...loadBuiltInSchema().kinds()].filter(({ isList }) => !isList)
const SUBRESOURCES: readonly string[] = ['status', 'approval', 'ephemeralcontainers', 'resize', 'finalize', 'scale']

function defaulted(kind: KindSchema, object: ApiObject): ApiObject {
  return applyDefaults(defaultsOf(kind), object, { gates: ENABLED_GATES, now: () => '2024-01-01T00:00:00Z' })
}

function everyFault(kind: KindSchema, object: ApiObject, stored: ApiObject): readonly FieldError[] {
  return [true, false].flatMap((isOn) => {
    const context = { gates: isOn ? ENABLED_GATES : new Set<string>(), namespaced: isOn }
    return [
      ...validateCreate(rulesOf(kind), object, context),
      ...validateUpdate(rulesOf(kind), { object, stored }, context),
      ...SUBRESOURCES.flatMap((subresource) =>
        validateSubresource(rulesOf(kind), { object, stored, subresource }, context),
      ),
    ]
  })
}

describe('whatever an object of a built-in kind holds', () => {
  it('validation finds faults or none, and says each in words', () => {
    for (const kind of KINDS) {
      fc.assert(
        fc.property(arbitraryObject(kind), arbitraryObject(kind), (object, stored) => {
          for (const { field, message } of everyFault(kind, object, stored)) {
            if (typeof field !== 'string' || message.includes('[object') || message.includes('undefined')) {
              expect.fail(`${kind.kind} ${field}: ${message}`)
            }
          }
        }),
        { numRuns: 3 },
      )
    }
  })

  it('defaults are filled in once: a second time changes nothing', () => {
    for (const kind of KINDS) {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const once = defaulted(kind, object)
          const twice = defaulted(kind, once)
          if (!equalValues(once, twice)) expect(twice).toEqual(once)
        }),
        { numRuns: 3 },
      )
    }
  })

  it('defaults leave it canonical: decoding it again changes nothing', () => {
    for (const kind of KINDS) {
      fc.assert(
        fc.property(arbitraryObject(kind), (object) => {
          const full = defaulted(kind, object)
          const { value } = decodeObject(full, kind.shape)
          if (!equalValues(value, full)) expect(full).toEqual(value)
        }),
        { numRuns: 10 },
      )
    }
  })
})
