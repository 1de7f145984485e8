import { expect, it } from 'vitest'
import { appliedFields } from '../../../src/patch/applied-fields.ts'
import { EMPTY_SET } from '../../../src/patch/field-set.ts'
import { FieldSetMemo } from '../../../src/patch/field-set-memo.ts'
import { kindOf } from '../../corpora/built-in-kinds.ts'

it.each([
  ['without a group', 'v1', 'ConfigMap', '', '/v1, Kind=ConfigMap'],
  ['of a group', 'apps/v1', 'Deployment', 'apps', 'apps/v1, Kind=Deployment'],
])('a document %s that does not fit is refused with its version and kind', (_name, apiVersion, kind, group, said) => {
  const to = { apiVersion, shape: kindOf(kind, group).shape, subresource: '', reset: EMPTY_SET }
  const document = { apiVersion, kind, metadata: { namespace: 'ns', name: 'a', labels: 'none' } }
  expect(() => appliedFields({ ...to, sets: new FieldSetMemo() }, document)).toThrow(
    `failed to create typed patch object (ns/a; ${said}): .metadata.labels: expected map, got &{none}`,
  )
})
