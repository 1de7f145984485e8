import { array, assert, property, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatheredBytes } from '../../../src/wire/gathered-bytes.ts'

function gathered(pieces: readonly Buffer[]): GatheredBytes {
  const bytes = new GatheredBytes()
  for (const piece of pieces) bytes.add(piece)
  return bytes
}

describe('gathered bytes', () => {
  it('are what came, in order', () => {
    assert(
      property(array(uint8Array({ maxLength: 9000 }), { maxLength: 20 }), (arrays) => {
        const pieces = arrays.map((array) => Buffer.from(array))
        const bytes = gathered(pieces)
        const all = Buffer.concat(pieces)
        expect(bytes.length).toBe(all.length)
        expect(bytes.take().equals(all)).toBe(true)
        expect(bytes.length).toBe(0)
        expect(bytes.take()).toHaveLength(0)
      }),
    )
  })

  it('do not change with the piece they were copied from, nor after they were taken', () => {
    const piece = Buffer.from('bbbb')
    const bytes = gathered([Buffer.from('aaaa'), piece])
    piece.fill('x')
    const taken = bytes.take()
    bytes.add(Buffer.from('cccc'))
    bytes.add(Buffer.from('dddd'))
    expect(taken.toString()).toBe('aaaabbbb')
  })

  it('are not copied where they came as one', () => {
    const piece = Buffer.allocUnsafeSlow(10_000)
    expect(gathered([piece]).take().buffer).toBe(piece.buffer)
  })

  it.each([
    ['a byte of a large read', [1]],
    ['a byte each', Array.from({ length: 100_000 }, () => 1)],
    ['as TLS gives them', Array.from({ length: 188 }, () => 16_384)],
  ])('keep a small multiple of what came: %s', (_name, lengths) => {
    const read = Buffer.allocUnsafeSlow(65_536)
    const taken = gathered(lengths.map((length) => read.subarray(0, length))).take()
    expect(taken.buffer.byteLength).toBeLessThanOrEqual(Math.max(4096, 2 * taken.length))
  })
})
