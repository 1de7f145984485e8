import { describe, expect, it } from 'vitest'
import { setOfFields } from '../../../src/patch/field-set.ts'
import type { ManagedEntry } from '../../../src/patch/managed-fields.ts'
import { decodeManagedFields, encodeManagedFields, identityOf } from '../../../src/patch/managed-fields.ts'

const NEW_YEAR = '2020-01-01T00:00:00Z'
const FIRST: ManagedEntry = {
  name: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  subresource: '',
  time: NEW_YEAR,
  fields: setOfFields(['data']),
}

describe('the order of managed fields (W-239)', () => {
  const rows: readonly (readonly [string, Partial<ManagedEntry>, Partial<ManagedEntry>])[] = [
    ['applies stand before updates, whenever they were', { operation: 'Apply', time: '2021-01-01T00:00:00Z' }, {}],
    ['then the older', { name: 'z' }, { name: 'a', time: '2020-01-01T00:00:01Z' }],
    [
      'no time is that of 1970, later than what was before',
      { name: 'z', time: '1969-12-31T23:59:59Z' },
      { time: undefined },
    ],
    [
      'no time is that of 1970, not earlier',
      { name: 'a', time: '1970-01-01T00:00:00Z' },
      { name: 'b', time: undefined },
    ],
    ['within a second by the name', { name: 'a', apiVersion: 'v2' }, { name: 'b' }],
    ['a name by its bytes', { name: '\uff5e' }, { name: '😀' }],
    ['then by the version', { subresource: 'status' }, { apiVersion: 'v2' }],
    ['then by the subresource', {}, { subresource: 'status' }],
  ]

  it.each(rows)('%s', (_title, before, after) => {
    const [first, second] = [
      { ...FIRST, ...before },
      { ...FIRST, ...after },
    ]
    const managed = new Map([second, first].map((entry) => [identityOf(entry), entry]))
    const shown = encodeManagedFields(managed)
    expect(shown).toEqual([...encodeManagedFields(only(first)), ...encodeManagedFields(only(second))])
  })
})

it('managers are told apart by their name, verb and endpoint, and those who update by their version', () => {
  const others: readonly Partial<ManagedEntry>[] = [
    {},
    { name: 'n' },
    { operation: 'Apply' },
    { apiVersion: 'v2' },
    { subresource: 'status' },
    { subresource: 'scale' },
  ]
  const identities = others.map((other) => identityOf({ ...FIRST, ...other }))
  expect(new Set(identities).size).toBe(others.length)
  const applied = { ...FIRST, operation: 'Apply' } as const
  expect(identityOf({ ...applied, apiVersion: 'v2' })).toBe(identityOf(applied))
})

function only(entry: ManagedEntry): ReadonlyMap<string, ManagedEntry> {
  return new Map([[identityOf(entry), entry]])
}

it('fields are written in one order, keys by their members, and what is unheard of is left out (W-241 to W-243)', () => {
  const fieldsV1 = {
    'v:"b"': {},
    'q:x': {},
    'v:"a"': {},
    'k:{"protocol":"TCP","containerPort":80}': {},
    'f:z': { 'f:q': {}, '.': {} },
    'f:a': {},
  }
  const entry = { manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }
  const managed = decodeManagedFields([entry])
  if ('problem' in managed) throw new Error(managed.problem)
  const ordered = {
    'f:a': {},
    'f:z': { '.': {}, 'f:q': {} },
    'k:{"containerPort":80,"protocol":"TCP"}': {},
    'v:"a"': {},
    'v:"b"': {},
  }
  expect(JSON.stringify(encodeManagedFields(managed))).toBe(JSON.stringify([{ ...entry, fieldsV1: ordered }]))
})
