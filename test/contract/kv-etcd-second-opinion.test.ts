// What our client writes to etcd, read by a client that somebody else wrote, and the other way round: keys, values, revisions, leases.
import { Etcd3, type IKeyValue } from 'etcd3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { ABSENT, type Kv, type KvEvent, putKey, removeKey, type Revision } from '../../src/kv/kv.ts'
import { startEtcd, type EtcdServer } from '../rigs/etcd-server.ts'

const VALUES: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('{"kind":"ConfigMap","data":{"ключ":"значение"}}')],
  ['every byte', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
  ['a megabyte', Buffer.alloc(1024 * 1024, 'quarterdeck')],
]

describe.each(['newest', 'oldest'] as const)('etcd, %s version, through etcd3', (line) => {
  const { signal } = new AbortController()
  let server: EtcdServer
  let kv: Kv
  let other: Etcd3

  beforeAll(async () => {
    server = await startEtcd({ line })
    kv = await openEtcd({ endpoints: [server.endpoint], prefix: '/registry/' }, AbortSignal.timeout(60_000))
    other = new Etcd3({ hosts: server.endpoint })
  })
  afterAll(async () => {
    other?.close()
    await kv?.close()
    await server?.[Symbol.asyncDispose]()
  })

  async function seen(key: string): Promise<IKeyValue | undefined> {
    return (await other.get(key).exec()).kvs[0]
  }

  async function write(key: string, value: Buffer, expected: Revision = ABSENT): Promise<Revision> {
    const result = await putKey(kv, { key, value, expected }, signal)
    expect(result.ok).toBe(true)
    return result.revision
  }

  it.each(VALUES)('has the key, the value and the revisions that we wrote: %s', async (name, value) => {
    const key = `/registry/ours/${name}`
    const created = await write(key, value)
    expect(await seen(key)).toMatchObject({
      key: Buffer.from(key),
      value,
      mod_revision: `${created}`,
      create_revision: `${created}`,
      version: '1',
      lease: '0',
    })
    const changed = await write(key, Buffer.concat([value, Buffer.from('!')]), created)
    expect(await seen(key)).toMatchObject({
      mod_revision: `${changed}`,
      create_revision: `${created}`,
      version: '2',
    })
    const gone = await removeKey(kv, { key, expected: changed }, signal)
    expect(gone.ok).toBe(true)
    expect(await seen(key)).toBeUndefined()
  })

  it.each(VALUES)('gives us what another wrote: %s', async (name, value) => {
    const key = `/registry/theirs/${name}`
    await other.put(key).value(value)
    const revision = Number((await seen(key))?.mod_revision)
    expect(await kv.get(key, {}, signal)).toMatchObject({ item: { key, value, revision } })
  })

  it('has our list in the same order, at the same revision', async () => {
    for (const name of ['b', 'a/b', 'a', 'a-b', 'ä']) await write(`/registry/list/${name}`, Buffer.from(name))
    const ours = await kv.list({ start: '/registry/list/', end: '/registry/list0', limit: 100 }, signal)
    const theirs = await other.getAll().prefix('/registry/list/').sort('Key', 'Ascend').exec()
    expect(ours.items.map(({ key, value, revision }) => [key, value, `${revision}`])).toEqual(
      theirs.kvs.map((item) => [item.key.toString(), item.value, item.mod_revision]),
    )
    expect(ours.items).toHaveLength(5)
    expect(`${ours.revision}`).toBe(theirs.header.revision)
  })

  it('does not let us overwrite what another has changed', async () => {
    const key = '/registry/contended'
    const ours = await write(key, Buffer.from('ours'))
    await other.put(key).value('theirs')
    const revision = Number((await seen(key))?.mod_revision)
    expect(await putKey(kv, { key, value: Buffer.from('again'), expected: ours }, signal)).toMatchObject({
      ok: false,
      current: { value: Buffer.from('theirs'), revision },
    })
    expect((await seen(key))?.value.toString()).toBe('theirs')
  })

  it('binds what is to expire to a lease that lasts as long', async () => {
    const key = '/registry/events/short'
    const written = await putKey(kv, { key, value: Buffer.from('x'), expected: ABSENT, ttlSeconds: 100 }, signal)
    expect(written.ok).toBe(true)
    const lease = (await seen(key))?.lease
    expect(lease).not.toBe('0')
    const left = await other.leaseClient.leaseTimeToLive({ ID: lease!, keys: true })
    expect(Number(left.grantedTTL)).toBeGreaterThanOrEqual(100)
    expect(Number(left.grantedTTL)).toBeLessThan(200)
    expect(left.keys.map(String)).toContain(key)
    await other.leaseClient.leaseRevoke({ ID: lease! })
    expect((await kv.get(key, {}, signal)).item).toBeUndefined()
  })

  it('tells us of what another writes, deletes and does in one transaction, revision by revision', async () => {
    const stop = new AbortController()
    const watch = kv.watch({ prefix: '/registry/watched/', after: await kv.newestRevision(signal) }, stop.signal)
    await other.put('/registry/watched/a').value('1')
    await other
      .if('/registry/watched/a', 'Version', '==', 1)
      .then(other.put('/registry/watched/b').value('2'), other.put('/registry/watched/c').value('3'))
      .commit()
    await other.delete().key('/registry/watched/a')
    const told: (readonly [number, readonly string[]])[] = []
    for await (const batch of watch) {
      const byRevision = Map.groupBy(batch.events, ({ revision }: KvEvent) => revision)
      for (const [revision, events] of byRevision)
        told.push([revision, events.map((event) => `${event.kind} ${event.key}`)])
      if (told.length >= 3) break
    }
    stop.abort()
    expect(told.map(([, events]) => events.toSorted())).toEqual([
      ['put /registry/watched/a'],
      ['put /registry/watched/b', 'put /registry/watched/c'],
      ['delete /registry/watched/a'],
    ])
    const history = await other.get('/registry/watched/a').revision(told[1]![0]).exec()
    expect(history.kvs[0]?.mod_revision).toBe(`${told[0]![0]}`)
  })
})
