import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Indenter, indentJson } from '../../../src/codec/indent.ts'

describe('indented JSON', () => {
  it('is what the engine makes of it, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 20 }), (value, size) => {
        const text = JSON.stringify(value)
        const expected = JSON.stringify(JSON.parse(text), undefined, 2)
        expect(indentJson(Buffer.from(text)).toString()).toBe(expected)
        const indenter = new Indenter()
        const bytes = Buffer.from(text)
        const pieces: Buffer[] = []
        for (let i = 0; i < bytes.length; i += size) pieces.push(...indenter.push(bytes.subarray(i, i + size)))
        pieces.push(...indenter.finish())
        expect(Buffer.concat(pieces).toString()).toBe(expected)
      }),
    )
  })

  it('of long strings and great depth comes in pieces', () => {
    const value = ['"\\x'.repeat(50_000), 'é'.repeat(50_000)]
    expect(indentJson(Buffer.from(JSON.stringify(value))).toString()).toBe(JSON.stringify(value, undefined, 2))
    const deep = `${'['.repeat(1000)}${'1,'.repeat(200)}1${']'.repeat(1000)}`
    expect(JSON.parse(indentJson(Buffer.from(deep)).toString())).toEqual(JSON.parse(deep))
  })
})
