import { describe, expect, it } from 'vitest'
import { nameSuffix, type Random, seededRandom, systemRandom } from '../../../src/lib/random.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function drawn(random: Random): readonly unknown[] {
  return Array.from({ length: 20 }, () => [random.uuid(), random.below(1000), nameSuffix(random)])
}

describe('chance with a seed', () => {
  it('is the same for the same seed and purpose', () => {
    expect(drawn(seededRandom('a', 'objects'))).toEqual(drawn(seededRandom('a', 'objects')))
  })

  it.each([
    ['seed', seededRandom('b', 'objects')],
    ['purpose', seededRandom('a', 'tokens')],
    ['purpose that runs on from the seed', seededRandom('a","objects', '')],
  ])('is another for another %s', (_name, other) => {
    const first = drawn(seededRandom('a', 'objects')).flat()
    expect(
      drawn(other)
        .flat()
        .filter((one) => typeof one === 'string' && first.includes(one)),
    ).toEqual([])
  })
})

describe.each([
  ['the system', systemRandom],
  ['a seed', seededRandom('a', 'b')],
])('chance by %s', (_name, random) => {
  it('gives UUIDs of version 4, no two alike', () => {
    const uuids = Array.from({ length: 200 }, () => random.uuid())
    expect(uuids.filter((uuid) => !UUID.test(uuid))).toEqual([])
    expect(new Set(uuids).size).toBe(200)
  })

  it('gives every number below the limit, and none besides', () => {
    const numbers = new Set(Array.from({ length: 500 }, () => random.below(7)))
    expect(numbers).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]))
    expect(random.below(2 ** 47)).toBeLessThan(2 ** 47)
  })

  it('ends names with five letters or digits', () =>
    expect(nameSuffix(random)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/))
})
