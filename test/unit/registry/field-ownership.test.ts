import { expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { EMPTY_SET } from '../../../src/patch/field-set.ts'
import { withOwners } from '../../../src/registry/field-ownership.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

const { signal } = new AbortController()
const { versions } = new ApiWorld().resource('configmaps')

it('a write does not fail where another version of the object cannot be had', async () => {
  const live = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: 'c',
      uid: 'u',
      managedFields: [
        {
          manager: 'old',
          operation: 'Update',
          apiVersion: 'v0',
          time: '2030-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ],
    },
    data: { a: '1' },
  }
  const convertElsewhere = (): Promise<never> => Promise.reject(new ApiError('', 'the webhook is away'))
  const served = { ...versions, shape: () => versions.shape('v1'), convertElsewhere }
  const request = {
    versions: served,
    apiVersion: 'v1',
    manager: 'new',
    subresource: '',
    reset: EMPTY_SET,
    now: '2030-01-01T00:01:00Z',
    live,
  }
  const updated = { ...live, data: { a: '1', b: '2' } } as ApiObject
  const written = await withOwners(request, updated, { offload: undefined, signal })
  expect(written).toMatchObject({ data: { a: '1', b: '2' } })
  expect(JSON.stringify(written.metadata['managedFields'])).toContain('"manager":"new"')
})
