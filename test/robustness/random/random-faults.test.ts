// A short run of what `make robustness` does for an hour, on one cluster: first with servers that lie, which the checks must find, then with
// faults, under which they must find nothing.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEED } from '../../rigs/seed.ts'
import { possibleFaults } from './faults.ts'
import { type Lie, LyingGateway } from './lying-gateway.ts'
import { Run } from './run.ts'
import { World } from './world.ts'

const WORKS_MS = 300
const MOST_HELD_MS = 800
const EVIDENCE = [
  'writes done',
  'writes unknown',
  'gets',
  'lists',
  'watches',
  'events',
  'renewals of the lease',
  'written by elected leaders',
]
/** Each of another kind; the rest are for the long run. */
const SORTS = [
  'etcd member killed',
  'worker killed',
  'history compacted',
  'etcd member frozen',
  'cut between replica and etcd',
  'clock moved',
  'replica killed',
  'cut between clients and replica',
  'silence between replica and etcd',
]

let world: World | undefined

beforeAll(async () => {
  world = await World.start()
})

afterAll(() => world?.[Symbol.asyncDispose]())

/** Every so many-th of those that are as they are wanted. */
function every(count: number, isWanted: (text: string) => boolean): (text: string) => boolean {
  let seen = 0
  return (text) => isWanted(text) && ++seen % count === 0
}

function isEvent(line: string): boolean {
  return line.includes('"type":"MODIFIED"')
}

function staleLists(): Lie {
  let old: string | undefined
  return {
    answer: (method, path, body) => {
      if (method !== 'GET' || !path.endsWith('/namespaces/r0/configmaps')) return body
      old ??= body
      return old
    },
  }
}

function withEvery(count: number, tell: (line: string) => readonly string[]): Lie {
  const isDue = every(count, isEvent)
  return { line: (line) => (isDue(line) ? tell(line) : [line]) }
}

function lostWrites(): Lie {
  const isDue = every(5, () => true)
  const conflict = (body: string): string => body.replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1"')
  return { answer: (method, _, body) => (method === 'PUT' && isDue(body) ? conflict(body) : body) }
}

const LIES: readonly (readonly [string, () => Lie, RegExp])[] = [
  ['an event is dropped', () => withEvery(10, () => []), /^(reliable|resumable): /],
  ['an event is repeated', () => withEvery(10, (line) => [line, line]), /^unique: /],
  ['a list is stale', staleLists, /^stale list: /],
  ['a write is acknowledged at a wrong revision', lostWrites, /^acknowledged: /],
]

describe('a run', () => {
  it.each(LIES)('finds it where %s', async (_, lie, message) => {
    const [one, other] = world!.targets
    await using gateway = await LyingGateway.start(one!, lie())
    await using run = await Run.start(world!, { seed: SEED, targets: [gateway.target, other!] })
    await expect
      .poll(async () => {
        await delay(WORKS_MS)
        await run.check()
        return run.violations.some((violation) => message.test(violation))
      })
      .toBe(true)
  })

  it('finds nothing under faults of many kinds', async () => {
    const { faults, lacking } = await possibleFaults(world!)
    for (const line of lacking) console.warn(line)
    await using run = await Run.start(world!, { seed: SEED, mostHeldMs: MOST_HELD_MS })
    for (const sort of SORTS) {
      const fault = faults.find((one) => one.sort === sort)
      if (fault !== undefined) await run.suffer(fault)
    }
    await delay(WORKS_MS)
    await run.check()
    expect(run.violations).toEqual([])
    expect(run.tally.faults).toBeGreaterThanOrEqual(SORTS.length - 1)
    expect(EVIDENCE.filter((seen) => run.tally.count(seen) === 0)).toEqual([])
  })
})
