import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { rememberingManagedFields } from '../../../src/codec/stored-managed-fields.ts'
import { parseStored } from '../../../src/codec/stored-json.ts'
import { decodeObject } from '../../../src/schema/decode.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'

const schema = loadBuiltInSchema()
const REVISION = schema.kind({ group: 'apps', version: 'v1', kind: 'ControllerRevision' })!
const plain = (object: ApiObject): string => canonicalJson(object, REVISION)

/** A kind that holds anything, lists of managers too. */
function revision(metadata: ValueMap, data: Value = {}): ApiObject {
  const kind = { kind: 'ControllerRevision', apiVersion: 'apps/v1' }
  const { value } = decodeObject({ ...kind, metadata: { name: 'a', ...metadata }, data, revision: 1 }, REVISION.shape)
  return { ...value, ...kind } as ApiObject
}

function entry(fieldsV1: Value, more: ValueMap = {}): ValueMap {
  return { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more }
}

const ODD = '"managedFields":[{"fieldsV1":{}}]<&>\\'
const CLAIMS = { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'k:{"name":"}"}': { '.': {} } }

const CASES: Readonly<Record<string, ApiObject>> = {
  'no list of managers': revision({}),
  'an empty list': revision({ managedFields: [] }),
  'two managers': revision({ managedFields: [entry(CLAIMS), entry({ 'f:x': {} }, { subresource: 'status' })] }),
  'managers with the same claims': revision({ managedFields: [entry(CLAIMS), entry(CLAIMS), entry(CLAIMS)] }),
  'a manager that claims nothing': revision({ managedFields: [entry({}), entry(CLAIMS)] }),
  'a manager without claims between others': revision({
    managedFields: [entry(CLAIMS), { manager: 'n', operation: 'Apply' }, entry(CLAIMS)],
  }),
  'names with brackets and quotes': revision({
    managedFields: [entry(CLAIMS, { manager: ODD }), entry(CLAIMS, { manager: ']}' })],
    annotations: { odd: ODD, managedFields: ODD, fieldsV1: '{}' },
  }),
  'claims with markup in them': revision({ managedFields: [entry({ 'f:<&>\u2028é': {} })] }),
  'another list by that name': revision({ managedFields: [entry(CLAIMS)] }, { managedFields: [entry(CLAIMS)] }),
  'another list by that name alone': revision({}, { managedFields: [entry(CLAIMS)] }),
  'other claims right behind the list': revision({ managedFields: [{ manager: 'n' }] }, { fieldsV1: CLAIMS }),
  'an integer of 64 bits': revision({ managedFields: [entry(CLAIMS)] }, { big: 9007199254740993n }),
}

describe('objects with claims', () => {
  it.each(Object.entries(CASES))('are written and read as without a memory: %s', (_, object) => {
    const { encode, parse } = rememberingManagedFields(plain)
    const text = plain(object)
    for (let time = 0; time < 3; time++) {
      expect(encode(object)).toBe(text)
      const read = parse(Buffer.from(text))
      expect(read).toStrictEqual(parseStored(Buffer.from(text)))
      expect(encode(read!)).toBe(text)
    }
  })

  it('are so whatever was read before, in whatever order', () => {
    const name = fc.constantFrom('f:a', 'f:b', 'f:"]}', 'k:{"n":"{[\\"]"}', '.')
    const claims = fc.dictionary(name, fc.dictionary(name, fc.constant({}), { maxKeys: 3 }), { maxKeys: 3 })
    const objects = fc.array(
      fc
        .tuple(fc.array(claims, { maxLength: 3 }), fc.constantFrom<ValueMap>({}, { odd: ODD }))
        .map(([list, annotations]) => revision({ annotations, managedFields: list.map((one) => entry(one)) })),
      { maxLength: 8 },
    )
    const { encode, parse } = rememberingManagedFields(plain)
    fc.assert(
      fc.property(objects, (all) => {
        for (const object of all) {
          const bytes = Buffer.from(plain(object))
          expect(encode(object)).toBe(bytes.toString())
          expect(parse(bytes)).toStrictEqual(parseStored(bytes))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('share the records of claims that are alike', () => {
    const { parse } = rememberingManagedFields(plain)
    const bytes = Buffer.from(plain(CASES['two managers']!))
    const claimsOf = (object: ApiObject | undefined): readonly (Value | undefined)[] =>
      (object!.metadata['managedFields'] as readonly ValueMap[]).map(({ fieldsV1 }) => fieldsV1)
    const [first, second, third] = [parse(bytes), parse(bytes), parse(bytes)].map(claimsOf)
    for (const i of [0, 1]) {
      expect(second![i]).toBe(first![i])
      expect(third![i]).toBe(first![i])
    }
  })

  it.each([
    ['cut off', '{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{'],
    ['cut off in a name', '{"metadata":{"managedFields":[{"fieldsV1":{"f:a'],
    ['broken behind the list', '{"metadata":{"managedFields":[{"fieldsV1":{}}]},'],
    ['no claims but a null', '{"metadata":{"managedFields":[{"fieldsV1":null},{"fieldsV1":{"f:a":{}}}]}}'],
    ['claims that are no JSON', '{"metadata":{"managedFields":[{"fieldsV1":{x}}]}}'],
    ['not an object', '[1]'],
  ])('are read as far as they can be: %s', (_, text) => {
    const { parse } = rememberingManagedFields(plain)
    expect(parse(Buffer.from(text))).toStrictEqual(parseStored(Buffer.from(text)))
  })
})
