import { describe, expect, it } from 'vitest'
import { CheckedPatterns } from '../../../../src/schema/validation/checked-patterns.ts'

const TOO_LARGE = 'error parsing regexp: expression too large'

describe('the patterns of a definition', () => {
  it('are told apart: good ones, and those that are none', () => {
    const patterns = new CheckedPatterns()
    expect(patterns.faultOf('^[a-z]+$')).toBeUndefined()
    expect(patterns.faultOf('(')).toContain('error parsing regexp')
    expect(patterns.faultOf('(')).toContain('error parsing regexp')
  })

  it('are too large beyond a length, and no longer ones are', () => {
    const patterns = new CheckedPatterns()
    expect(patterns.faultOf('a'.repeat(10_000))).toBeUndefined()
    expect(patterns.faultOf('a'.repeat(10_001))).toBe(TOO_LARGE)
  })

  it('are too large together, and one that is there again does not count', () => {
    const patterns = new CheckedPatterns()
    for (let i = 0; i < 1_000; i++) expect(patterns.faultOf('b'.repeat(9_000))).toBeUndefined()
    for (let i = 0; i < 9; i++) expect(patterns.faultOf(`${i}${'a'.repeat(9_999)}`)).toBeUndefined()
    expect(patterns.faultOf('c'.repeat(9_000))).toBe(TOO_LARGE)
  })
})
