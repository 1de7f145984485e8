// What our server answers to etcd's RangeStream is what a real etcd answers to the same calls, piece by piece.
import { expect, it } from 'vitest'
import { serveStore } from '../fakes/served-store.ts'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { ALL, type EtcdRequest, put, range, txn } from '../rigs/etcd-requests.ts'
import { startEtcd } from '../rigs/etcd-server.ts'

const many = (prefix: string, value: string): EtcdRequest =>
  txn(
    [],
    Array.from({ length: 100 }, (_, i) => put(`${prefix}${100 + i}`, value)),
  )

/** Revision 2 to 8: a few keys, 200 small ones, three that are changed, and 100 of 13 KB, which are 1.3 MB. */
const SEED: readonly EtcdRequest[] = [
  many('a', '1'),
  many('b', '2'),
  put('a100', '3'),
  put('a105', '4'),
  put('c', '5'),
  many('l', 'x'.repeat(13_000)),
  put('z', '6'),
]

const MORE: readonly (readonly [string, EtcdRequest])[] = [
  ['one key', range('a100')],
  ['no key', range('none')],
  ['few keys', range('a100', 'a105')],
  ['an empty range', range('x', 'y')],
  ['a range that ends before it begins', range('c', 'a')],
  ['all keys, small and large', range(...ALL)],
  ['keys to the last', range('b', '\0')],
  ['a past revision', range(...ALL, { revision: 3 })],
  ['a limit within the first piece', range(...ALL, { limit: 4 })],
  ['a limit at its end', range(...ALL, { limit: 10 })],
  ['a limit behind it', range(...ALL, { limit: 25 })],
  ['a limit of all keys', range(...ALL, { limit: 302 })],
  ['a limit above all', range(...ALL, { limit: 1_000 })],
  ['a limit in the past', range(...ALL, { limit: 25, revision: 3 })],
  ['only keys', range('a', 'c', { keys_only: true })],
  ['only how many', range(...ALL, { count_only: true })],
  ['only how many in the past', range(...ALL, { count_only: true, revision: 2 })],
  ['the order of keys', range('a', 'b', { sort_order: 'Ascend' })],
  ['another order', range('a', 'b', { sort_order: 'Descend' })],
  ['another target', range('a', 'b', { sort_order: 'Ascend', sort_target: 'Value' })],
  ['an order that is none', range('a', 'b', { sort_order: 7 })],
  ['bounds of revisions', range('a', 'b', { min_mod_revision: 2 })],
  ['a revision of the future', range('a', 'b', { revision: 999 })],
  ['a revision that is compacted', range('a', 'b', { revision: 1 })],
  ['no key at all', range('')],
]

type Json = Readonly<Record<string, unknown>>

async function answersOf(api: EtcdApi, request: Json): Promise<readonly unknown[]> {
  const pieces: unknown[] = []
  try {
    for await (const piece of api.answers('KV/RangeStream', request)) pieces.push(piece)
  } catch (error) {
    const { code, details } = error as { readonly code: number; readonly details: string }
    pieces.push({ code, details })
  }
  return pieces
}

it('etcd’s stream of a range', async () => {
  await using etcd = await startEtcd()
  await using memory = await serveStore('in memory')
  await using embedded = await serveStore('embedded')
  using theirs = new EtcdApi(etcd.endpoint)
  using inMemory = new EtcdApi(memory.endpoint)
  using onDisk = new EtcdApi(embedded.endpoint)
  const all = [theirs, inMemory, onDisk]
  for (const api of all) for (const [method, request] of SEED) await api.call(method, request)
  for (const api of all) await api.call('KV/Compact', { revision: 2 })
  for (const [name, [, request]] of MORE) {
    const wanted = { name, answers: await answersOf(theirs, request) }
    expect({ name, answers: await answersOf(inMemory, request) }).toEqual(wanted)
    expect({ name, answers: await answersOf(onDisk, request) }).toEqual(wanted)
  }
})
