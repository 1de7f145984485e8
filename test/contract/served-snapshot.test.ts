// A snapshot as it comes over the wire. That etcd can be restored from it is shown in test/integration.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { EtcdApi } from '../rigs/etcd-api.ts'
import { serveStore, type ServedStore } from '../fakes/served-store.ts'
import { putKey } from '../../src/kv/kv.ts'

const { signal } = new AbortController()

interface Piece {
  readonly remaining_bytes?: string
  readonly blob: string
}

async function fill(store: ServedStore, megabytes: number): Promise<void> {
  const value = Buffer.alloc(1024 * 1024, 'x')
  for (let index = 0; index < megabytes; index++) {
    await putKey(store.kv, { key: `k${index}`, value, expected: 0 }, signal)
  }
}

it('comes in pieces that say how much is left, and its SHA-256 behind it', async () => {
  await using store = await serveStore('embedded')
  await fill(store, 3)
  using api = new EtcdApi(store.endpoint)
  const pieces: Piece[] = []
  for await (const piece of api.answers('Maintenance/Snapshot', {})) pieces.push(piece as unknown as Piece)
  const blobs = pieces.map(({ blob }) => Buffer.from(blob, 'base64'))
  const [last, file] = [blobs.pop(), Buffer.concat(blobs)]
  expect(last).toEqual(createHash('sha256').update(file).digest())
  let left = file.length
  for (const [index, blob] of blobs.entries()) {
    left -= blob.length
    expect(Number(pieces[index]?.remaining_bytes ?? 0)).toBe(left)
  }
  expect(left).toBe(0)
})

it('is let go of when its client is gone', async () => {
  await using store = await serveStore('embedded')
  await fill(store, 20)
  using api = new EtcdApi(store.endpoint)
  for await (const _ of api.answers('Maintenance/Snapshot', {})) break
  // It would wait for whoever still reads.
  await store.kv.close()
})

it('ends when the store does', async () => {
  await using store = await serveStore('embedded')
  await fill(store, 20)
  using api = new EtcdApi(store.endpoint)
  const reading = async (): Promise<void> => {
    for await (const _ of api.answers('Maintenance/Snapshot', {})) void store.kv.close()
  }
  await expect(reading()).rejects.toThrow('etcdserver: server stopped')
})
