// The table of kinds against what is served: a kind that is left out would be taken as it comes, without a word.
import { describe, expect, it } from 'vitest'
import { kindOf } from '../../../src/kinds/kinds.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'

/** Nobody writes it. */
const READ_ONLY = 'ComponentStatus'

describe('the table of kinds', () => {
  it('has rules for every kind that is served', () => {
    const rows = builtInGroups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    const lacking = rows.filter((row) => row.kind !== READ_ONLY && kindOf(row).validation === undefined)
    expect(lacking.map(({ group, kind }) => `${group}/${kind}`)).toEqual([])
  })

  it('knows nothing particular of a kind that is not built in', () => {
    expect(kindOf({ group: 'example.com', kind: 'Widget' })).toEqual({})
    expect(kindOf({ group: 'constructor', kind: 'name' })).toEqual({})
    expect(kindOf({ group: '', kind: 'toString' })).toEqual({})
  })
})
