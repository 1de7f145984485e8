import * as fc from 'fast-check'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
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
  sub: 3,
  createRevision: 7,
  previousRevision: 9,
  previousSub: 2 ** 33,
  version: 12,
  lease: -(2n ** 63n),
  deadlineMs: 1_900_000_000_123,
  value: Buffer.from('value'),
}

const BY_ITSELF = { sub: 0, previousSub: 0, lease: 0n }

it.each([
  ['a put', entry],
  ['a put of nothing', { ...entry, value: Buffer.alloc(0) }],
  ['a put by itself', { ...entry, ...BY_ITSELF, createRevision: entry.revision, version: 1 }],
  ['a put of a key that is not UTF-8', { ...entry, key: '/a\udcff\udc80ä\u{1f600}\udce4' }],
  ['a delete', { ...entry, value: undefined, createRevision: 0, deadlineMs: 0, version: 0, lease: 0n }],
  ['a delete by itself', { ...entry, ...BY_ITSELF, value: undefined, createRevision: 0, deadlineMs: 0, version: 0 }],
])('%s is read as it was written', (_, written) => {
  expect(decodeEntry(encodeEntry(written), written.revision)).toEqual(written)
})

it('a record of another key than it is looked for by is corrupt', () => {
  const bytes = encodeEntry(entry)
  expect(decodeEntry(bytes, entry.revision, Buffer.from(entry.key))).toEqual(entry)
  for (const key of ['/registry/pods/default/b', '/registry/pods/default/', '']) {
    const read = () => decodeEntry(bytes, entry.revision, Buffer.from(key))
    expect(read).toThrow(expect.objectContaining({ code: 'corrupt', message: expect.stringContaining('another key') }))
  }
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
  const { revision, sub, createRevision, deadlineMs, version, lease } = entry
  const bytes = encodeState(entry)
  expect(decodeState(bytes)).toEqual({ revision, sub, createRevision, deadlineMs, version, lease })
  const withoutLease = { revision, sub, createRevision, deadlineMs, version, lease: 0n }
  expect(decodeState(encodeState(withoutLease))).toEqual(withoutLease)
  expect(() => decodeState(bytes.subarray(1))).toThrow(expect.objectContaining({ code: 'corrupt' }))
})

describe('records of format 1', () => {
  // Written by the last version that had it: revision 9 of the key `/a`, made by revision 4, and a delete of it as revision 10.
  const put = Buffer.from('0100000000000900000000000400000000000400000000000000022f6176', 'hex')
  const removal = Buffer.from('0200000000000a00000000000000000000000900000000000000022f61', 'hex')
  const withSum = (record: Buffer): Buffer => {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(record))
    return Buffer.concat([sum, record])
  }

  it('are read, with the least that can be said of what they do not tell', () => {
    expect(decodeEntry(withSum(put), 9)).toEqual({
      key: '/a',
      revision: 9,
      createRevision: 4,
      previousRevision: 4,
      deadlineMs: 0,
      value: Buffer.from('v'),
      ...BY_ITSELF,
      version: 2,
    })
    expect(decodeEntry(withSum(removal), 10)).toMatchObject({ key: '/a', value: undefined, version: 0, ...BY_ITSELF })
    const state = Buffer.from('000000000009000000000004000000000000', 'hex')
    expect(decodeState(state)).toEqual({ revision: 9, createRevision: 4, deadlineMs: 0, version: 2, sub: 0, lease: 0n })
  })

  it('are what a first write by itself and a delete by itself still are', () => {
    const first = { ...entry, ...BY_ITSELF, revision: 9, createRevision: 9, previousRevision: 0, version: 1 }
    expect(encodeState({ ...first, deadlineMs: 0 }).toString('hex')).toBe('000000000009000000000009000000000000')
    const removed = { ...first, key: '/a', revision: 10, createRevision: 0, previousRevision: 9, version: 0 }
    expect(encodeEntry({ ...removed, deadlineMs: 0, value: undefined })).toEqual(withSum(removal))
  })
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
