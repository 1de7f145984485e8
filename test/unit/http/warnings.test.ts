import { describe, expect, it } from 'vitest'
import { formatWarnings } from '../../../src/http/warnings.ts'

describe('warnings', () => {
  it('are quoted', () => {
    expect(formatWarnings(['say "a"', 'b'])).toEqual(['299 - "say \\"a\\""', '299 - "b"'])
  })

  it('are cut where there are too many, and never break a header', () => {
    const lines = formatWarnings([...Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(400)}`), 'a\nb'])
    expect(lines).toHaveLength(16)
    expect(lines.every((line) => line.length === 256 + '299 - ""'.length)).toBe(true)
    expect(formatWarnings(['a\nb'])).toEqual([])
  })

  it('of other alphabets are sent as UTF-8', () => {
    expect(Buffer.from(formatWarnings(['grün'])[0]!, 'latin1').toString()).toBe('299 - "grün"')
  })
})
