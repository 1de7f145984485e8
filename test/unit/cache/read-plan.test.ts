import { describe, expect, it } from 'vitest'
import type { ListAt } from '../../../src/api/read.ts'
import { type CacheState, planRead, type ReadPlan } from '../../../src/cache/read-plan.ts'

const ready: CacheState = { isReady: true, revision: 100, oldestSnapshot: 50 }
const withoutPast: CacheState = { ...ready, oldestSnapshot: undefined }
const current: ReadPlan = { kind: 'current' }
const storage: ReadPlan = { kind: 'storage' }

function goOn(revision: number | undefined): ListAt {
  return { kind: 'continuation', position: { revision, start: 'a\0' } }
}

describe('how a read is answered (R-096, R-099, R-103, R-175, D9)', () => {
  const rows: Record<string, { at: ListAt; state: CacheState; plan: ReadPlan }> = {
    'most recent': { at: { kind: 'latest' }, state: ready, plan: { kind: 'freshen' } },
    any: { at: { kind: 'any' }, state: ready, plan: current },
    'not older than what is at hand': { at: { kind: 'notOlderThan', revision: 100 }, state: ready, plan: current },
    'not older than what is to come': {
      at: { kind: 'notOlderThan', revision: 101 },
      state: ready,
      plan: { kind: 'wait', revision: 101 },
    },
    'exactly what is at hand': {
      at: { kind: 'exact', revision: 100 },
      state: ready,
      plan: { kind: 'snapshot', revision: 100 },
    },
    'exactly the oldest state': {
      at: { kind: 'exact', revision: 50 },
      state: ready,
      plan: { kind: 'snapshot', revision: 50 },
    },
    'exactly something older': { at: { kind: 'exact', revision: 49 }, state: ready, plan: storage },
    'exactly what is to come': {
      at: { kind: 'exact', revision: 101 },
      state: ready,
      plan: { kind: 'wait', revision: 101 },
    },
    'exactly, where past states are not served': {
      at: { kind: 'exact', revision: 100 },
      state: withoutPast,
      plan: storage,
    },
    'exactly what is to come, where past states are not served': {
      at: { kind: 'exact', revision: 101 },
      state: withoutPast,
      plan: { kind: 'wait', revision: 101 },
    },
    'the next page': { at: goOn(60), state: ready, plan: { kind: 'snapshot', revision: 60 } },
    'the next page of an old list': { at: goOn(49), state: ready, plan: storage },
    'the next page, where past states are not served': { at: goOn(60), state: withoutPast, plan: storage },
    'the next page of a list that lost its version': { at: goOn(undefined), state: ready, plan: { kind: 'freshen' } },
  }
  it.each(Object.entries(rows))('%s', (_, { at, state, plan }) => {
    expect(planRead(at, state)).toEqual(plan)
  })

  it.each(Object.entries(rows))('from the storage while nothing is loaded: %s', (_, { at }) => {
    expect(planRead(at, { isReady: false, revision: 0, oldestSnapshot: undefined })).toEqual(storage)
  })
})
