import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('resource.k8s.io DeviceTaintRule has these columns', () =>
    expectColumns('resource.k8s.io DeviceTaintRule', [
      'Name : string name',
      'Key',
      'Value',
      'Effect',
      'TimeAdded',
      'Age',
    ]))
})
