import { expect, it } from 'vitest'
import { EMPTY_SET, setOfFields } from '../../../src/patch/field-set.ts'
import { identityOf, type ManagedEntry } from '../../../src/patch/managed-fields.ts'
import { ownershipAfterUpdate } from '../../../src/patch/ownership.ts'
import { openWorld } from '../../rigs/api-world.ts'

const { versions } = (await openWorld()).resource('configmaps')

function entry(name: string, apiVersion: string, field: string): ManagedEntry {
  return { name, operation: 'Update', apiVersion, subresource: '', fields: setOfFields([field]), time: undefined }
}

it('who wrote in a version that nobody knows any more owns nothing after the next write', () => {
  const [known, forgotten] = [entry('known', 'v1', 'data.a'), entry('forgotten', 'v0', 'data.b')]
  const managed = new Map([known, forgotten].map((one) => [identityOf(one), one]))
  const live = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' }, data: { a: '1', b: '1' } }
  const manager = { name: 'writer', operation: 'Update', apiVersion: 'v1', subresource: '' } as const
  const updated = { ...live, data: { ...live.data, c: '1' } }
  const after = ownershipAfterUpdate({ versions, manager, managed, reset: EMPTY_SET, live }, updated)
  expect([...after.values()].map(({ name }) => name).sort()).toEqual(['known', 'writer'])
})
