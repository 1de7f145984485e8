import { describe, expect, it } from 'vitest'
import type { KeyValue } from '../../../src/kv/kv.ts'
import { stepKeys } from '../../../src/store/step-size.ts'

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
