import { describe, expect, it } from 'vitest'
import { openWorld } from '../../../../rigs/api-world.ts'
import { type CellRow, condition, expectCells, expectColumns } from '../../columns.ts'

const KIND = 'apiextensions.k8s.io CustomResourceDefinition'

describe('columns of definitions', () => {
  it('are these', () =>
    expectColumns(KIND, [
      'Name : string name',
      'Scope',
      'Versions',
      'Created At : date',
      '|Group',
      '|Kind',
      '|ShortNames',
      '|Established : boolean',
    ]))

  it.each<CellRow>([
    [
      KIND,
      'with versions that are served, stored, or neither',
      {
        metadata: { creationTimestamp: '2026-03-01T11:00:00Z' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget', shortNames: ['w', 'a'] },
          versions: [{ name: 'v2', served: true }, { name: 'v1', served: true, storage: true }, { name: 'v0' }],
        },
        status: { conditions: [condition('Established')] },
      },
      ['Namespaced', 'v1(storage),v2', '2026-03-01T11:00:00Z', 'example.com', 'Widget', 'w,a', true],
    ],
  ])('%s %s', expectCells)

  it('are the default ones at level 1.36', async () => {
    const world = await openWorld({ flags: ['--emulated-version=1.36'] })
    const { columns } = world.resource('customresourcedefinitions', 'apiextensions.k8s.io')
    expect(columns.columns.map(({ name }) => name)).toEqual(['Name', 'Created At'])
  })
})
