import { describe, expect, it } from 'vitest'
import { encodeStored } from '../../../src/codec/stored-json.ts'
import { openMemory } from '../../../src/kv/embedded/memory.ts'
import { dryRunOf } from '../../../src/store/dry-run.ts'
import { openKvStore } from '../../../src/store/kv-store.ts'
import type { Outcome } from '../../../src/store/store.ts'
import { pods } from '../../corpora/stored-resources.ts'

const key = { resource: pods, namespace: 'd', name: 'a' }
const { signal } = new AbortController()

function put(version: number): Outcome {
  const metadata = { name: 'a', namespace: 'd', resourceVersion: '999' }
  return { kind: 'put', object: { kind: 'Thing', apiVersion: 'example.com/v1', metadata, spec: { version } } }
}

async function open() {
  const kv = openMemory()
  const store = openKvStore({ kv })
  return { kv, store, dry: dryRunOf(store) }
}

describe('a dry run', () => {
  it('creates an object with the version that it came with, and nothing is there', async () => {
    const { kv, dry } = await open()
    const before = await kv.newestRevision(signal)
    const result = await dry.write(key, () => put(1), signal)
    expect(result).toMatchObject({ kind: 'put', created: true })
    const object = result.object?.kind === 'object' ? result.object.object() : undefined
    expect(object).toEqual({
      kind: 'Thing',
      apiVersion: 'example.com/v1',
      metadata: { name: 'a', namespace: 'd', resourceVersion: '999' },
      spec: { version: 1 },
    })
    expect(await kv.newestRevision(signal)).toBe(before)
    await kv.close()
  })

  it('takes canonical bytes from a writer that has no object', async () => {
    const { kv, store, dry } = await open()
    const object = {
      kind: 'Thing',
      apiVersion: 'example.com/v1',
      metadata: { name: 'a', namespace: 'd' },
      spec: { version: 2 },
    }
    const outcome: Outcome = { kind: 'put', bytes: encodeStored(object) }
    const made = await dry.write(key, () => outcome, signal)
    expect(made.object?.kind === 'object' && made.object.object()).toEqual(object)
    await store.write(key, () => put(1), signal)
    const { item: before } = await store.get(key, { kind: 'latest' }, signal)
    const updated = await dry.write(key, () => outcome, signal)
    const metadata = { ...object.metadata, resourceVersion: String(before?.revision) }
    expect(updated.object?.kind === 'object' && updated.object.object()).toEqual({ ...object, metadata })
    await kv.close()
  })

  it('updates and removes what is stored, with the version that stays', async () => {
    const { kv, store, dry } = await open()
    await store.write(key, () => put(1), signal)
    const { item: before, revision } = await store.get(key, { kind: 'latest' }, signal)
    const updated = await dry.write(key, () => put(2), signal)
    expect(updated).toMatchObject({ kind: 'put', created: false, object: { revision: before?.revision } })
    const object = updated.object?.kind === 'object' ? updated.object.object() : undefined
    expect(object).toMatchObject({ metadata: { resourceVersion: String(before?.revision) }, spec: { version: 2 } })
    expect(await dry.write(key, () => ({ kind: 'remove' }), signal)).toEqual({ kind: 'removed', object: before })
    expect(await dry.write(key, () => ({ kind: 'keep' }), signal)).toEqual({ kind: 'kept', object: before })
    expect((await dry.get(key, { kind: 'latest' }, signal)).item).toEqual(before)
    expect(await kv.newestRevision(signal)).toBe(revision)
    await kv.close()
  })
})
