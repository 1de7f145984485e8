import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Entry, FlowRequest, TypeLoad } from '../../../src/flow/flow.ts'
import { type DumpName, dumpRows, dumpText } from '../../../src/flow/dump.ts'
import { PriorityAndFairness } from '../../../src/flow/priority-and-fairness.ts'
import { CancelledError } from '../../../src/lib/errors.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { fakeRequest } from '../http/fake-request.ts'

const ANY = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
const PATHS = { verbs: ['*'], nonResourceURLs: ['*'] }

function schema(name: string, level: string, by = 'ByUser'): object {
  const rules = [{ subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules: [ANY], nonResourceRules: [PATHS] }]
  const priorityLevelConfiguration = { name: level }
  const spec = { priorityLevelConfiguration, matchingPrecedence: 50, distinguisherMethod: { type: by }, rules }
  return { metadata: { name, uid: `${name}-uid` }, spec }
}

function level(name: string, shares: number, queuing?: object, more: object = {}): object {
  const limitResponse = queuing === undefined ? { type: 'Reject' } : { type: 'Queue', queuing }
  const limited = { nominalConcurrencyShares: shares, limitResponse, ...more }
  return { metadata: { name, uid: `${name}-uid` }, spec: { type: 'Limited', limited } }
}

function request(user = 'bob', line = 'GET /api/v1/namespaces/n/pods/p', signal?: AbortSignal): FlowRequest {
  const from = { name: user, uid: undefined, groups: [], extra: {} }
  return { ...fakeRequest(line, signal === undefined ? {} : { signal }), user: from }
}

const QUEUES = { queues: 4, handSize: 1, queueLengthLimit: 2 }

let clock: ManualClock
let control: PriorityAndFairness
let load: TypeLoad | undefined

beforeEach(() => {
  clock = new ManualClock()
  load = undefined
  control = new PriorityAndFairness({ seats: 2, findLoad: () => load, clock })
})

/** Of a level with both of the two seats. */
function configure(queuing?: object, by = 'ByUser'): void {
  control.configure([level('l', 1000, queuing)] as never, [schema('s', 'l', by)] as never)
}

function enter(...args: Parameters<typeof request>): Entry | Promise<Entry> {
  return control.enter(request(...args), 15_000)
}

function admitted(entry: Entry | Promise<Entry>): Extract<Entry, { kind: 'admitted' }> {
  if (entry instanceof Promise || entry.kind !== 'admitted') throw new Error('it was not let go at once')
  return entry
}

const dump = (name: DumpName): string => dumpText(name, dumpRows(name, control))

describe('a level that rejects', () => {
  it('lets in as many as it has seats and turns the next away (P-216)', () => {
    configure()
    const first = admitted(enter())
    admitted(enter())
    expect(enter()).toMatchObject({ kind: 'rejected', retryAfterSeconds: 1 })
    first.leave()
    first.leave()
    admitted(enter())
    expect(enter()).toMatchObject({ kind: 'rejected' })
  })

  it('names the objects that a request fell under, also where it is turned away (P-218)', () => {
    configure()
    const headers = { 'x-kubernetes-pf-flowschema-uid': 's-uid', 'x-kubernetes-pf-prioritylevel-uid': 'l-uid' }
    expect([enter(), enter(), enter()]).toEqual([
      expect.objectContaining({ headers }),
      expect.objectContaining({ headers }),
      expect.objectContaining({ kind: 'rejected', headers }),
    ])
  })

  it('tells those who keep coming to stay away longer, and no longer when it is over (P-216)', () => {
    configure()
    admitted(enter())
    admitted(enter())
    const told: number[] = []
    for (let second = 0; second < 8; second++) {
      for (let i = 0; i < 50; i++) {
        const entry = enter()
        if (!(entry instanceof Promise) && entry.kind === 'rejected' && i === 49) told.push(entry.retryAfterSeconds)
      }
      clock.advance(1000)
    }
    expect(told).toEqual([1, 2, 2, 4, 4, 4, 4, 8])
    for (let i = 0; i < 40; i++) {
      clock.advance(8000)
      void enter()
    }
    expect(enter()).toMatchObject({ retryAfterSeconds: 1 })
  })
})

describe('a level with queues', () => {
  it('has the next wait, and lets it go when a seat is given back', async () => {
    configure(QUEUES)
    const first = admitted(enter())
    admitted(enter())
    const third = enter()
    expect(third).toBeInstanceOf(Promise)
    expect(control.measures.waiting.of('readOnly').value).toBe(1)
    first.leave()
    expect((await third).kind).toBe('admitted')
    expect(control.measures.waiting.of('readOnly').value).toBe(0)
  })

  it('turns away whoever finds the queue full (P-217)', () => {
    configure(QUEUES)
    for (let i = 0; i < 4; i++) void enter()
    expect(enter()).toMatchObject({ kind: 'rejected' })
  })

  it('turns away who has waited long enough (P-215)', async () => {
    configure(QUEUES)
    admitted(enter())
    admitted(enter())
    const third = enter()
    clock.advance(15_000)
    expect(await third).toMatchObject({ kind: 'rejected', retryAfterSeconds: 1 })
    expect(clock.pending).toBe(0)
  })

  it('forgets who has gone away while waiting', async () => {
    configure(QUEUES)
    const first = admitted(enter())
    admitted(enter())
    const gone = new AbortController()
    const third = enter('bob', undefined, gone.signal)
    const fourth = enter()
    gone.abort()
    await expect(third).rejects.toThrow(CancelledError)
    first.leave()
    expect((await fourth).kind).toBe('admitted')
  })

  it('shares the seats out evenly among users, however many requests one of them sends', async () => {
    configure({ queues: 64, handSize: 1, queueLengthLimit: 1000 })
    const served: Record<string, number> = { greedy: 0, modest: 0 }
    const running: { user: string; leave: () => void }[] = []
    const begin = (user: string): void => {
      const entry = enter(user)
      void Promise.resolve(entry).then((let_) => {
        if (let_.kind === 'admitted') running.push({ user, leave: () => let_.leave() })
      })
    }
    for (let i = 0; i < 400; i++) begin('greedy')
    for (let i = 0; i < 40; i++) begin('modest')
    for (let turn = 0; turn < 60; turn++) {
      // Those that had to wait begin in turns of their own: one for each seat.
      for (let seat = 0; seat < 2; seat++) await setImmediate()
      clock.advance(10)
      for (const { user, leave } of running.splice(0)) {
        served[user]!++
        leave()
      }
    }
    expect(served['modest']).toBe(40)
    expect(served['greedy']! + served['modest']!).toBeGreaterThanOrEqual(110)
  })

  it('does not let the narrow overtake the wide for ever', async () => {
    configure({ queues: 1, handSize: 1, queueLengthLimit: 50 })
    control = new PriorityAndFairness({ seats: 40, findLoad: () => load, clock })
    control.configure([level('l', 1e6, { ...QUEUES, queues: 1 })] as never, [schema('s', 'l')] as never)
    const narrow = Array.from({ length: 36 }, () => admitted(enter()))
    load = { objects: 100, bytes: 600_000, watchers: 0 }
    const wide = enter('bob', 'GET /api/v1/pods')
    const behind = enter()
    expect(wide).toBeInstanceOf(Promise)
    expect(behind).toBeInstanceOf(Promise)
    for (const entry of narrow.slice(0, 2)) entry.leave()
    expect((await wide).kind).toBe('admitted')
  })

  it('keeps those who wait when its queues change', async () => {
    configure(QUEUES)
    const first = admitted(enter())
    admitted(enter())
    const third = enter()
    configure({ queues: 8, handSize: 2, queueLengthLimit: 5 })
    first.leave()
    expect((await third).kind).toBe('admitted')
    expect(dump('dump_priority_levels')).toMatch(/^l, +1, +false, +false, +0, +2, +3,/m)
  })
})

describe('what is exempt', () => {
  it('never waits, and its headers are those of the mandatory objects', () => {
    configure()
    const root = { ...request(), user: { name: 'root', uid: undefined, groups: ['system:masters'], extra: {} } }
    for (let i = 0; i < 100; i++) expect(control.enter(root, 0)).toMatchObject({ kind: 'admitted' })
  })
})

describe('objects that change', () => {
  it('a schema without its level is left out, and the mandatory ones are there whatever is stored (P-201, P-206)', () => {
    control.configure([], [schema('s', 'gone')] as never)
    expect(control.flows.map(({ spec }) => spec.name)).toEqual(['exempt', 'catch-all'])
    const entry = admitted(enter())
    expect(entry.headers).toEqual({})
  })

  it('a level that goes away lets those finish who are in it', async () => {
    configure(QUEUES)
    const first = admitted(enter())
    admitted(enter())
    const third = enter()
    control.configure([], [])
    first.leave()
    expect((await third).kind).toBe('admitted')
  })
})

describe('seats (P-211, P-212)', () => {
  const nominal = (name: string): number => control.measures.nominal.of(name).value

  it('are shared out by the shares, rounded up (P-202, P-210)', () => {
    control = new PriorityAndFairness({ seats: 600, findLoad: () => undefined, clock })
    expect(['exempt', 'catch-all', 'system', 'workload-low'].map(nominal)).toEqual([0, 13, 74, 245])
  })

  it('are lent to whom wants them and come back (P-210)', async () => {
    control = new PriorityAndFairness({ seats: 100, findLoad: () => undefined, clock })
    const idle = level('idle', 50, QUEUES, { lendablePercent: 80 })
    const busy = level('busy', 50, { queues: 1, handSize: 1, queueLengthLimit: 500 })
    control.configure([idle, busy] as never, [schema('s', 'busy')] as never)
    const before = control.measures.current.of('busy').value
    const entries = Array.from({ length: 90 }, () => enter())
    clock.advance(10_000)
    control.adjust()
    expect(before).toBe(48)
    expect(control.measures.current.of('busy').value).toBeGreaterThan(75)
    expect(control.measures.current.of('idle').value).toBeGreaterThanOrEqual(10)
    const running = entries.filter((entry) => !(entry instanceof Promise)).length
    expect(running).toBe(48)
    expect(control.measures.executing.of('busy', 's').value).toBeGreaterThan(75)
  })

  it.each([
    ['a get', 'GET /api/v1/namespaces/n/pods/p', 1],
    ['a list of 500 kB', 'GET /api/v1/pods', 5],
    ['a page of it', 'GET /api/v1/pods?limit=20', 1],
    ['a page of a query, which reads all', 'GET /api/v1/pods?limit=20&where=true', 5],
    ['one by name', 'GET /api/v1/pods?fieldSelector=metadata.name=x', 1],
    ['a watch that begins with a state', 'GET /api/v1/pods?watch=1', 5],
    ['a watch that does not', 'GET /api/v1/pods?watch=1&resourceVersion=7', 1],
    ['a write that 45 are told of', 'POST /api/v1/namespaces/n/pods', 5],
  ])('%s', (_name, line, seats) => {
    control = new PriorityAndFairness({ seats: 600, findLoad: () => load, clock })
    control.configure([level('l', 1e6, QUEUES)] as never, [schema('s', 'l')] as never)
    load = { objects: 100, bytes: 500_000, watchers: 45 }
    admitted(enter('bob', line))
    expect(control.measures.executingSeats.of('l', 's').value).toBe(seats)
  })

  it('a write keeps its seats while others are told of it (P-213)', () => {
    control = new PriorityAndFairness({ seats: 600, findLoad: () => load, clock })
    control.configure([level('l', 1e6, QUEUES)] as never, [schema('s', 'l')] as never)
    load = { objects: 1, bytes: 1, watchers: 200 }
    const inUse = control.measures.executingSeats.of('l', 's')
    const entry = admitted(enter('bob', 'POST /api/v1/namespaces/n/pods'))
    expect(inUse.value).toBe(10)
    entry.leave()
    expect(inUse.value).toBe(10)
    clock.advance(10)
    expect(inUse.value).toBe(0)
  })
})

describe('what is shown of it', () => {
  it('who waits, where, and of which flow (P-208, P-219)', () => {
    configure(QUEUES)
    for (let i = 0; i < 3; i++) void enter('bob')
    expect(dump('dump_requests')).toMatch(/^l, +s, +\d, +0, +bob, /m)
    expect(dump('dump_queues').split('\n')).toHaveLength(6)
  })

  it('what was turned away, and why (P-217)', () => {
    configure()
    for (let i = 0; i < 5; i++) void enter()
    expect(control.measures.rejected.of('l', 's', 'concurrency-limit').value).toBe(3)
    expect(control.measures.dispatched.of('l', 's').value).toBe(2)
  })
})

describe('what is counted', () => {
  it('is forgotten with the schemas and levels that are gone', () => {
    const seriesIn = (): number => control.measures.all().reduce((sum, family) => sum + family.size, 0)
    configure()
    admitted(enter()).leave()
    control.adjust()
    const before = seriesIn()
    for (let i = 0; i < 50; i++) {
      control.configure([level(`l${i}`, 10)] as never, [schema(`s${i}`, `l${i}`)] as never)
      admitted(enter()).leave()
      control.adjust()
    }
    configure()
    admitted(enter()).leave()
    control.adjust()
    expect(seriesIn()).toBe(before)
  })
})
