import { describe, expect, it } from 'vitest'
import { WarningList } from '../../../src/http/warnings.ts'
import { outOfProportion } from '../../rigs/processor-time.ts'

function headersOf(texts: Iterable<string>): string[] {
  const list = new WarningList()
  for (const text of texts) list.add(text)
  return list.headers()
}

describe('warnings (R-273, P-233, W-419 to W-422)', () => {
  it('are quoted', () => {
    expect(headersOf(['say "a"', 'b'])).toEqual(['299 - "say \\"a\\""', '299 - "b"'])
  })

  it('are said once', () => {
    expect(headersOf(['a', 'b', 'a'])).toEqual(['299 - "a"', '299 - "b"'])
  })

  it('are cut where there are too many, and never break a header', () => {
    const lines = headersOf([...Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(400)}`), 'a\nb'])
    expect(lines).toHaveLength(16)
    expect(lines.every((line) => line.length === 256 + '299 - ""'.length)).toBe(true)
    expect(headersOf(['a\nb'])).toEqual([])
  })

  it('are whole where all of them fit, and not beyond', () => {
    expect(headersOf(['x'.repeat(4096)])[0]).toHaveLength(4096 + '299 - ""'.length)
    expect(headersOf(['x'.repeat(4097)])[0]).toHaveLength(256 + '299 - ""'.length)
  })

  it('end with the one that is still too much', () => {
    const lines = headersOf(Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(200)}`))
    expect(lines).toHaveLength(21)
  })

  it('of other alphabets are sent as UTF-8', () => {
    expect(Buffer.from(headersOf(['grün'])[0]!, 'latin1').toString()).toBe('299 - "grün"')
    expect(Buffer.from(headersOf(['🚀'.repeat(5000)])[0]!, 'latin1').toString()).toBe(`299 - "${'🚀'.repeat(256)}"`)
  })

  it('cost no more than they are many', () => {
    expect(outOfProportion(200_000, (size) => headersOf(Array.from({ length: size }, (_, i) => `${i}`)))).toBe('')
  })
})
