import { expect, it } from 'vitest'
import { readPast, revisionOf } from '../../../src/cache/recent-history.ts'
import type { FeedBatch, Source, SourceChange } from '../../../src/store/source.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()

function put(revision: number, bytes: number): SourceChange {
  const layout = {} as never
  const content = { kind: 'readable', bytes: Buffer.alloc(bytes), layout, stale: false } as const
  return { kind: 'put', item: { key: 'pods/default/a', revision, content }, isNew: true, previous: undefined }
}

/** Whose history has one change a revision, of so many bytes each, up to the newest. */
function sourceWith(newest: number, bytes: number): Source {
  return {
    newestRevision: () => Promise.resolve(newest),
    load: () => expect.unreachable(),
    follow: ({ after }) => ({
      requestProgress: () => true,
      async *[Symbol.asyncIterator](): AsyncGenerator<FeedBatch> {
        for (let revision = after + 1; revision <= newest; revision++) {
          yield { revision, changes: [put(revision, bytes)], compactedTo: undefined }
        }
      },
    }),
  }
}

const read = (source: Source, revision: number) => readPast({ source, waitClock: new ManualClock() }, revision, signal)

it('is everything since five thousand revisions before, and nothing after what is asked for', async () => {
  const past = await read(sourceWith(6_010, 10), 6_000)
  expect(past?.floor).toBe(1_000)
  expect(past?.changes.map(revisionOf)).toEqual(Array.from({ length: 5_000 }, (_, i) => 1_001 + i))
})

it('is the newest 32 MB of it where there is more', async () => {
  const past = await read(sourceWith(100, 1 << 20), 100)
  expect(past?.changes.map(revisionOf)).toEqual(Array.from({ length: 32 }, (_, i) => 69 + i))
  expect(past?.floor).toBe(68)
})

it('has the last change however large it is', async () => {
  const past = await read(sourceWith(3, 40 << 20), 3)
  expect(past?.changes.map(revisionOf)).toEqual([3])
  expect(past?.floor).toBe(2)
})

it('asks how far the storage is at once and again until it knows, and then lets go of it', async () => {
  const clock = new ManualClock()
  let asked = 0
  const progress = Promise.withResolvers<FeedBatch>()
  let following: AbortSignal | undefined
  const source: Source = {
    newestRevision: () => expect.unreachable(),
    load: () => expect.unreachable(),
    follow: (_options, until) => {
      following = until
      return {
        requestProgress: () => ++asked > 0,
        async *[Symbol.asyncIterator]() {
          yield await progress.promise
        },
      }
    },
  }
  const past = readPast({ source, waitClock: clock }, 7, signal)
  expect(asked).toBe(1)
  clock.advance(200)
  expect(asked).toBe(3)
  progress.resolve({ revision: 7, changes: [], compactedTo: undefined })
  expect(await past).toMatchObject({ floor: 0, changes: [] })
  expect([following?.aborted, clock.pending]).toEqual([true, 0])
})
