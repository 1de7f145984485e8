import { describe, expect, it } from 'vitest'
import { DEFAULT_TABLE } from '../../../src/codec/table.ts'
import { AGE, columnsFor, CREATED, NOW } from './columns.ts'

describe('columns (R-358, R-359)', () => {
  it.each([
    ' LimitRange',
    'rbac.authorization.k8s.io ClusterRole',
    'storage.k8s.io CSIStorageCapacity',
    'x.io constructor',
  ])('%s has the default table', (key) => {
    const shape = columnsFor(key)
    expect(shape).toBe(DEFAULT_TABLE)
    expect(shape.columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', 'name'],
      ['Created At', 'date', ''],
    ])
    expect(shape.cells({ metadata: { name: 'a', creationTimestamp: CREATED } }, NOW)).toEqual(['a', CREATED])
  })

  it('have a name and an age', () => {
    const { cells } = columnsFor(' ServiceAccount')
    expect(cells({ metadata: { name: 'a', creationTimestamp: CREATED } }, NOW)).toEqual(['a', AGE])
    expect(cells({ metadata: { name: 'a' } }, NOW)).toEqual(['a', '<unknown>'])
  })
})
