// A snapshot of our store is a file of etcd's database: etcd's own tools take it for one of theirs, and an etcd that is restored from
// it holds what our store held, with all of its past.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { buildEtcdProgram, type EtcdProgram } from '../rigs/etcd-programs.ts'
import { ALL, anyRequests, put, range, remove, txn } from '../rigs/etcd-requests.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { etcdctl } from '../rigs/etcdctl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { serveStore, type StoreEngine } from '../fakes/served-store.ts'
import { StoreProcess } from '../rigs/store-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { putKey } from '../../src/kv/kv.ts'

async function run(program: EtcdProgram, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(await buildEtcdProgram(program), args)).stdout
}

async function save(endpoint: string): Promise<string> {
  const file = path.join(await tempFolder(), 'snapshot.db')
  expect(await etcdctl(endpoint, ['snapshot', 'save', file])).toMatch(/Server version 3\.[67]\.0/)
  return file
}

/** All that can be asked of a store. */
async function everything(api: EtcdApi, oldest: number, newest: number): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (let revision = oldest; revision <= newest; revision++) {
    answers.push(await api.call(...range(...ALL, { revision })), await api.call('Maintenance/HashKV', { revision }))
  }
  await using watch = api.stream('Watch/Watch')
  watch.send({ create_request: { key: 'AA==', range_end: 'AA==', start_revision: oldest, prev_kv: true } })
  for (let isSeen = false; !isSeen; ) {
    const { events = [] } = (await watch.next()) as { events?: readonly { kv: { mod_revision: string } }[] }
    answers.push(...events)
    isSeen = events.some(({ kv }) => Number(kv.mod_revision) === newest)
  }
  const leases = (await api.call('Lease/LeaseLeases', {})) as { leases?: readonly { ID: string }[] }
  const ids = (leases.leases ?? []).map(({ ID }) => ID).sort()
  for (const ID of ids) {
    const { grantedTTL, keys } = await api.call('Lease/LeaseTimeToLive', { ID, keys: true })
    answers.push({ ID, grantedTTL, keys: new Set([keys ?? []].flat()) })
  }
  return answers
}

describe('a snapshot of our store', () => {
  it.each<StoreEngine>(['in memory', 'embedded'])('becomes an etcd that holds the same: %s', async (engine) => {
    await using store = await serveStore(engine)
    using ours = new EtcdApi(store.endpoint)
    await ours.call('Lease/LeaseGrant', { ID: 7, TTL: 1000 })
    await ours.call('Lease/LeaseGrant', { ID: '-5', TTL: 2000 })
    for (const request of anyRequests(3, 200)) await ours.call(...request)
    for (const request of [
      put('leased', '1', { lease: 7 }),
      txn([], [put('large', 'x'.repeat(1_000_000), { lease: 7 }), put('also leased', '', { lease: '-5' })]),
      ...Array.from({ length: 300 }, (_, index) => put(`many/${index}`, 'v'.repeat(index * 20))),
      txn([], [put('a', '1'), put('b', '1'), put('c', '1')]),
      remove('b'),
      put('last', '2'),
    ]) {
      await ours.call(...request)
    }
    const newest = await store.kv.newestRevision(new AbortController().signal)
    await ours.call('KV/Compact', { revision: newest - 5 })

    const file = await save(store.endpoint)
    expect(await run('bbolt', 'check', file)).toBe('OK\n')
    expect(JSON.parse(await run('etcdutl', 'snapshot', 'status', file, '-w=json'))).toMatchObject({
      revision: newest,
      totalSize: (await readFile(file)).length - 32,
      version: '3.6.0',
    })
    await using etcd = await startEtcd({ snapshot: file })
    using theirs = new EtcdApi(etcd.endpoint)
    expect(await everything(theirs, newest - 5, newest)).toEqual(await everything(ours, newest - 5, newest))
    // It is written to, compacted and defragmented as any other.
    await theirs.call(...remove('many/', 'many0'))
    await theirs.call('KV/Compact', { revision: newest + 1 })
    await etcdctl(etcd.endpoint, ['defrag'])
    expect(await theirs.call(...range(...ALL, { count_only: true }))).toMatchObject({ count: '7' })
    expect(await run('bbolt', 'check', await save(etcd.endpoint))).toBe('OK\n')
  })

  it.each<StoreEngine>(['in memory', 'embedded'])('keeps the time of keys that expire: %s', async (engine) => {
    const { signal } = new AbortController()
    await using store = await serveStore(engine)
    const value = Buffer.from('v')
    await putKey(store.kv, { key: 'a', value, expected: 0, ttlSeconds: 3000 }, signal)
    await putKey(store.kv, { key: 'b', value, expected: 0, ttlSeconds: 9000 }, signal)
    await putKey(store.kv, { key: 'c', value, expected: 0 }, signal)
    await using etcd = await startEtcd({ snapshot: await save(store.endpoint) })
    using ours = new EtcdApi(store.endpoint)
    using theirs = new EtcdApi(etcd.endpoint)
    const { kvs } = (await theirs.call(...range(...ALL))) as { kvs: readonly { key: string; lease?: string }[] }
    expect(kvs.map(({ lease }) => lease !== undefined)).toEqual([true, true, false])
    for (const [index, seconds] of [3000, 9000].entries()) {
      const { key, lease: ID } = kvs[index]!
      const lease = await theirs.call('Lease/LeaseTimeToLive', { ID, keys: true })
      expect(lease).toMatchObject({ keys: [key] })
      expect(Number(lease['grantedTTL'])).toBeGreaterThanOrEqual(seconds - 10)
      expect(Number(lease['grantedTTL'])).toBeLessThanOrEqual(seconds + 60)
    }
    expect(await theirs.call('Maintenance/HashKV', {})).toEqual(await ours.call('Maintenance/HashKV', {}))
  })

  it('that was damaged on its way is refused', async () => {
    await using store = await serveStore('in memory')
    await etcdctl(store.endpoint, ['put', 'a', '1'])
    const file = await save(store.endpoint)
    const bytes = await readFile(file)
    bytes[5000]! ^= 1
    await writeFile(file, bytes)
    await expect(startEtcd({ snapshot: file })).rejects.toThrow('expected sha256')
  })

  it('moves a server from our store to an etcd', async () => {
    const home = await newHome()
    const flags = [`--data-dir=${home}`, '--secure-port=0']
    await using store = await StoreProcess.start()
    const before = await startServerProcess([`--etcd-servers=${store.endpoint}`, ...flags], home)
    const collection = '/api/v1/namespaces/default/configmaps'
    const headers = { 'content-type': 'application/json' }
    for (let index = 0; index < 20; index++) {
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `moved-${index}`, labels: { moved: 'yes' } },
      })
      const { status } = await before.request(collection, { method: 'POST', token: before.adminToken, headers, body })
      expect(status).toBe(201)
    }
    const listed = await before.request(`${collection}?labelSelector=moved`, { token: before.adminToken })
    const wanted = JSON.parse(listed.body) as { items: object[] }
    expect(wanted.items.length).toBe(20)
    await before.stop()

    await using etcd = await startEtcd({ snapshot: await save(store.endpoint) })
    const after = await startServerProcess([`--etcd-servers=${etcd.endpoint}`, ...flags], home)
    const { body } = await after.request(`${collection}?labelSelector=moved`, { token: after.adminToken })
    expect((JSON.parse(body) as typeof wanted).items).toEqual(wanted.items)
  })
})
