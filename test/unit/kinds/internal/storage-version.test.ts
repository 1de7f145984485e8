import { describe, it } from 'vitest'
import { expectColumns } from '../columns.ts'

describe('columns', () => {
  it('internal.apiserver.k8s.io StorageVersion has these columns', () =>
    expectColumns('internal.apiserver.k8s.io StorageVersion', [
      'Name : string name',
      'CommonEncodingVersion',
      'StorageVersions',
      'Age',
    ]))
})
