import { describe, it } from 'vitest'
import { type CellRow, expectCells, expectColumns, template } from '../columns.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('PodTemplate has these columns', () =>
    expectColumns(' PodTemplate', ['Name : string name', 'Containers', 'Images', 'Pod Labels']))

  it.each<CellRow>([
    [
      ' PodTemplate',
      'two containers',
      { template: { ...template, metadata: { labels: { b: '2', a: '1' } } } },
      ['c,d', 'i:1,j', 'a=1,b=2'],
    ],
  ])('of %s, %s', expectCells)
})

describe('validation', () => {
  it.each<Row>([
    ...rows('v1 PodTemplate', [
      'no containers',
      { 'template/spec/containers': [] },
      'template.spec.containers: Required value',
    ]),
  ])('$of: $case', judge)
})
