import { describe, expect, it } from 'vitest'
import { formatGroupVersion } from '../../../src/api/object.ts'
import { builtInGroups } from '../../../src/schema/built-in-resources.ts'
import { judge } from './judging.ts'
import { VALID } from './valid-objects.ts'

describe('a plain object of every kind', () => {
  it('leaves out no kind that is stored', () => {
    const resources = builtInGroups().flatMap(({ versions }) => versions.flatMap((version) => version.resources))
    const stored = resources.filter(
      ({ kind }) => !kind.endsWith('Review') && !['Binding', 'ComponentStatus'].includes(kind),
    )
    const kinds = stored.map((resource) => `${formatGroupVersion(resource)} ${resource.kind}`)
    expect(kinds.filter((kind) => VALID[kind] === undefined)).toEqual([])
  })

  it.each(Object.keys(VALID))('%s may be created', (of) => judge({ of, case: '', told: [] }))
  it.each(Object.keys(VALID))('%s may take its own place', (of) => judge({ of, case: '', change: {}, told: [] }))
  it.each(Object.keys(VALID))('%s may be written through its status', (of) =>
    judge({ of, case: '', change: {}, via: 'status', told: [] }),
  )
})
