import { describe, expect, it } from 'vitest'
import type { StoredObject } from '../../../src/api/read.ts'
import { CacheCheck } from '../../../src/cache/cache-check.ts'
import type { ListPage, ListRequest, Store } from '../../../src/store/store.ts'
import { BytesObject } from '../../../src/store/stored-object.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'
import { type CacheTest, openCacheForTest } from './open-cache.ts'

type Tamper = (objects: readonly StoredObject[]) => readonly StoredObject[]

const HEALTHY: Tamper = (objects) => objects

describe('the comparison of the watch cache with the storage', () => {
  it('takes a page of a type at a time, all types in turn', async () => {
    await using test = await openCacheForTest({ resources: [pods, nodes] })
    for (let i = 0; i < 1100; i++) await test.put(`p${i}`)
    await test.putNode('n')
    await test.settled()
    const { check, asked } = newCheck(test)
    for (let step = 0; step < 5; step++) await check.step(test.signal)
    expect(asked.map(({ resource, limit }) => [resource.resource, limit])).toEqual([
      ['nodes', 500],
      ['pods', 500],
      ['pods', 500],
      ['pods', 500],
      ['nodes', 500],
    ])
    expect([countOf(check, 'pods', 'success'), countOf(check, 'nodes', 'success')]).toEqual([3, 2])
    check.check.check()
  })

  it('takes fewer objects at a time where they are large', async () => {
    await using test = await openCacheForTest()
    const spec = { text: 'x'.repeat(1_000_000) }
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'd' }, spec }
      const key = { resource: pods, namespace: 'd', name }
      await test.cache.write(key, () => ({ kind: 'put', object }), test.signal)
    }
    await test.settled()
    const { check, asked } = newCheck(test)
    await check.step(test.signal)
    await check.step(test.signal)
    expect(asked.map(({ limit }) => limit)).toEqual([4, 4])
    expect(countOf(check, 'pods', 'success')).toBe(2)
  })

  it('finds nothing while others write', async () => {
    await using test = await openCacheForTest()
    for (let i = 0; i < 20; i++) await test.put(`p${i}`)
    await test.settled()
    const { check } = newCheck(test)
    for (let step = 0; step < 30; step++) {
      const writes = Promise.all([test.put(`p${step % 20}`, step, test.other), test.put(`new${step}`, 0, test.other)])
      await check.step(test.signal)
      await writes
    }
    expect(['success', 'failure', 'error'].map((status) => countOf(check, 'pods', status))).toEqual([30, 0, 0])
  })

  it.each<[string, Tamper]>([
    ['lost', (objects) => objects.slice(1)],
    ['kept too long', (objects) => [...objects, new BytesObject({ namespace: 'd', name: 'z' }, 9, Buffer.from('{}'))]],
    ['of another version', ([first, ...rest]) => [new BytesObject(first!, first!.revision + 1, first!.bytes), ...rest]],
    ['with other bytes', ([first, ...rest]) => [new BytesObject(first!, first!.revision, Buffer.from('{}')), ...rest]],
  ])('makes the server unready for an object that is %s, until it is equal again', async (_name, tamper) => {
    await using test = await openCacheForTest()
    for (const name of ['a', 'b', 'c']) await test.put(name)
    await test.settled()
    const { check, tell } = newCheck(test)
    tell(tamper)
    for (let step = 0; step < 2; step++) {
      await check.step(test.signal)
      expect(() => check.check.check()).toThrow(/^pods d\/[az] at revision \d+$/)
    }
    expect(countOf(check, 'pods', 'failure')).toBe(2)
    tell(HEALTHY)
    await check.step(test.signal)
    check.check.check()
  })

  it('counts what cannot be compared, and goes on', async () => {
    await using test = await openCacheForTest()
    await test.put('a')
    await test.settled()
    const { check, tell } = newCheck(test)
    tell(() => {
      throw new Error('compacted')
    })
    await check.step(test.signal)
    expect(countOf(check, 'pods', 'error')).toBe(1)
    check.check.check()
  })
})

/** What the storage says can be changed, and what it was asked is seen. */
function newCheck({ cache, other }: CacheTest) {
  const asked: ListRequest[] = []
  let tamper = HEALTHY
  const storage: Pick<Store, 'list'> = {
    list: async (request, signal): Promise<ListPage> => {
      asked.push(request)
      const page = await other.list(request, signal)
      const objects: StoredObject[] = []
      for await (const batch of page.batches) objects.push(...batch)
      return { ...page, batches: [tamper(objects)] }
    },
  }
  const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} } as never
  const check = new CacheCheck({ cache, storage, types: () => [{ stored: pods }, { stored: nodes }], log })
  return { check, asked, tell: (next: Tamper) => void (tamper = next) }
}

function countOf(check: CacheCheck, resource: string, status: string): number {
  return check.measure.of('', resource, status).value
}
