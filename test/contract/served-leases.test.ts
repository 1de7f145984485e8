// etcd's leases on our server: what a real etcd answers, and the exact moment at which they end.
import { describe, expect, it, vi } from 'vitest'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { ManualClock } from '../fakes/manual-clock.ts'
import { serveStore } from '../fakes/served-store.ts'

type Request = readonly [`${string}/${string}`, Readonly<Record<string, unknown>>]

const bytes = (text: string): string => Buffer.from(text).toString('base64')
const put = (key: string, lease: string | number, more: object = {}): Request => [
  'KV/Put',
  { key: bytes(key), value: bytes('v'), lease, ...more },
]
const range = (key: string): Request => ['KV/Range', { key: bytes(key), range_end: bytes('\0') }]
/** Since a lease was granted, on the slowest machine; all are granted for much longer. */
const MOST_SECONDS_GONE = 60
const LARGEST = '9223372036854775807'

const CALLS: readonly Request[] = [
  ['Lease/LeaseGrant', { TTL: 1000, ID: 5 }],
  ['Lease/LeaseGrant', { TTL: 1000, ID: 5 }],
  ['Lease/LeaseGrant', { TTL: 2000, ID: LARGEST }],
  ['Lease/LeaseGrant', { TTL: '9000000001' }],
  put('a', 5),
  put('b', 5),
  put('c', LARGEST),
  put('b', LARGEST),
  put('c', 0, { ignore_lease: true }),
  put('d', 6),
  range('a'),
  ['Lease/LeaseTimeToLive', { ID: LARGEST, keys: true }],
  ['Lease/LeaseTimeToLive', { ID: 5, keys: true }],
  ['Lease/LeaseTimeToLive', { ID: 5 }],
  ['Lease/LeaseTimeToLive', { ID: 99, keys: true }],
  ['Lease/LeaseRevoke', { ID: 99 }],
  ['Lease/LeaseRevoke', { ID: LARGEST }],
  range('a'),
  ['Lease/LeaseRevoke', { ID: LARGEST }],
  ['Lease/LeaseLeases', {}],
  ['KV/Range', { key: bytes('c'), revision: 4 }],
]

interface LeaseAnswer {
  readonly keys?: readonly string[]
  readonly TTL?: string
  readonly grantedTTL?: string
}

/** etcd tells the keys of a lease in any order; and of its time some seconds may have gone by. */
function comparable(answer: LeaseAnswer): object {
  const { keys, TTL: left, grantedTTL: granted } = answer
  const gone = Number(granted) - Number(left)
  return {
    ...answer,
    ...(keys !== undefined && { keys: keys.toSorted() }),
    ...(gone > 0 && gone < MOST_SECONDS_GONE && { TTL: granted }),
  }
}

describe('etcd’s Lease calls', () => {
  it('are answered as etcd answers them', async () => {
    await using etcd = await startEtcd()
    await using memory = await serveStore('in memory')
    await using embedded = await serveStore('embedded')
    using theirs = new EtcdApi(etcd.endpoint)
    using inMemory = new EtcdApi(memory.endpoint)
    using onDisk = new EtcdApi(embedded.endpoint)
    for (const [method, request] of CALLS) {
      const asked = `${method} ${JSON.stringify(request)}`
      const wanted = { asked, answer: comparable(await theirs.call(method, request)) }
      expect({ asked, answer: comparable(await inMemory.call(method, request)) }).toEqual(wanted)
      expect({ asked, answer: comparable(await onDisk.call(method, request)) }).toEqual(wanted)
    }
  })

  it('without a number a lease gets one', async () => {
    await using store = await serveStore('in memory')
    using api = new EtcdApi(store.endpoint)
    const { ID: id } = await api.call('Lease/LeaseGrant', { TTL: 10 })
    expect(BigInt(String(id))).toBeGreaterThan(0n)
    expect(await api.call('Lease/LeaseLeases', {})).toMatchObject({ leases: [{ ID: id }] })
  })

  it.each(['in memory', 'embedded'] as const)('a lease ends when its time is up, with its keys: %s', async (engine) => {
    const clock = new ManualClock()
    await using store = await serveStore(engine, clock)
    using api = new EtcdApi(store.endpoint)
    await api.call('Lease/LeaseGrant', { TTL: 10, ID: 1 })
    for (const key of ['a', 'b']) await api.call(...put(key, 1))
    await api.call(...put('c', 0))
    clock.advance(9_999)
    expect(await api.call(...range('a'))).toMatchObject({ count: '3', header: { revision: '4' } })
    clock.advance(1)
    await vi.waitFor(async () => {
      expect(await api.call(...range('a'))).toMatchObject({ count: '1', header: { revision: '5' } })
    })
    expect(await api.call('Lease/LeaseTimeToLive', { ID: 1 })).toMatchObject({ TTL: '-1' })
  })

  it('a lease that is kept alive lasts from then on, and one that is gone has no time left', async () => {
    const clock = new ManualClock()
    await using store = await serveStore('in memory', clock)
    using api = new EtcdApi(store.endpoint)
    await api.call('Lease/LeaseGrant', { TTL: 10, ID: 1 })
    await api.call(...put('a', 1))
    await using keepAlive = api.stream('Lease/LeaseKeepAlive')
    for (let i = 0; i < 3; i++) {
      clock.advance(8_000)
      keepAlive.send({ ID: 1 })
      expect(await keepAlive.next()).toMatchObject({ ID: '1', TTL: '10' })
    }
    clock.advance(4_000)
    expect(await api.call('Lease/LeaseTimeToLive', { ID: 1 })).toMatchObject({ TTL: '6', grantedTTL: '10' })
    clock.advance(6_000)
    expect(await api.call(...range('a'))).not.toHaveProperty('kvs')
    keepAlive.send({ ID: 1 })
    expect(await keepAlive.next()).not.toHaveProperty('TTL')
  })
})
