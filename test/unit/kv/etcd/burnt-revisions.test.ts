// Revisions that are passed over by writing.
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { burnRevisions } from '../../../../src/kv/etcd/burnt-revisions.ts'

const order = (revision: number, onProgress: (at: number) => void = () => {}) => ({
  key: 'k',
  value: Buffer.from('v'),
  revision,
  onProgress,
})

it('revisions are passed over up to the goal, and history is compacted on the way', async () => {
  let newest = 10
  const compacted: number[] = []
  const put = async (): Promise<number> => {
    await setImmediate()
    return ++newest
  }
  const compact = async (upTo: number): Promise<void> => void compacted.push(upTo)
  await burnRevisions(order(150_000), { newest, put, compact })
  expect(newest).toBeGreaterThanOrEqual(150_000)
  expect(newest).toBeLessThan(150_000 + 256)
  expect(compacted).toHaveLength(2)
})

it('nothing is written after a write that failed', async () => {
  let writes = 0
  const put = async (): Promise<number> => {
    if (++writes === 300) throw new Error('etcd is away')
    await setImmediate()
    return writes
  }
  await expect(burnRevisions(order(100_000), { newest: 0, put, compact: async () => {} })).rejects.toThrow('is away')
  const atTheEnd = writes
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  expect(writes).toBe(atTheEnd)
})
