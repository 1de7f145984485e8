import { expect, it } from 'vitest'
import { ADMIT_ALL, type Admission } from '../../../src/admission/admission.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { createObject } from '../../../src/registry/create.ts'
import { updateObject } from '../../../src/registry/update.ts'
import { openWorld } from '../../rigs/api-world.ts'

const world = await openWorld()
const maps = world.resource('configmaps')

const OLD_OWNER = {
  manager: 'old',
  operation: 'Update',
  apiVersion: 'v0',
  time: '2030-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:a': {} } },
}

/** Updates a config map that has an owner by v0, a version that a webhook converts to and from. */
async function updated(name: string, convertElsewhere: (object: ValueMap, apiVersion: string) => Promise<ValueMap>) {
  let admitted = 0
  const mutate: Admission['mutate'] = () => void admitted++
  const parts = { ...world.parts, admission: { ...ADMIT_ALL, mutate } }
  const versions = { ...maps.versions, shape: () => maps.versions.shape('v1'), convertElsewhere }
  const resource = { ...maps, versions }
  const sent = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, managedFields: [OLD_OWNER] }, data: { a: '1' } }
  await createObject(parts, resource, sent, world.context())
  admitted = 0
  const wanted = (live?: ApiObject): ApiObject => ({ ...live!, data: { a: '2', b: '2' } })
  const request = { name, subresource: '', wanted, tracksFields: false, absent: 'refuse', uid: '' } as const
  const { object } = await updateObject(parts, resource, request, world.context())
  const written = 'object' in object && typeof object.object === 'function' ? object.object() : object
  return { written: written as ApiObject, owners: JSON.stringify((written as ApiObject).metadata), admitted }
}

it('a write does not fail where another version of the object cannot be had', async () => {
  const { written, owners } = await updated('lost', () => Promise.reject(new ApiError('', 'the webhook is away')))
  expect(written).toMatchObject({ data: { a: '2', b: '2' } })
  expect(owners).toContain('"manager":"test"')
})

it('all conversions are found before admission is asked', async () => {
  const asked: string[] = []
  const { owners, admitted } = await updated('found', (object, apiVersion) => {
    asked.push(apiVersion)
    return Promise.resolve({ ...object, apiVersion })
  })
  expect(asked).toContain('v0')
  expect(owners).toContain('"manager":"test"')
  expect(owners).not.toContain('"manager":"old"')
  expect(admitted).toBe(1)
})
