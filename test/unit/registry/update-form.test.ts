import { expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { updateFormOf } from '../../../src/registry/update-form.ts'
import { openWorld } from '../../rigs/api-world.ts'

const OWNED = {
  manager: 'somebody',
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
}

it.each([
  ['of nobody are none', {}, undefined],
  ['of somebody stay theirs', { managedFields: [OWNED] }, [OWNED]],
])('managed fields %s after a write through a view', async (_name, more, expected) => {
  const form = updateFormOf((await openWorld()).resource('deployments', 'apps'), 'scale')
  const stored = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', ...more },
    spec: { replicas: 1, selector: { matchLabels: { a: 'b' } } },
  } as unknown as ApiObject
  const { metadata } = form.adopt(form.live(stored), stored)
  expect(metadata['managedFields']).toEqual(expected)
})
