import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../../../src/kv/embedded/embedded.ts'
import { ABSENT, type Kv, putKey } from '../../../../src/kv/kv.ts'
import { tempFolder } from '../../../rigs/temp-folder.ts'

const { signal } = new AbortController()
const KB = 1024

const KEYS = Array.from({ length: 100 }, (_, i) => `key-${i}`)

/** Writes a kilobyte to every key, so many times, and tells the revisions of one of them. */
async function write(kv: Kv, rounds: number): Promise<number[]> {
  const revisions: number[] = []
  for (let round = 0; round < rounds; round++) {
    const written = KEYS.map(async (key) => {
      const { item } = await kv.get(key, {}, signal)
      return putKey(kv, { key, value: randomBytes(KB), expected: item?.revision ?? ABSENT }, signal)
    })
    revisions.push((await Promise.all(written))[0]!.revision)
  }
  return revisions
}

async function isKept(kv: Kv, at: number): Promise<boolean> {
  try {
    return (await kv.get(KEYS[0]!, { at }, signal)).item?.revision === at
  } catch (error) {
    expect(error).toMatchObject({ code: 'compacted' })
    return false
  }
}

describe('history that is kept beyond compaction', () => {
  it('is all of it while there is room, and then the newest', async () => {
    const kv = await openEmbedded({ dataDir: await tempFolder(), keptBytes: 2048 * KB }, signal)
    const revisions = await write(kv, 5)
    await kv.compact(await kv.newestRevision(signal), signal)
    expect(await isKept(kv, revisions[0]!)).toBe(true)
    revisions.push(...(await write(kv, 25)))
    await kv.compact(await kv.newestRevision(signal), signal)
    const kept = await Promise.all(revisions.map((revision) => isKept(kv, revision)))
    const oldest = kept.indexOf(true)
    expect(kept.slice(oldest).every(Boolean)).toBe(true)
    expect(oldest).toBeGreaterThan(10)
    expect(oldest).toBeLessThan(28)
    await kv.close()
  })

  it('is none where nobody asks for it', async () => {
    const kv = await openEmbedded({ dataDir: await tempFolder() }, signal)
    const revisions = await write(kv, 3)
    await kv.compact(revisions[2]!, signal)
    expect(await isKept(kv, revisions[1]!)).toBe(false)
    expect(await isKept(kv, revisions[2]!)).toBe(true)
    await kv.close()
  })
})
