import { expect, it } from 'vitest'
import type { CachedObject } from '../../../src/cache/cached-object.ts'
import { OwnWrites } from '../../../src/cache/own-writes.ts'
import type { WriteResult } from '../../../src/store/store.ts'

const put = (revision: number): WriteResult => ({ kind: 'put', object: { revision }, created: false }) as never

it('what was written is known until the cache has it, and as up to date', () => {
  const writes = new OwnWrites()
  writes.remember('a', put(5), 4)
  writes.remember('b', put(6), 4)
  expect(writes.find('a')).toEqual({ revision: 5, current: { item: { revision: 5 }, stale: false } })
  writes.forgetUpTo(5)
  expect(writes.find('a')).toBeUndefined()
  expect(writes.find('b')?.revision).toBe(6)
})

it('what was removed is known as removed', () => {
  const writes = new OwnWrites()
  writes.remember('a', { kind: 'removed', object: { revision: 7 } } as never, 4)
  expect(writes.find('a')).toEqual({ revision: 7, current: undefined })
})

it('what the cache has already, and what was not written, is not remembered', () => {
  const writes = new OwnWrites()
  writes.remember('a', put(5), 5)
  writes.remember('b', { kind: 'kept', object: undefined }, 0)
  expect([writes.find('a'), writes.find('b')]).toEqual([undefined, undefined])
})

it('what was written again does not keep what was written in between', () => {
  const writes = new OwnWrites()
  for (const [at, key] of ['a', 'b', 'a'].entries()) writes.remember(key, put(5 + at), 4)
  writes.forgetUpTo(6)
  expect(writes.find('b')).toBeUndefined()
  expect(writes.find('a')?.revision).toBe(7)
})

it('of an object, whichever is newer counts: what was written here or what the cache has', () => {
  const writes = new OwnWrites()
  const cached = (revision: number) => ({ kind: 'object', revision, stale: true }) as CachedObject
  expect(writes.newest('a', undefined)).toBeUndefined()
  expect(writes.newest('a', cached(4))).toEqual({ item: cached(4), stale: true })
  writes.remember('a', put(5), 4)
  expect(writes.newest('a', cached(4))).toEqual({ item: { revision: 5 }, stale: false })
  expect(writes.newest('a', undefined)).toEqual({ item: { revision: 5 }, stale: false })
  expect(writes.newest('a', cached(6))).toEqual({ item: cached(6), stale: true })
})
