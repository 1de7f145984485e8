import { describe, expect, it } from 'vitest'
import type { KeyValue } from '../../../src/kv/kv.ts'
import { loadKeys, stepKeys } from '../../../src/store/step-size.ts'

function step(keys: number, bytes: number): readonly KeyValue[] {
  const value = Buffer.alloc(bytes)
  return Array.from({ length: keys }, (_, i) => ({ key: `k${i}`, value, revision: 1, createRevision: 1 }))
}

describe('the next step', () => {
  const rows: Record<string, { previous: readonly KeyValue[] | undefined; keys: number }> = {
    'is of 500 keys where nothing is known': { previous: undefined, keys: 500 },
    'is the same where nothing came': { previous: [], keys: 500 },
    'is larger where objects are small': { previous: step(500, 100), keys: 2_000 },
    'comes to four megabytes': { previous: step(500, 8 << 10), keys: 512 },
    'is small where objects are large': { previous: step(500, 1 << 20), keys: 4 },
    'is never nothing': { previous: step(1, 8 << 20), keys: 1 },
    'is not afraid of the empty': { previous: step(3, 0), keys: 2_000 },
  }
  it.each(Object.entries(rows))('%s', (_, { previous, keys }) => {
    expect(stepKeys(previous)).toBe(keys)
  })
})

describe('a step of a load', () => {
  const rows: Record<string, { previous: readonly KeyValue[]; total: number; keys: number }> = {
    'is as any other where there is little': { previous: step(500, 100), total: 10_000, keys: 2_000 },
    'is a part of what there is where that is much': { previous: step(500, 100), total: 1_000_000, keys: 15_625 },
    'comes to sixteen megabytes at most': { previous: step(500, 8 << 10), total: 1_000_000, keys: 2_048 },
    'comes to four where there is little': { previous: step(500, 8 << 10), total: 10_000, keys: 512 },
  }
  it.each(Object.entries(rows))('%s', (_, { previous, total, keys }) => {
    expect(loadKeys(previous, total)).toBe(keys)
  })
})
