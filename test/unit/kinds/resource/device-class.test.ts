import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'
import { judge, type Row, rows } from '../judging.ts'

describe('columns', () => {
  it('resource.k8s.io DeviceClass has these columns', () =>
    expectColumns('resource.k8s.io DeviceClass', ['Name : string name', 'Age']))
})

describe('validation', () => {
  it.each<Row>([
    ...rows('resource.k8s.io/v1 DeviceClass', [
      'a bad name of a resource',
      { 'spec/extendedResourceName': 'cpu' },
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
    ]),
  ])('$of: $case', judge)
})
