// The durable engine and the in-memory one, put through the same random history, give the same answers at every point:
// restarts, compactions and all.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type EmbeddedKv, openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import {
  ABSENT,
  type Kv,
  type KvError,
  type KvEvent,
  type Revision,
  type WriteResult,
  putKey,
  removeKey,
} from '../../src/kv/kv.ts'
import '../rigs/seeded-properties.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const never = new AbortController().signal
const NAMES: readonly string[] = ['a', 'a\0', 'a\0b', 'b', 'ä', '\u{1f600}', '\uffff', 'zz']

type Step =
  | { readonly kind: 'write'; readonly writes: readonly Write[] }
  | { readonly kind: 'compact'; readonly back: number }
  | { readonly kind: 'read'; readonly back: number; readonly from: number; readonly to: number; readonly limit: number }
  | { readonly kind: 'watch'; readonly back: number }
  | { readonly kind: 'restart' }

interface Write {
  readonly name: number
  /** Expects what is there, or something else. */
  readonly right: boolean
  readonly remove: boolean
}

const index = fc.nat({ max: NAMES.length - 1 })
const write: fc.Arbitrary<Write> = fc.record({
  name: index,
  right: fc.nat({ max: 5 }).map((number) => number > 0),
  remove: fc.nat({ max: 3 }).map((number) => number === 0),
})
const back = fc.nat({ max: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), writes: fc.array(write, { maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), back }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      back,
      from: index,
      to: index,
      limit: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('watch' as const), back }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

it('any history gives the same answers on disk as in memory', async () => {
  const folder = await tempFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const dataDir = `${folder}/${run++}`
      const memory = openMemory()
      let disk: EmbeddedKv = await openEmbedded({ dataDir }, never)
      try {
        for (const each of steps) {
          if (each.kind === 'restart') {
            await disk.close()
            disk = await openEmbedded({ dataDir }, never)
          } else {
            expect(await answer(disk, each)).toEqual(await answer(memory, each))
          }
        }
      } finally {
        await disk.close()
        await memory.close()
      }
    }),
    { numRuns: 25 },
  )
})

async function answer(kv: Kv, step: Exclude<Step, { kind: 'restart' }>): Promise<unknown> {
  const newest = await kv.newestRevision(never)
  try {
    switch (step.kind) {
      case 'write':
        return await writeAll(kv, step.writes)
      case 'compact':
        return await kv.compact(newest - step.back + 1, never)
      case 'read':
        return await readAt(kv, newest - step.back + 1, step)
      case 'watch':
        return await eventsAfter(kv, Math.max(newest - step.back, 1), newest)
    }
  } catch (error) {
    return { code: (error as KvError).code, compactRevision: (error as KvError).compactRevision }
  }
}

/** All at once, so that they are decided in one group where the engine groups them. */
async function writeAll(kv: Kv, writes: readonly Write[]): Promise<readonly WriteResult[]> {
  const states = await Promise.all(writes.map(({ name }) => kv.get(`/${NAMES[name]}`, {}, never)))
  return Promise.all(
    writes.map(({ name, right, remove }, at) => {
      const key = `/${NAMES[name]}`
      const expected = (states[at]!.item?.revision ?? ABSENT) + (right ? 0 : 1)
      const value = Buffer.from(`${key} ${at} ${states[at]!.revision}`)
      return remove ? removeKey(kv, { key, expected }, never) : putKey(kv, { key, value, expected }, never)
    }),
  )
}

async function readAt(kv: Kv, at: Revision, step: { from: number; to: number; limit: number }): Promise<unknown> {
  const [start, end] = [`/${NAMES[step.from]}`, `/${NAMES[step.to]}`]
  const newest = await kv.list({ start, end, limit: step.limit, countAll: true }, never)
  const past = await kv.list({ start, end, limit: step.limit, at, countAll: true }, never)
  return [newest, past, await kv.get(start, { at }, never)]
}

async function eventsAfter(kv: Kv, after: Revision, newest: Revision): Promise<readonly KvEvent[]> {
  const events: KvEvent[] = []
  if (after >= newest) return events
  for await (const batch of kv.watch({ prefix: '/', after }, never)) {
    events.push(...batch.events)
    if (batch.revision >= newest) return events
  }
  return events
}
