// Informers of types without objects, which they do not watch before there is one.
import { describe, expect, it, onTestFinished } from 'vitest'
import { runInformer } from '../../../src/controllers/informer.ts'
import { KvError } from '../../../src/kv/kv.ts'
import { type CacheTest, openCacheForTest } from '../cache/open-cache.ts'

async function open(seed: readonly string[] = []) {
  const test = await openCacheForTest()
  for (const name of seed) await test.put(name)
  await test.settled()
  const told: string[] = []
  const stop = new AbortController()
  const ended = runInformer(
    test.cache,
    { stored: test.pods },
    {
      onPresent: ({ name }) => void told.push(`present ${name}`),
      onGone: ({ name }) => void told.push(`gone ${name}`),
      onSynced: () => void told.push('synced'),
    },
    stop.signal,
  )
  onTestFinished(async () => {
    stop.abort()
    await ended
    await test[Symbol.asyncDispose]()
  })
  return { test, told, stop, ended }
}

const watchersOf = ({ cache }: CacheTest): number => cache.status().watchers

describe('an informer of a type without objects', () => {
  it('has synced at once and watches nothing', async () => {
    const { test, told } = await open()
    await test.putNode('of another type')
    await test.settled()
    expect(told).toEqual(['synced'])
    expect(watchersOf(test)).toBe(0)
  })

  it('tells of the first object and of all that follows', async () => {
    const { test, told } = await open()
    await test.put('a')
    await expect.poll(() => told, { interval: 1 }).toEqual(['synced', 'present a', 'synced'])
    expect(watchersOf(test)).toBe(1)
    await test.put('b')
    await test.remove('a')
    await expect.poll(() => told.slice(3), { interval: 1 }).toEqual(['present b', 'gone a'])
  })

  it('misses none of many that come at once, nor one that another replica makes', async () => {
    const { test, told } = await open()
    const names = Array.from({ length: 50 }, (_, i) => `p${i}`)
    await Promise.all(names.map((name) => test.put(name, 0, name === 'p0' ? test.other : test.cache)))
    const present = (): readonly string[] => told.filter((line) => line.startsWith('present')).toSorted()
    await expect.poll(present, { interval: 1 }).toEqual(names.map((name) => `present ${name}`).toSorted())
  })

  it('tells of one that was made while the cache had lost its storage', async () => {
    const { test, told } = await open()
    test.kv.breakWatches(new KvError('compacted', 'gone'))
    await test.put('a', 0, test.other)
    await expect.poll(() => told, { interval: 1 }).toContain('present a')
  })

  it('ends when it is stopped', async () => {
    const { stop, ended, told } = await open()
    stop.abort()
    await ended
    expect(told).toEqual(['synced'])
  })
})

it('an informer of a type with objects watches from the start', async () => {
  const { test, told } = await open(['a'])
  await expect.poll(() => told, { interval: 1 }).toEqual(['present a', 'synced'])
  expect(watchersOf(test)).toBe(1)
})
