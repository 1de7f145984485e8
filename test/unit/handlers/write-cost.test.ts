import { expect, it } from 'vitest'
import { writeCost } from '../../../src/handlers/write-cost.ts'
import { seededRandom } from '../../../src/lib/random.ts'

const random = seededRandom('write-cost', 'samples')
const map = (entries: number): Buffer =>
  Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: entries }, (_, i) => [`key-${i}`, 'v']))))

it('a large body is estimated from samples as one is that is counted', () => {
  const costOf = (entries: number): number => writeCost(map(entries), undefined, random) / entries
  expect(costOf(100_000) / costOf(5000)).toBeCloseTo(1, 0)
})

it('values cannot hide in a part of a large body', () => {
  const blanks = ' '.repeat(1_000_000)
  const hidden = Buffer.from(`{"a":1,${blanks}"b":${map(20_000).toString()},${blanks}"c":1}`)
  const alone = writeCost(map(20_000), undefined, random)
  expect(writeCost(hidden, undefined, random)).toBeGreaterThan(0.5 * alone)
})

const IN_PLACE_MS = 10

it.each([
  ['letters', Buffer.alloc(16_384, 'x')],
  ['zeros', Buffer.alloc(16_384)],
  ['lines of text', Buffer.from(`text: |\n${`  ${'word '.repeat(15)}\n`.repeat(200)}`)],
])('16 KB of %s do not need a thread', (_, body) => {
  expect(writeCost(body, undefined, random)).toBeLessThan(IN_PLACE_MS)
})

it.each([
  ['YAML', Buffer.from('a:\n'.repeat(5000))],
  ['CBOR', Buffer.alloc(16_384, 0x81)],
  ['protobuf', Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(16_384, 1)])],
])('many small values in %s do', (_, body) => {
  expect(writeCost(body, undefined, random)).toBeGreaterThan(IN_PLACE_MS)
})
