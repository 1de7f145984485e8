import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  decodeEntry,
  decodeState,
  decodeVersionKey,
  encodeBound,
  encodeEntry,
  encodeState,
  encodeVersionKey,
  type LogEntry,
} from '../../../../src/kv/embedded/records.ts'
import { MAX_KEY_BYTES } from '../../../../src/kv/embedded/request-check.ts'

const entry: LogEntry = {
  key: '/registry/pods/default/ä',
  revision: 2 ** 47 + 5,
  createRevision: 7,
  previousRevision: 9,
  deadlineMs: 1_900_000_000_123,
  value: Buffer.from('value'),
}

it.each([
  ['a put', entry],
  ['a put of nothing', { ...entry, value: Buffer.alloc(0) }],
  ['a delete', { ...entry, value: undefined, createRevision: 0, deadlineMs: 0 }],
])('%s is read as it was written', (_, written) => {
  expect(decodeEntry(encodeEntry(written), written.revision)).toEqual(written)
})

it('a record with any bit turned is corrupt', () => {
  const bytes = encodeEntry(entry)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => decodeEntry(damaged, entry.revision)).toThrow(expect.objectContaining({ code: 'corrupt' }))
  }
})

it('a record in the place of another, or cut short, is corrupt', () => {
  const bytes = encodeEntry(entry)
  expect(() => decodeEntry(bytes, entry.revision + 1)).toThrow(expect.objectContaining({ code: 'corrupt' }))
  expect(() => decodeEntry(bytes.subarray(0, -1), entry.revision)).toThrow(expect.objectContaining({ code: 'corrupt' }))
  expect(() => decodeEntry(Buffer.alloc(0), entry.revision)).toThrow(expect.objectContaining({ code: 'corrupt' }))
})

it('the state of a key is read as it was written, and of the wrong length is corrupt', () => {
  const { revision, createRevision, deadlineMs } = entry
  const bytes = encodeState(entry)
  expect(decodeState(bytes)).toEqual({ revision, createRevision, deadlineMs })
  expect(() => decodeState(bytes.subarray(1))).toThrow(expect.objectContaining({ code: 'corrupt' }))
})

it('versions sort by key and then by revision, whatever bytes the keys have', () => {
  const byte = fc.constantFrom(0, 1, 0x61, 0xfe, 0xff)
  const version = fc.record({
    key: fc.array(byte, { maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    revision: fc.integer({ min: 0, max: 300 }),
  })
  fc.assert(
    fc.property(version, version, (a, b) => {
      const wanted = Buffer.compare(a.key, b.key) || Math.sign(a.revision - b.revision)
      const [x, y] = [encodeVersionKey(a.key, a.revision), encodeVersionKey(b.key, b.revision)]
      const back = decodeVersionKey(x)
      return Buffer.compare(x, y) === wanted && back.revision === a.revision && back.key.equals(a.key)
    }),
    { numRuns: 2000 },
  )
})

it('a bound that is longer than any key has every key on the side it had', () => {
  const longest = 'k'.repeat(MAX_KEY_BYTES)
  const keys = [longest, `${longest.slice(1)}z`, `${longest.slice(1)}a`, `${longest.slice(2)}\0`, 'k', 'z']
  const behind = ['k', 'kk', '\0', '\0\0', 'z\0z', 'ä', 'k\0', 'k'.repeat(5000)]
  for (const bound of [...behind.map((end) => longest + end), '\0'.repeat(3000), `${longest.slice(2)}\0\0\0`]) {
    const [cut, whole] = [encodeBound(bound), Buffer.from(bound)]
    const version = encodeVersionKey(cut, 0)
    expect(version.length).toBeLessThan(1978)
    for (const key of keys) {
      const wanted = Buffer.compare(Buffer.from(key), whole)
      expect(Buffer.compare(Buffer.from(key), cut)).toBe(wanted)
      expect(Buffer.compare(encodeVersionKey(Buffer.from(key), 7), version)).toBe(wanted)
    }
  }
})
