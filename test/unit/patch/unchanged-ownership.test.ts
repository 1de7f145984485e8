import { describe, expect, it } from 'vitest'
import { EMPTY_SET, setOfFields } from '../../../src/patch/field-set.ts'
import { identityOf, type ManagedEntry, type ManagedFields } from '../../../src/patch/managed-fields.ts'
import { unchangedOwnership } from '../../../src/patch/unchanged-ownership.ts'
import { openWorld } from '../../rigs/api-world.ts'

const { versions } = (await openWorld()).resource('configmaps')
const manager = { name: 'writer', operation: 'Update', apiVersion: 'v1', subresource: '' } as const
const live = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' }, data: { a: '1', b: '1' } }
const now = '2030-01-01T00:01:00Z'

function entry(more: Partial<ManagedEntry> = {}): ManagedEntry {
  return { ...manager, fields: setOfFields(['data.a']), time: '2030-01-01T00:00:00Z', ...more }
}

function after(data: object, ...entries: readonly ManagedEntry[]): ManagedFields | undefined {
  const managed = new Map(entries.map((one) => [identityOf(one), one]))
  const updated = { ...live, data: { ...data } }
  return unchangedOwnership({
    versions,
    manager,
    managed,
    reset: EMPTY_SET,
    live,
    updated,
    neverOwned: setOfFields(['data.never']),
    now,
  })
}

describe('an update by who owns what it writes', () => {
  const other = entry({ name: 'other', fields: setOfFields(['data.b']) })

  it('changes the time of its manager alone', () => {
    const managed = after({ a: '2', b: '1' }, entry(), other)
    expect([...managed!.values()]).toEqual([entry({ time: now }), other])
  })

  it('changes nothing where it says what is there', () => {
    const managed = after(live.data, entry(), other)
    expect([...managed!.values()]).toEqual([entry(), other])
  })

  it.each<[string, object, readonly ManagedEntry[]]>([
    ['it writes what it does not own', { a: '1', b: '2' }, [entry()]],
    ['it writes what another owns too', { a: '2', b: '1' }, [entry(), { ...other, fields: setOfFields(['data.a']) }]],
    ['it leaves out what somebody owns', { a: '1' }, [entry(), other]],
    ['it writes what nobody ever owns', { ...live.data, never: '1' }, [entry({ fields: setOfFields(['data.never']) })]],
    ['somebody owns fields in another version', live.data, [entry({ apiVersion: 'v0' })]],
    ['somebody has no name', live.data, [entry({ name: '' })]],
    ['somebody owns nothing', live.data, [entry({ fields: EMPTY_SET })]],
  ])('is not told of here where %s', (_name, data, entries) => {
    expect(after(data, ...entries)).toBeUndefined()
  })
})
