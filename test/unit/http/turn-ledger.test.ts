import { describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../../src/auth/user.ts'
import type { HttpRequest } from '../../../src/http/http.ts'
import { type RequestStatus, TurnLedger } from '../../../src/http/turn-ledger.ts'
import type { Count } from '../../../src/lib/measure.ts'
import { type FakeChanges, fakeRequest } from './fake-request.ts'

const LIST = 'GET /api/v1/namespaces/n/pods'
const WATCH = 'GET /api/v1/pods?watch'

/** A ledger whose time moves when the test says so. */
class Played {
  now = 1000
  /** For which the thread did not run. */
  away = 0
  readonly ledger = new TurnLedger(
    () => this.now,
    () => this.now - this.away,
  )
  readonly told: (readonly [RequestStatus, number])[] = []

  constructor() {
    this.ledger.onLongTurn = (request, untold) => void this.told.push([request, untold])
  }

  begin(line: string, changes: FakeChanges = {}): HttpRequest {
    const turns = { busyMs: 0, longestMs: 0 }
    return fakeRequest(line, { receivedAt: this.now, turns, ...changes })
  }

  work(request: HttpRequest, milliseconds: number): void {
    this.ledger.enter(request)
    this.now += milliseconds
  }

  finish(request: HttpRequest, { user = 'alice', isAuthorized = true } = {}): void {
    const milliseconds = this.now - request.receivedAt
    const about = { user: { ...ANONYMOUS, name: user }, isAuthorized, status: 200, sentBytes: 7 }
    this.ledger.finish({ request, ...about, milliseconds })
  }

  /** One request of one turn. */
  serve(milliseconds: number, user = 'alice'): void {
    const request = this.begin(LIST)
    this.work(request, milliseconds)
    this.finish(request, { user })
  }

  async series(name: string): Promise<Readonly<Record<string, number>>> {
    const family = this.ledger.families.find((one) => one.name === name)!
    await family.refresh()
    return Object.fromEntries(
      Array.from(family.all(), ({ values, series }) => [values.join(' '), (series as Count).value]),
    )
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the time of the event loop', () => {
  it('belongs to the request that entered last', () => {
    const played = new Played()
    const [one, other] = [played.begin(LIST), played.begin(LIST)]
    played.work(one, 30)
    played.work(one, 5)
    played.work(other, 20)
    played.work(one, 10)
    played.finish(one)
    played.finish(other)
    expect(one.turns).toEqual({ busyMs: 45, longestMs: 35 })
    expect(other.turns).toEqual({ busyMs: 20, longestMs: 20 })
  })

  it('ends with its turn, so that waiting is not counted', async () => {
    const played = new Played()
    const request = played.begin(LIST)
    played.work(request, 30)
    await nextTurn()
    played.now += 5000
    played.work(request, 40)
    played.finish(request)
    expect(request.turns).toEqual({ busyMs: 70, longestMs: 40 })
  })

  it('is that of users, of whom no more are told than have room', async () => {
    const played = new Played()
    for (let i = 0; i < 3000; i++) played.serve(1, `user-${i}`)
    for (let i = 0; i < 10; i++) played.serve(50, 'greedy')
    played.ledger.spend('threaded', 400)
    const { clients } = played.ledger.report()
    expect(clients.slice(0, 2)).toMatchObject([
      { user: 'greedy', requests: 10, busyMs: 500 },
      { user: 'threaded', requests: 0, busyMs: 400 },
    ])
    const seconds = await played.series('quarterdeck_client_processor_seconds_total')
    expect(Object.keys(seconds)).toHaveLength(20)
    expect([seconds['greedy'], seconds['threaded']]).toEqual([0.5, 0.4])
  })

  it('is forgotten by halves', () => {
    const played = new Played()
    played.serve(80, 'before')
    played.ledger.report()
    played.now += 120_000
    played.serve(30, 'now')
    expect(played.ledger.report().clients.map(({ user, recentMs }) => [user, Math.round(recentMs)])).toEqual([
      ['now', 30],
      ['before', 20],
    ])
  })
})

describe('a long turn', () => {
  it('is told of with what is known of its request, and counted', async () => {
    const played = new Played()
    played.serve(100)
    expect(played.told).toEqual([])
    const request = played.begin(LIST, { auditId: 'one', headers: { 'user-agent': 'kubectl/1.36' } })
    played.work(request, 101)
    played.finish(request, { user: 'bob' })
    const wanted = {
      user: 'bob',
      verb: 'list',
      resource: 'pods',
      path: '/api/v1/namespaces/n/pods',
      status: 200,
      sentBytes: 7,
      longestTurnMs: 101,
      auditId: 'one',
      agent: 'kubectl/1.36',
    }
    expect(played.told).toMatchObject([[wanted, 0]])
    expect(played.ledger.report().slowest).toMatchObject([wanted])
    expect(await played.series('quarterdeck_long_turns_total')).toEqual({ 'list  pods': 1 })
    // Every reader sees it, and for the same time.
    for (const seconds of [0.101, 0.101, 0]) {
      expect(await played.series('quarterdeck_longest_turn_seconds')).toEqual({ '': seconds })
      if (seconds > 0) played.now += 200_000
    }
  })

  it('is none where the thread did not run', () => {
    const played = new Played()
    const request = played.begin(LIST)
    played.ledger.enter(request)
    played.now += 500
    played.away += 420
    played.finish(request)
    expect(request.turns).toEqual({ busyMs: 80, longestMs: 80 })
    expect(played.told).toEqual([])
    played.serve(101)
    expect(played.told).toMatchObject([[{ longestTurnMs: 101 }, 0]])
  })

  it('of a watch is told of before the watch ends, and once', () => {
    const played = new Played()
    const watch = played.begin(WATCH)
    for (let i = 0; i < 3; i++) {
      played.work(watch, 150)
      played.work(played.begin(LIST), 0)
    }
    expect(played.told).toHaveLength(1)
    played.finish(watch)
    expect(played.told).toHaveLength(1)
  })

  it('makes no series by words of a client that was not let in', async () => {
    const played = new Played()
    const request = played.begin('GET /apis/made.up/v1/anythings')
    played.work(request, 200)
    played.finish(request, { isAuthorized: false })
    expect(await played.series('quarterdeck_long_turns_total')).toEqual({ '  ': 1 })
  })

  it('is logged ten times at once, and then once in ten seconds', () => {
    const played = new Played()
    for (let i = 0; i < 30; i++) played.serve(200)
    expect(played.told).toHaveLength(10)
    played.now += 10_000
    played.serve(200)
    expect(played.told).toHaveLength(11)
    expect(played.told.at(-1)![1]).toBe(20)
    expect(played.ledger.report().slowest).toHaveLength(31)
  })

  it('is shown for five minutes', () => {
    const played = new Played()
    played.serve(200)
    played.now += 299_000
    expect(played.ledger.report().slowest).toHaveLength(1)
    played.now += 2_000
    expect(played.ledger.report().slowest).toEqual([])
  })
})

it('requests under way are shown, those that took the most first', () => {
  const played = new Played()
  const [idle, busy] = [played.begin(LIST, { auditId: 'idle' }), played.begin(WATCH, { auditId: 'busy' })]
  played.ledger.running = () => [idle, busy]
  played.work(busy, 20)
  played.work(idle, 0)
  expect(played.ledger.report().running.map(({ auditId, busyMs }) => [auditId, busyMs])).toEqual([
    ['busy', 20],
    ['idle', 0],
  ])
})
