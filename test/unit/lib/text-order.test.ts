import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareTexts } from '../../../src/lib/text-order.ts'

describe('the order of texts', () => {
  it('is that of their bytes, beyond the basic plane too', () => {
    const texts = string({ unit: constantFrom('', 'a', 'b', 'é', '\ud7ff', '\ue000', '\uff5e', '😀', '🙃') })
    assert(
      property(texts, texts, (a, b) => {
        expect(Math.sign(compareTexts(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })
})
