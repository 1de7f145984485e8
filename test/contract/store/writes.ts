// Write: one verb, decided on what is stored; nothing lost, nothing written that is there already.
import { describe, expect, it } from 'vitest'
import { encodeStored } from '../../../src/codec/stored-json.ts'
import type { StoredItem } from '../../../src/store/store.ts'
import { ApiError } from '../../../src/api/status.ts'
import { LATEST, type OpenSubject, pod, pods, refusal } from './subject.ts'

const key = { resource: pods, namespace: 'd', name: 'a' }

function counterOf(item: StoredItem | undefined): number {
  if (item?.kind !== 'object') return 0
  return (item.object()['spec'] as { count: number }).count
}

export function writeRules(subject: OpenSubject): void {
  it('creates what is not there, and tells what was stored', async () => {
    const result = await subject().write(key, (current) => {
      expect(current).toBeUndefined()
      return { kind: 'put', object: pod('d', 'a') }
    })
    expect(result).toMatchObject({ kind: 'put', created: true })
    if (result.kind !== 'put') throw new Error('not written')
    expect(result.object.object().metadata['resourceVersion']).toBe(String(result.object.revision))
    const read = await subject().get('d', 'a')
    expect(read?.kind === 'object' && read.bytes.equals(result.object.bytes)).toBe(true)
  })

  it('gives the decision what is stored, with its version', async () => {
    const revision = await subject().put('d', 'a', {}, subject().other)
    const result = await subject().write(key, (current) => {
      if (current?.kind !== 'object') throw new Error('not there')
      expect(current.object().metadata['resourceVersion']).toBe(String(current.revision))
      return { kind: 'put', object: { ...current.object(), spec: { on: current.revision } } }
    })
    expect(result).toMatchObject({ kind: 'put', created: false })
    const read = await subject().get('d', 'a')
    expect(read?.kind === 'object' && read.object()['spec']).toEqual({ on: revision })
  })

  it('stores no version (R-183)', async () => {
    await subject().put('d', 'a')
    await subject().write(key, (current) => ({
      kind: 'put',
      object: { ...(current?.kind === 'object' ? current.object() : pod('d', 'a')), spec: { v: 2 } },
    }))
    const { item } = await subject().kv.get(subject().kvKey('d', 'a'), {}, subject().signal)
    expect(item?.value.toString()).toBe(
      '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"d","uid":"uid-a"},"spec":{"v":2},"status":{}}',
    )
  })

  it('writes nothing where a key was written after the revision of a condition', async () => {
    const s = subject()
    const whenLost = 'the mark was written'
    const putIf = (notAfter: number, v: number): ReturnType<typeof s.write> => {
      const onlyIf = [{ key: `${pods.storagePrefix}/d/mark`, notAfter, whenLost }]
      return s.write(key, () => ({ kind: 'put', object: pod('d', 'a', { spec: { v } }), onlyIf }))
    }
    const start = await s.kv.newestRevision(s.signal)
    expect(await putIf(start, 1)).toMatchObject({ kind: 'put', created: true })
    const mark = await s.put('d', 'mark', {}, s.other)
    expect(await refusal(putIf(start, 2))).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'a' } })
    const last = await putIf(mark, 3)
    expect(last).toMatchObject({ kind: 'put', created: false })
    await s.put('d', 'a', { spec: { v: 4 } }, s.other)
    expect(await putIf(mark, 5)).toMatchObject({ kind: 'put', created: false })
  })

  it('writes nothing where nothing changed (W-140)', async () => {
    const revision = await subject().put('d', 'a', { spec: { v: 1 } })
    await subject().get('d', 'a')
    const newest = await subject().kv.newestRevision(subject().signal)
    const same = await subject().write(key, () => ({ kind: 'put', object: pod('d', 'a', { spec: { v: 1 } }) }))
    expect(same).toMatchObject({ kind: 'kept', object: { revision } })
    const kept = await subject().write(key, () => ({ kind: 'keep' }))
    expect(kept).toMatchObject({ kind: 'kept', object: { revision } })
    expect(await subject().kv.newestRevision(subject().signal)).toBe(newest)
  })

  it('takes canonical bytes from a writer that has no object', async () => {
    const put = { kind: 'put', bytes: encodeStored(pod('d', 'a', { spec: { v: 1 } })) } as const
    const result = await subject().write(key, () => put)
    if (result.kind !== 'put') throw new Error('not written')
    const resourceVersion = String(result.object.revision)
    expect(result.object.object()).toMatchObject({ metadata: { name: 'a', resourceVersion }, spec: { v: 1 } })
    const read = await subject().get('d', 'a')
    expect(read?.kind === 'object' && read.bytes.equals(result.object.bytes)).toBe(true)
    expect(await subject().write(key, () => put)).toMatchObject({ kind: 'kept' })
  })

  it('removes, and tells what was there as of its removal', async () => {
    const revision = await subject().put('d', 'a', { spec: { v: 1 } })
    const result = await subject().write(key, () => ({ kind: 'remove' }))
    if (result.kind !== 'removed' || result.object.kind !== 'object') throw new Error('not removed')
    expect(result.object.revision).toBeGreaterThan(revision)
    expect(result.object.object()).toMatchObject({
      metadata: { resourceVersion: String(result.object.revision) },
      spec: { v: 1 },
    })
    expect(await subject().get('d', 'a')).toBeUndefined()
  })

  it('removes and answers with what the writer makes of it', async () => {
    await subject().put('d', 'a')
    const result = await subject().write(key, () => ({ kind: 'remove', last: pod('d', 'a', { spec: { last: true } }) }))
    expect(result.object?.kind === 'object' && result.object.object()['spec']).toEqual({ last: true })
  })

  it('removes nothing where there is nothing', async () => {
    expect(await subject().write(key, () => ({ kind: 'remove' }))).toEqual({ kind: 'kept', object: undefined })
  })

  it('throws what the decision throws, and has written nothing', async () => {
    const revision = await subject().put('d', 'a')
    const conflict = new ApiError('Conflict', 'no')
    await expect(
      subject().write(key, () => {
        throw conflict
      }),
    ).rejects.toBe(conflict)
    expect((await subject().get('d', 'a'))?.revision).toBe(revision)
  })

  it('never refuses on the ground of something out of date', async () => {
    const { other } = subject()
    for (let round = 0; round < 20; round++) {
      await subject().put('d', 'a', { spec: { round } }, other)
      const seen = await subject().write(key, (current) => {
        if (current === undefined) throw new ApiError('NotFound', 'out of date')
        return { kind: 'keep' }
      })
      expect(seen.object?.kind === 'object' && seen.object.object()['spec']).toEqual({ round })
      await subject().remove('d', 'a', other)
      const gone = await subject().write(key, (current) => {
        if (current !== undefined) throw new ApiError('AlreadyExists', 'out of date')
        return { kind: 'keep' }
      })
      expect(gone.object).toBeUndefined()
    }
  })

  it('decides again on what won (W-114)', async () => {
    await subject().put('d', 'a', { spec: { count: 1 } })
    const seen: number[] = []
    await subject().write(key, async (current) => {
      seen.push(counterOf(current))
      if (seen.length === 1) await subject().put('d', 'a', { spec: { count: 10 } }, subject().other)
      return { kind: 'put', object: pod('d', 'a', { spec: { count: counterOf(current) + 1 } }) }
    })
    expect(seen).toEqual([1, 10])
    expect(counterOf(await subject().get('d', 'a'))).toBe(11)
  })

  it('decides again where the object went or came meanwhile', async () => {
    await subject().put('d', 'a')
    const seen: (string | undefined)[] = []
    const result = await subject().write(key, async (current) => {
      seen.push(current?.kind)
      if (seen.length === 1) await subject().remove('d', 'a', subject().other)
      return { kind: 'put', object: pod('d', 'a', { spec: { mine: true } }) }
    })
    expect(seen).toEqual(['object', undefined])
    expect(result).toMatchObject({ kind: 'put', created: true })
  })

  it('loses no update of 64 writers on one object (W-162)', async () => {
    const increment = (through = subject().store) =>
      subject().write(
        key,
        (current) => ({ kind: 'put', object: pod('d', 'a', { spec: { count: counterOf(current) + 1 } }) }),
        through,
      )
    await Promise.all(Array.from({ length: 64 }, (_, i) => increment(i % 2 === 0 ? subject().store : subject().other)))
    expect(counterOf(await subject().get('d', 'a', LATEST))).toBe(64)
  })

  it('lets an object go by itself after its time (W-601)', async () => {
    const watch = await subject().watch({ kind: 'changes', at: LATEST })
    const result = await subject().write(key, () => ({ kind: 'put', object: pod('d', 'a'), ttlSeconds: 1 }))
    await subject().advance(3_000)
    expect(await watch.take(1)).toEqual([`ADDED d/a@${result.object?.revision}`])
    const deleted = await watch.next()
    expect(deleted).toMatchObject({ type: 'DELETED', object: { name: 'a' } })
  })

  describe('names', () => {
    it.each(['..', '.', 'a/b', '../pods/d/a', '%2e%2e', 'ü', '\0'])('cannot leave their place: %j', async (name) => {
      await subject().put('d', 'a')
      await subject().put('d', name, { spec: { odd: true } })
      const found = await subject().get('d', name)
      expect(found?.kind === 'object' && found.object()['spec']).toEqual({ odd: true })
      expect((await subject().names(LATEST, { namespace: 'd' })).toSorted()).toEqual([`d/${name}`, 'd/a'].toSorted())
    })

    it.each(['', 'x'.repeat(3_000)])('that no object can have are not found: %j', async (name) => {
      const error = await refusal(subject().put('d', name))
      expect(error.reason).toBe('NotFound')
    })
  })

  it('gives up when it is told to', async () => {
    const abort = new AbortController()
    const writing = subject().store.write(
      key,
      () => {
        abort.abort()
        return { kind: 'put', object: pod('d', 'a') }
      },
      abort.signal,
    )
    await expect(writing).rejects.toMatchObject({ name: 'CancelledError' })
  })
}
