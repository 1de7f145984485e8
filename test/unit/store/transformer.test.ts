import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openWatchCache } from '../../../src/cache/cache.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { ABSENT, putKey } from '../../../src/kv/kv.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Transformer } from '../../../src/store/transformer.ts'
import { pods } from '../../corpora/stored-resources.ts'

/** No encryption, but all that matters of one: a seal that is bound to the key, keys of several ages, and time that it takes. */
function sealWith(newest: string, older: readonly string[] = []): Transformer {
  const tag = (secret: string, key: string, body: Buffer): string =>
    createHmac('sha256', secret).update(key).update(body).digest('hex')
  return {
    async toStorage(bytes, key) {
      const body = Buffer.from(bytes.toString('base64'))
      return Buffer.concat([Buffer.from(`${newest}:${tag(newest, key, body)}:`), body])
    },
    async fromStorage(value, key) {
      const [secret = '', seal = ''] = value.toString('latin1').split(':', 2)
      const body = value.subarray(secret.length + seal.length + 2)
      if (![newest, ...older].includes(secret)) return { kind: 'sealed', problem: 'no key opens it' }
      if (tag(secret, key, body) !== seal) return { kind: 'sealed', problem: 'it was made for another place' }
      return { kind: 'plain', bytes: Buffer.from(body.toString('latin1'), 'base64'), stale: secret !== newest }
    },
  }
}

const { signal } = new AbortController()
const key = { resource: pods, namespace: 'd', name: 'a' }
const object = {
  kind: 'Thing',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'd' },
  spec: { secret: 'swordfish' },
}

async function put(store: Store, name = 'a'): Promise<number> {
  const named = { ...object, metadata: { ...object.metadata, name } }
  const result = await store.write({ ...key, name }, () => ({ kind: 'put', object: named }), signal)
  return result.object!.revision
}

describe('sealed objects', () => {
  it('are sealed at rest and open to readers, straight and through the cache', async () => {
    const kv = openMemory()
    const stop = new AbortController()
    const store = openKvStore({ kv, transformer: sealWith('one') })
    await put(store)
    const cache = openWatchCache({ store, resources: [pods] })
    const running = cache.run(stop.signal)
    await cache.ready(stop.signal)
    const { item } = await kv.get('/registry/pods/d/a', {}, signal)
    expect(item?.value.toString()).toMatch(/^one:/)
    expect(item?.value.toString()).not.toContain('swordfish')
    const revision = await put(cache, 'b')
    for (const through of [store, cache]) {
      const found = (await through.get({ ...key, name: 'b' }, { kind: 'notOlderThan', revision }, signal)).item
      expect(found?.kind === 'object' && found.object()['spec']).toEqual({ secret: 'swordfish' })
      const page = await through.list({ resource: pods, at: { kind: 'latest' } }, signal)
      const names: string[] = []
      for await (const batch of page.batches) names.push(...batch.map(({ name }) => name))
      expect(names).toEqual(['a', 'b'])
    }
    stop.abort()
    await running
    await kv.close()
  })

  it('do not open under another key', async () => {
    const kv = openMemory()
    const store = openKvStore({ kv, transformer: sealWith('one') })
    await put(store)
    const { item } = await kv.get('/registry/pods/d/a', {}, signal)
    await putKey(kv, { key: '/registry/pods/d/b', value: item!.value, expected: ABSENT }, signal)
    const moved = await store.get({ ...key, name: 'b' }, { kind: 'latest' }, signal)
    expect(moved.item).toMatchObject({ kind: 'unreadable', problem: 'it was made for another place' })
    await kv.close()
  })

  it('are written again with the newest key, even where nothing changed; once', async () => {
    const kv = openMemory()
    const first = await put(openKvStore({ kv, transformer: sealWith('one') }))
    const store = openKvStore({ kv, transformer: sealWith('two', ['one']) })
    const second = await put(store)
    expect(second).toBeGreaterThan(first)
    expect((await kv.get('/registry/pods/d/a', {}, signal)).item?.value.toString()).toMatch(/^two:/)
    expect(await put(store)).toBe(second)
    await kv.close()
  })
})
