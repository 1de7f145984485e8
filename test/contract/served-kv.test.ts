// What our server answers to etcd's KV calls is what a real etcd answers to the same calls, word for word.
import { describe, expect, it } from 'vitest'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { ALL, anyRequests, bytes, compare, type EtcdRequest, put, range, remove, txn } from '../rigs/etcd-requests.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { serveStore } from '../fakes/served-store.ts'
import { IS_WHOLE } from '../rigs/whole.ts'

const ROWS: readonly (readonly [string, readonly EtcdRequest[]])[] = [
  ['a put, its key, and what was there before', [put('a', '1'), put('a', '2', { prev_kv: true }), range('a')]],
  ['an empty key', [put(''), range(''), remove(''), txn([], [put('')])]],
  ['ranges', [range('a'), range('a', 'c'), range('b', '\0'), range(...ALL), range('c', 'a'), range('a', 'a')]],
  ['limits', [range(...ALL, { limit: 2 }), range(...ALL, { limit: 4 }), range('a', '', { limit: 1 })]],
  ['only keys, only how many', [range(...ALL, { keys_only: true }), range(...ALL, { count_only: true })]],
  [
    'orders',
    ['Key', 'Version', 'Create', 'Mod', 'Value'].flatMap((sort_target) =>
      ['None', 'Ascend', 'Descend'].map((sort_order) => range(...ALL, { sort_target, sort_order, limit: 3 })),
    ),
  ],
  ['an order that is none', [range(...ALL, { sort_order: 7 }), range(...ALL, { sort_target: 9 })]],
  [
    'bounds of revisions',
    [
      range(...ALL, { min_mod_revision: 4 }),
      range(...ALL, { max_mod_revision: 4, limit: 1 }),
      range(...ALL, { min_create_revision: 3 }),
      range(...ALL, { max_create_revision: 3, sort_order: 'Descend' }),
    ],
  ],
  [
    'past revisions',
    [
      range(...ALL, { revision: 3 }),
      range('a', '', { revision: 2 }),
      range('a', '', { revision: 99 }),
      range('zz', '', { revision: 1 }),
    ],
  ],
  [
    'puts that keep the value or the lease',
    [put('a', '', { ignore_value: true }), put('a', 'n', { ignore_lease: true })],
  ],
  [
    'puts that keep what is not there, or is given',
    [
      put('none', '', { ignore_value: true }),
      put('none', 'v', { ignore_lease: true }),
      put('a', 'v', { ignore_value: true }),
      put('a', 'v', { ignore_lease: true, lease: 5 }),
    ],
  ],
  [
    'a lease that nobody has',
    [put('a', 'v', { lease: 4711 }), txn([], [put('x'), put('a', 'v', { lease: 4711 })]), range('x')],
  ],
  ['deletes', [remove('a', '', { prev_kv: true }), remove('a'), remove('b', '\0', { prev_kv: true }), remove(...ALL)]],
  [
    'transactions that go one way or the other',
    [
      txn([compare('a', 'Mod', 'Equal', { mod_revision: 5 })], [put('x')], [range('a')]),
      txn([compare('a', 'Mod', 'Greater', { mod_revision: 1 })], [put('x'), range('x'), range(...ALL)], [range('a')]),
      txn([compare('none', 'Version', 'Equal', { version: 0 })], [put('none', '1', { prev_kv: true })]),
      txn([compare('none', 'Create', 'Less', { create_revision: 3 })], [remove('none'), range('none')]),
      txn([compare('a', 'Value', 'NotEqual', { value: bytes('1') })], [range('a')], [range('b')]),
      txn([compare('gone', 'Value', 'Equal', { value: '' })], [range('a')], [range('b')]),
      txn([compare('a', 'Lease', 'Equal', { lease: 0 })], [range('a')], [range('b')]),
      txn([], []),
      txn([], [remove('a', 'c', { prev_kv: true }), range(...ALL), put('y', '2')]),
    ],
  ],
  [
    'comparisons of all keys of a range',
    [
      txn([compare('a', 'Version', 'Greater', { version: 0, range_end: bytes('c') })], [put('x')], [range('a')]),
      txn([compare('a', 'Version', 'Equal', { version: 1, range_end: bytes('\0') })], [put('x')], [range('a')]),
      txn([compare('n', 'Version', 'Equal', { version: 0, range_end: bytes('\0') })], [put('x')], [range('a')]),
      txn([compare('n', 'Value', 'Equal', { value: '', range_end: bytes('o') })], [put('x')], [range('a')]),
    ],
  ],
  [
    'ranges in transactions',
    [
      txn(
        [],
        [
          range(...ALL, { limit: 2 }),
          range(...ALL, { count_only: true }),
          range('c', 'a'),
          range(...ALL, { limit: 9 }),
        ],
      ),
    ],
  ],
  [
    'transactions within transactions',
    [
      txn(
        [],
        [put('x'), txn([compare('x', 'Version', 'Equal', { version: 0 })], [put('y')], [put('z')]), range(...ALL)],
      ),
      txn([], [txn([], [put('x')]), put('x')]),
      txn([], [txn([compare('a', 'Version', 'Greater', { version: 0 })], [put('x')], [put('x')])]),
    ],
  ],
  [
    'past revisions in transactions',
    [
      txn([], [put('x'), range('a', '', { revision: 2 }), range('x')]),
      txn([], [put('x2'), range('a', '', { revision: 999 })]),
      range('x2'),
    ],
  ],
  [
    'transactions that change a key twice',
    [
      txn([], [put('k'), put('k')]),
      txn([], [put('k'), remove('a', 'z')]),
      txn([], [remove('k'), remove('k'), put('l')]),
      txn([], [remove('a', 'c'), put('c')]),
      txn([], [put('d')], [put('e'), put('e')]),
    ],
  ],
  [
    'too many operations',
    [
      txn(
        [],
        Array.from({ length: 129 }, (_, i) => put(`k${i}`)),
      ),
    ],
  ],
  [
    'as many as there may be',
    [
      txn(
        [],
        Array.from({ length: 128 }, (_, i) => put(`k${i}`)),
      ),
      range('k', 'l', { limit: 3 }),
    ],
  ],
  [
    'keys of any bytes',
    [
      put('a\xff\x80'),
      put('a\xc3A'),
      put('a\0'),
      range('a', 'b'),
      range('a\xc3', 'a\xff'),
      remove('a\xff\x80', '', { prev_kv: true }),
    ],
  ],
  [
    'compaction',
    [
      ['KV/Compact', { revision: 4 }],
      ['KV/Compact', { revision: 4 }],
      ['KV/Compact', { revision: 2 }],
      ['KV/Compact', { revision: 9999 }],
      range('a', '', { revision: 3 }),
      range('a', '', { revision: 4 }),
    ],
  ],
  ['what is too large', [put('large', 'x'.repeat(1.6 * 1024 * 1024)), put('larger', 'x'.repeat(2.5 * 1024 * 1024))]],
]

const SEED: readonly EtcdRequest[] = [
  put('a', '3'),
  put('b', '1'),
  put('c', '2'),
  put('a', '0'),
  txn([], [put('d', '9'), put('e', '7')]),
]

describe('etcd’s KV calls', () => {
  it.each(IS_WHOLE ? [1, 2, 3] : [1])('any of them: %i', async (seed) => {
    await using etcd = await startEtcd()
    await using memory = await serveStore('in memory')
    await using embedded = await serveStore('embedded')
    using theirs = new EtcdApi(etcd.endpoint)
    using inMemory = new EtcdApi(memory.endpoint)
    using onDisk = new EtcdApi(embedded.endpoint)
    let refused = 0
    for (const [method, request] of anyRequests(seed, 400)) {
      const asked = `${method} ${JSON.stringify(request)}`
      const wanted = { asked, answer: await theirs.call(method, request) }
      if ('code' in wanted.answer) refused++
      expect({ asked, answer: await inMemory.call(method, request) }).toEqual(wanted)
      expect({ asked, answer: await onDisk.call(method, request) }).toEqual(wanted)
    }
    expect(refused).toBeLessThan(200)
  })

  it.each(ROWS)('%s', async (_, requests) => {
    await using etcd = await startEtcd()
    await using memory = await serveStore('in memory')
    await using embedded = await serveStore('embedded')
    using theirs = new EtcdApi(etcd.endpoint)
    using inMemory = new EtcdApi(memory.endpoint)
    using onDisk = new EtcdApi(embedded.endpoint)
    for (const [method, request] of [...SEED, ...requests]) {
      const asked = `${method} ${JSON.stringify(request).slice(0, 300)}`
      const wanted = { asked, answer: await theirs.call(method, request) }
      expect({ asked, answer: await inMemory.call(method, request) }).toEqual(wanted)
      expect({ asked, answer: await onDisk.call(method, request) }).toEqual(wanted)
    }
  })
})
