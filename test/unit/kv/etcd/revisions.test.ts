import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/kv/kv.ts'
import { type Event, EventType, type Header, type WatchResponse } from '../../../../src/kv/gen/rpc.ts'
import { RevisionAssembler } from '../../../../src/kv/etcd/revisions.ts'

function put(key: string, revision: number): Event {
  const kv = { key, value: Buffer.from(key), revision, createRevision: 2, version: 1, lease: 0n }
  return { type: 0, kv, prevKv: undefined }
}

function header(revision: number): Header {
  return { clusterId: 0n, memberId: 0n, revision, raftTerm: 1 }
}

function response(events: readonly Event[], more: Partial<WatchResponse> = {}): WatchResponse {
  return {
    header: header(1_000),
    watchId: 0n,
    created: false,
    canceled: false,
    compactRevision: 0,
    cancelReason: '',
    fragment: false,
    events,
    ...more,
  }
}

function revisionsOf(batch: Batch | undefined): number[] | undefined {
  return batch?.events.map((event) => event.revision)
}

describe('whole revisions from watch responses', () => {
  it('a response is whole where it is not continued', () => {
    const assembler = new RevisionAssembler(4)
    assembler.add(response([put('a', 5), put('b', 5), put('c', 7)]))
    expect(assembler.take()).toMatchObject({ revision: 7, events: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] })
    expect(assembler.take()).toBeUndefined()
  })

  it('the last revision of a fragment waits for the rest of it', () => {
    const assembler = new RevisionAssembler(4)
    assembler.add(response([put('a', 5), put('b', 6)], { fragment: true }))
    expect(assembler.take()).toMatchObject({ revision: 5, events: [{ key: 'a' }] })
    assembler.add(response([put('c', 6)], { fragment: true }))
    expect(assembler.take()).toBeUndefined()
    assembler.add(response([put('d', 6)]))
    expect(assembler.take()).toMatchObject({ revision: 6, events: [{ key: 'b' }, { key: 'c' }, { key: 'd' }] })
  })

  it('a response that is empty tells how far the watch has come', () => {
    const assembler = new RevisionAssembler(4)
    assembler.add(response([], { header: header(9) }))
    expect(assembler.take()).toEqual({ revision: 9, events: [] })
  })

  it('progress to where the watch is already is told too, since somebody may have asked', () => {
    const assembler = new RevisionAssembler(9)
    assembler.add(response([], { header: header(9) }))
    expect(assembler.take()).toEqual({ revision: 9, events: [] })
  })

  it('progress does not go back behind the start, which may be in the future', () => {
    const assembler = new RevisionAssembler(50)
    assembler.add(response([], { header: header(9) }))
    expect(assembler.take()).toBeUndefined()
    assembler.add(response([put('a', 51)]))
    expect(assembler.take()?.revision).toBe(51)
  })

  it('the revision of a header is not taken for how far the watch has come', () => {
    const assembler = new RevisionAssembler(4)
    assembler.add(response([put('a', 5)], { header: header(5_000) }))
    expect(assembler.take()?.revision).toBe(5)
  })

  it('events from before the start, and those that came before, are left out', () => {
    const assembler = new RevisionAssembler(4)
    assembler.add(response([put('old', 3), put('old', 4), put('a', 5)]))
    assembler.add(response([put('a', 5), put('b', 6)]))
    expect(revisionsOf(assembler.take())).toEqual([5, 6])
    assembler.add(response([put('b', 6), put('c', 7)]))
    expect(revisionsOf(assembler.take())).toEqual([7])
  })

  it('an event has what happened and, where it was sent, what was before', () => {
    const assembler = new RevisionAssembler(0)
    const before = put('a', 2).kv
    const gone = { ...before, value: Buffer.alloc(0), revision: 3, createRevision: 0 }
    assembler.add(response([put('a', 2), { type: EventType.DELETE, kv: gone, prevKv: before }]))
    expect(assembler.take()?.events).toEqual([
      { kind: 'put', key: 'a', value: Buffer.from('a'), revision: 2, createRevision: 2 },
      {
        kind: 'delete',
        key: 'a',
        revision: 3,
        previous: { key: 'a', value: Buffer.from('a'), revision: 2, createRevision: 2 },
      },
    ])
  })

  it('however a history is cut up, each revision comes out once, whole and in order', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 30 })
    const cuts = fc.infiniteStream(fc.record({ respond: fc.boolean(), fragment: fc.boolean(), take: fc.boolean() }))
    fc.assert(
      fc.property(sizes, cuts, (sizes, cuts) => {
        const history = sizes.flatMap((size, index) =>
          Array.from({ length: size }, (_, k) => put(`${index}-${k}`, 10 + index)),
        )
        const assembler = new RevisionAssembler(9)
        const batches: Batch[] = []
        let pending: Event[] = []
        for (const [index, event] of history.entries()) {
          const { respond, fragment, take } = cuts.next().value
          pending.push(event)
          const isLast = history[index + 1]?.kv.revision !== event.kv.revision
          if (respond && isLast) assembler.add(response(pending))
          else if (fragment) assembler.add(response(pending, { fragment: true }))
          else continue
          pending = []
          if (take) batches.push(...[assembler.take()].filter((batch) => batch !== undefined))
        }
        assembler.add(response(pending, { header: header(9 + sizes.length) }))
        batches.push(...[assembler.take()].filter((batch) => batch !== undefined))
        expect(batches.flatMap(({ events }) => events.map(({ key }) => key))).toEqual(history.map(({ kv }) => kv.key))
        for (const [index, { events, revision }] of batches.entries()) {
          if (events.length > 0) expect(revision).toBe(events.at(-1)!.revision)
          const next = batches[index + 1]?.events[0]
          if (next !== undefined) expect(next.revision).toBeGreaterThan(revision)
        }
      }),
    )
  })
})
