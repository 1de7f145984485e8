// What is read from outside takes time in proportion to its length, where that takes a while to find out.
import { expect, it } from 'vitest'
import type { Value, ValueMap } from '../../src/api/value.ts'
import { parseTokenFile } from '../../src/auth/token-file.ts'
import { compile } from '../../src/cel/cel.ts'
import { applyJsonPatch } from '../../src/patch/json-patch.ts'
import { mergeTolerations } from '../../src/plugins/tolerations.ts'
import { outOfProportion } from '../rigs/processor-time.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

const many = <T>(size: number, item: (i: number) => T): T[] => Array.from({ length: size }, (_, i) => item(i))

const PIECES = ['(', '.', '{:', '+', '{', '[', 'x{', 'a ?', ')', '"', 'in ']

it.each(IS_WHOLE ? PIECES : PIECES.slice(0, 3))('expressions of many %s', (piece) => {
  const read = (length: number): void => {
    const compiled = compile(piece.repeat(Math.floor(length / piece.length)), { variables: new Map() })
    expect(compiled.kind).toBe('refused')
    if (compiled.kind === 'refused') expect(compiled.issues.length).toBeLessThanOrEqual(100)
  }
  expect(outOfProportion(90_000, read)).toBe('')
})

it('token files', () => {
  const read = (size: number): void => {
    const lines = many(size, (i) => `token${i},user${i},${i},"a,b"`)
    expect(parseTokenFile(lines.join('\n')).users.size).toBe(size)
  }
  expect(outOfProportion(50_000, read)).toBe('')
})

it('tolerations', () => {
  const given = (size: number): ValueMap[] => many(size, (i) => ({ key: 'a', operator: 'Equal', value: String(i) }))
  expect(outOfProportion(40_000, (size) => void mergeTolerations(given(size), [{ key: 'b' }]))).toBe('')
})

const map = Object.fromEntries(many(20_000, (i) => [`k${i}`, 'v']))
const document = { map, list: many(20_000, (i) => i), nested: { map } }

it.each<[string, (i: number) => Value]>([
  ['change a member', (i) => ({ op: 'replace', path: `/map/k${i}`, value: 'w' })],
  ['add a member', (i) => ({ op: 'add', path: `/nested/map/n${i}`, value: 'w' })],
  ['remove a member', (i) => ({ op: 'remove', path: `/map/k${i}` })],
  ['find nothing in a large map', () => ({ op: 'test', path: '/map/none', value: null })],
  ['insert before the first item', (i) => ({ op: 'add', path: '/list/0', value: i })],
  ['remove the first item', () => ({ op: 'remove', path: '/list/0' })],
  ['move from the end to the beginning', () => ({ op: 'move', from: '/list/-1', path: '/list/0' })],
])('operations of a JSON patch that %s', (_, operation) => {
  expect(outOfProportion(10_000, (size) => void applyJsonPatch(document, many(size, operation)))).toBe('')
})
