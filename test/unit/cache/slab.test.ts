import { describe, expect, it } from 'vitest'
import { SlabAllocator, type Tenant } from '../../../src/cache/slab.ts'

function settle(slabs: SlabAllocator, text: string): Tenant {
  const bytes = Buffer.from(text)
  const { slab, offset } = slabs.reserve(bytes.length)
  bytes.copy(slab.buffer, offset)
  const tenant = { slab, offset, length: bytes.length, isCurrent: true }
  slabs.settle(tenant)
  return tenant
}

function read({ slab, offset, length }: Tenant): string {
  const line = slab.buffer.toString('latin1', offset, offset + length + 1)
  expect(line.endsWith('\n')).toBe(true)
  return line.slice(0, -1)
}

describe('bytes in slabs', () => {
  it('lie side by side and stay what they are, whatever goes', () => {
    const slabs = new SlabAllocator()
    const tenants = new Map<string, Tenant>()
    for (let i = 0; i < 3_000; i++) {
      const text = `${i}-`.repeat(1 + ((i * 31) % 700))
      tenants.set(text, settle(slabs, text))
    }
    let i = 0
    for (const tenant of tenants.values()) if (i++ % 3 !== 0) slabs.retire(tenant)
    for (const [text, tenant] of tenants) expect(read(tenant)).toBe(text)
  })

  it('move together where most of a slab has gone, and let go of it', () => {
    const slabs = new SlabAllocator()
    const many = Array.from({ length: 10_000 }, (_, i) => settle(slabs, `${i}`.padStart(1_000, '.')))
    const before = new Set(many.map(({ slab }) => slab))
    const kept = many.filter((_, i) => i % 10 === 0)
    for (const [i, tenant] of many.entries()) if (i % 10 !== 0) slabs.retire(tenant)
    const after = new Set(kept.map(({ slab }) => slab))
    const bytes = (all: ReadonlySet<Tenant['slab']>): number =>
      [...all].reduce((sum, { buffer }) => sum + buffer.length, 0)
    expect(bytes(after)).toBeLessThan(bytes(before) / 3)
    for (const [i, tenant] of kept.entries()) expect(Number(read(tenant).replaceAll('.', ''))).toBe(i * 10)
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
