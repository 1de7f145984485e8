import { describe, it } from 'vitest'
import { judge } from './judging.ts'
import { VALID } from './valid-objects.ts'

describe('a plain object of every kind', () => {
  it.each(Object.keys(VALID))('%s may be created', (of) => judge({ of, case: '', told: [] }))
  it.each(Object.keys(VALID))('%s may take its own place', (of) => judge({ of, case: '', change: {}, told: [] }))
  it.each(Object.keys(VALID))('%s may be written through its status', (of) =>
    judge({ of, case: '', change: {}, via: 'status', told: [] }),
  )
})
