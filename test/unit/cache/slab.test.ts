import { describe, expect, it } from 'vitest'
import { SlabAllocator, type SlabItem } from '../../../src/cache/slab.ts'

function settle(slabs: SlabAllocator, text: string): SlabItem {
  const bytes = Buffer.from(text)
  const { slab, offset } = slabs.reserve(bytes.length)
  bytes.copy(slab.buffer, offset)
  const item = { slab, offset, length: bytes.length, isCurrent: true }
  slabs.settle(item)
  return item
}

function read({ slab, offset, length }: SlabItem): string {
  const line = slab.buffer.toString('latin1', offset, offset + length + 1)
  expect(line.endsWith('\n')).toBe(true)
  return line.slice(0, -1)
}

describe('bytes in slabs', () => {
  it('lie side by side and stay what they are, whatever goes', () => {
    const slabs = new SlabAllocator()
    const items = new Map<string, SlabItem>()
    for (let i = 0; i < 3_000; i++) {
      const text = `${i}-`.repeat(1 + ((i * 31) % 700))
      items.set(text, settle(slabs, text))
    }
    let i = 0
    for (const item of items.values()) if (i++ % 3 !== 0) slabs.retire(item, i)
    slabs.compact(i)
    for (const [text, item] of items) expect(read(item)).toBe(text)
  })

  it.each([
    ['the least', 0, 4 << 10],
    ['an eighth of what is there', 100_000, 16 << 10],
    ['the most', 9_000_000, 1 << 20],
  ])('get another slab of %s', (_name, present, size) => {
    const slabs = new SlabAllocator()
    const piece = 'x'.repeat(1_000)
    for (let bytes = 0; bytes < present; bytes += piece.length) settle(slabs, piece)
    const { slab } = settle(slabs, piece)
    let next = slab
    while (next === slab) next = settle(slabs, piece).slab
    expect(next.buffer).toHaveLength(size)
  })

  it('are moved only by who placed them', () => {
    const slabs = new SlabAllocator()
    const item = settle(slabs, 'shared')
    new SlabAllocator().retire(item, 1)
    expect([item.isCurrent, item.slab.live]).toEqual([true, 6])
    slabs.retire(item, 1)
    expect([item.isCurrent, item.slab.live]).toEqual([false, 0])
  })

  it('move together where most of a slab has gone, once the history has forgotten it, and let go of it', () => {
    const slabs = new SlabAllocator()
    const many = Array.from({ length: 10_000 }, (_, i) => settle(slabs, `${i}`.padStart(1_000, '.')))
    const kept = many.filter((_, i) => i % 10 === 0)
    const bytes = (): number => [...new Set(kept.map(({ slab }) => slab))].reduce((sum, s) => sum + s.buffer.length, 0)
    for (const [i, item] of many.entries()) if (i % 10 !== 0) slabs.retire(item, 7)
    const before = bytes()
    slabs.compact(6)
    expect(bytes()).toBe(before)
    slabs.compact(7)
    expect(bytes()).toBeLessThan(before / 3)
    for (const [i, item] of kept.entries()) expect(Number(read(item).replaceAll('.', ''))).toBe(i * 10)
  })

  it('move a few megabytes at once, and the rest later', () => {
    const slabs = new SlabAllocator()
    const many = Array.from({ length: 6_000 }, (_, i) => settle(slabs, `${i}`.padStart(10_000, '.')))
    const places = new Map(many.map((item) => [item, item.slab]))
    for (const [i, item] of many.entries()) if (i % 3 !== 0) slabs.retire(item, 7)
    const kept = many.filter(({ isCurrent }) => isCurrent)
    const stay = (): number => kept.filter((item) => item.slab === places.get(item)).length
    slabs.compact(7)
    const left = stay()
    expect([left > kept.length / 2, left < kept.length]).toEqual([true, true])
    for (let i = 0; i < 3; i++) slabs.compact(7)
    expect(stay()).toBeLessThan(kept.length / 10)
  })

  it('have one of their own where they are large', () => {
    const slabs = new SlabAllocator()
    const small = settle(slabs, 'small')
    const large = settle(slabs, 'x'.repeat(500_000))
    expect(large.slab).not.toBe(small.slab)
    expect(large.slab.buffer).toHaveLength(500_001)
    expect(settle(slabs, 'small').slab).toBe(small.slab)
  })
})
