import { describe, expect, it } from 'vitest'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { ABSENT, type Kv, KvError, putKey } from '../../../src/kv/kv.ts'
import { FORMAT_KEY, newerFormat } from '../../../src/store/storage-format.ts'

const PREFIX = '/registry/'
const KEY = `${PREFIX}${FORMAT_KEY}`
const { signal } = new AbortController()

async function stored(kv: Kv): Promise<string | undefined> {
  return (await kv.get(KEY, {}, signal)).item?.value.toString()
}

async function storeWith(text: string): Promise<Kv> {
  const kv = openMemory()
  await putKey(kv, { key: KEY, value: Buffer.from(text), expected: ABSENT }, signal)
  return kv
}

describe('the record of a store', () => {
  it('is written once', async () => {
    const kv = openMemory()
    expect(await newerFormat(kv, PREFIX, signal)).toBeUndefined()
    expect(await stored(kv)).toBe('{"level":1,"needs":"0.1.0"}')
    const before = await kv.newestRevision(signal)
    expect(await newerFormat(kv, PREFIX, signal)).toBeUndefined()
    expect(await kv.newestRevision(signal)).toBe(before)
  })

  it('is written once by servers that start together', async () => {
    const kv = openMemory()
    const before = await kv.newestRevision(signal)
    const all = await Promise.all(Array.from({ length: 3 }, () => newerFormat(kv, PREFIX, signal)))
    expect(all).toEqual([undefined, undefined, undefined])
    expect(await kv.newestRevision(signal)).toBe(before + 1)
  })

  it('of a newer version is told, and stays as it is', async () => {
    const text = '{"level":2,"needs":"0.9.0","more":"than we know"}'
    const kv = await storeWith(text)
    expect(await newerFormat(kv, PREFIX, signal)).toMatchObject({ level: 2, needs: '0.9.0' })
    expect(await stored(kv)).toBe(text)
  })

  it.each(['', 'level 2', 'null', '{}', '{"level":"2","needs":"0.9.0"}', '{"level":1.5,"needs":"0.9.0"}'])(
    'is not guessed from %j',
    async (text) => {
      await expect(newerFormat(await storeWith(text), PREFIX, signal)).rejects.toMatchObject({ code: 'corrupt' })
    },
  )

  it('is done without where the store is full', async () => {
    const kv = openMemory()
    const full = {
      get: kv.get.bind(kv),
      commit: () => Promise.reject(new KvError('full', 'no space')),
    }
    expect(await newerFormat(full, PREFIX, signal)).toBeUndefined()
  })
})
