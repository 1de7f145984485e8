import { describe, expect, it } from 'vitest'
import * as members from '../../../src/api/members.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { quantityOf } from '../../../src/lib/quantity.ts'

const HUGE = 9007199254740993n

/** One member of each type, and the ones that count as absent. */
const MAP: ValueMap = {
  text: 'a',
  empty: '',
  number: 1.5,
  zero: 0,
  huge: HUGE,
  yes: true,
  no: false,
  nothing: null,
  map: { a: 1 },
  list: [1],
}

type Reader = (map: ValueMap, name: string) => Value | undefined

/** What each reader makes of the types that it takes; of everything else it makes `otherwise`. */
const READERS: readonly (readonly [
  string,
  Reader,
  { readonly takes: ValueMap; readonly otherwise: Value | undefined },
])[] = [
  ['textOrAbsent', members.textOrAbsent, { takes: { text: 'a', empty: '' }, otherwise: undefined }],
  ['textOrEmpty', members.textOrEmpty, { takes: { text: 'a', empty: '' }, otherwise: '' }],
  [
    'numberOrAbsent',
    members.numberOrAbsent,
    { takes: { number: 1.5, zero: 0, huge: 9007199254740992 }, otherwise: undefined },
  ],
  ['numberOrZero', members.numberOrZero, { takes: { number: 1.5, zero: 0, huge: 9007199254740992 }, otherwise: 0 }],
  ['integerOrAbsent', members.integerOrAbsent, { takes: { number: 1.5, zero: 0, huge: HUGE }, otherwise: undefined }],
  ['integerOrZero', members.integerOrZero, { takes: { number: 1.5, zero: 0, huge: HUGE }, otherwise: 0 }],
  ['isTrue', members.isTrue, { takes: { yes: true }, otherwise: false }],
  ['mapOrAbsent', members.mapOrAbsent, { takes: { map: { a: 1 } }, otherwise: undefined }],
  ['mapOrEmpty', members.mapOrEmpty, { takes: { map: { a: 1 } }, otherwise: {} }],
  ['listOrEmpty', members.listOrEmpty, { takes: { list: [1] }, otherwise: [] }],
]

describe.each(READERS)('%s', (_name, read, { takes, otherwise }) => {
  it.each([...Object.keys(MAP), 'absent', 'constructor', '__proto__'])('of %s', (name) => {
    expect(read(MAP, name)).toStrictEqual(Object.hasOwn(takes, name) ? takes[name] : otherwise)
  })
})

it('a member named __proto__ is read where the map has it itself', () => {
  const map = JSON.parse('{"__proto__": {"a": 1}}') as ValueMap
  expect(members.mapOrAbsent(map, '__proto__')).toEqual({ a: 1 })
  expect(members.mapOrEmpty(map, '__proto__')).toEqual({ a: 1 })
  expect(members.isGiven(map, '__proto__')).toBe(true)
})

describe('isGiven', () => {
  it.each([...Object.keys(MAP), 'absent', 'constructor', '__proto__'])('of %s', (name) => {
    expect(members.isGiven(MAP, name)).toBe(Object.hasOwn(MAP, name) && name !== 'nothing')
  })
})

it('a quantity is read of a text that is one', () => {
  const map: ValueMap = { whole: '5', none: 'five', number: 5 }
  expect(members.quantityOrAbsent(map, 'whole')).toMatchObject(quantityOf(5, 'decimalSI'))
  for (const name of ['none', 'number', 'absent']) expect(members.quantityOrAbsent(map, name), name).toBeUndefined()
})

describe('lists', () => {
  const mixed = { items: [{ a: 1 }, 'x', null, { b: 2 }, 5, ['y'], ''] }

  it('of maps are read with every place kept, or without what is no map', () => {
    expect(members.mapsInPlace(mixed, 'items')).toEqual([{ a: 1 }, {}, {}, { b: 2 }, {}, {}, {}])
    expect(members.mapsOnly(mixed, 'items')).toEqual([{ a: 1 }, { b: 2 }])
  })

  it('of texts are read with every place kept, or without what is no text', () => {
    expect(members.textsInPlace(mixed, 'items')).toEqual(['', 'x', '', '', '', '', ''])
    expect(members.textsOnly(mixed, 'items')).toEqual(['x', ''])
  })

  it('of one type are the stored lists themselves', () => {
    const map = { maps: [{ a: 1 }], texts: ['x'] }
    expect(members.mapsInPlace(map, 'maps')).toBe(map.maps)
    expect(members.mapsOnly(map, 'maps')).toBe(map.maps)
    expect(members.textsInPlace(map, 'texts')).toBe(map.texts)
    expect(members.textsOnly(map, 'texts')).toBe(map.texts)
  })

  it.each([
    ['mapsInPlace', members.mapsInPlace],
    ['mapsOnly', members.mapsOnly],
    ['textsInPlace', members.textsInPlace],
    ['textsOnly', members.textsOnly],
  ])('%s of what is no list is empty', (_name, read) => {
    for (const member of [...Object.keys(MAP).filter((key) => key !== 'list'), 'absent']) {
      expect(read(MAP, member), member).toEqual([])
    }
  })
})

it('a value reads as the map that it is, or as an empty one', () => {
  const map = { a: 1 }
  expect(members.asMap(map)).toBe(map)
  for (const other of [undefined, null, [], 'a', 1]) expect(members.asMap(other)).toEqual({})
})
