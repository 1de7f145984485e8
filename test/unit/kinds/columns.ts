// What the tests of printer columns share. A kind is named as in `apps Deployment`; kinds of the core begin with a space.
import { expect } from 'vitest'
import type { GroupKind } from '../../../src/api/object.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { canonicalOf, columnsOf } from '../../corpora/kind-of.ts'

export const NOW = Date.parse('2026-03-01T12:00:00Z')
/** 125 s before. */
export const CREATED = '2026-03-01T11:57:55Z'
export const AGE = '2m5s'
export const template = {
  spec: {
    containers: [
      { name: 'c', image: 'i:1' },
      { name: 'd', image: 'j' },
    ],
  },
}
export const selector = { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] }
export const condition = (type: string, status = 'True', more: ValueMap = {}) => ({ type, status, ...more })
export const HOUR_AGO = '2026-03-01T11:00:00Z'

export type CellRow = readonly [kind: string, name: string, object: ValueMap, cells: readonly Value[]]

function kindNamed(key: string): GroupKind {
  const [group = '', kind = ''] = key.split(' ')
  return { group, kind }
}

export function columnsFor(key: string): ReturnType<typeof columnsOf> {
  return columnsOf(kindNamed(key))
}

/** Name, type and format where it is not a string without one; `|` where it is shown in wide output only. */
export function expectColumns(key: string, expected: readonly string[]): void {
  const { columns, cells } = columnsFor(key)
  const texts = columns.map(({ name, type, format, priority }) => {
    const detail = type === 'string' && format === '' ? '' : ` : ${type}${format === '' ? '' : ` ${format}`}`
    return `${priority === 0 ? '' : '|'}${name}${detail}`
  })
  expect(texts).toEqual(expected)
  // The reference gives addresses their age without a column for it.
  const more = key === 'networking.k8s.io IPAddress' ? 1 : 0
  expect(cells(canonicalOf(kindNamed(key), {}), NOW)).toHaveLength(columns.length + more)
  expect(columns.every(({ description }) => description !== '')).toBe(true)
}

/** The cells of an object, without name and age, which are the same for all. */
export function expectCells(key: string, _name: string, object: ValueMap, expected: readonly Value[]): void {
  const metadata = { name: 'a', creationTimestamp: CREATED, ...(object['metadata'] as ValueMap | undefined) }
  const cells = columnsFor(key).cells(canonicalOf(kindNamed(key), { ...object, metadata }), NOW)
  expect(cells.filter((cell) => cell !== 'a' && cell !== AGE)).toEqual(expected)
}
