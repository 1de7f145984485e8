import { describe, expect, it } from 'vitest'
import type { Admitted, Entry } from '../../../src/flow/flow.ts'
import type { PriorityAndFairness } from '../../../src/flow/priority-and-fairness.ts'
import { openPriorityAndFairness } from '../../../src/server/flow-control.ts'
import { type SeatNews, SeatLoans, type SeatWord, type SeatWorker } from '../../../src/server/seat-loans.ts'
import { dice } from '../../fakes/dice.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { fakeRequest } from '../http/fake-request.ts'

const QUEUES = { queues: 1, handSize: 1, queueLengthLimit: 1000 }
const LIMITS = {
  'that rejects': { type: 'Reject' },
  'with queues': { type: 'Queue', queuing: QUEUES },
} as const

function objects(limitResponse: object) {
  const limited = { nominalConcurrencyShares: 1_000_000, limitResponse, lendablePercent: 0 }
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }]
  const rules = [{ subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules }]
  const flow = { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 50, rules }
  return {
    levels: [{ metadata: { name: 'l' }, spec: { type: 'Limited', limited } }],
    schemas: [{ metadata: { name: 's' }, spec: flow }],
  }
}

/** Workers with so many seats each, whose messages arrive when the test says so, in the order in which each was sent. */
class Server {
  readonly clock = new ManualClock()
  readonly workers: Worker[] = []
  readonly loans = new SeatLoans(() => this.workers)
  /** One for each direction of each channel. */
  readonly channels = new Set<(() => void)[]>()
  readonly #seatsEach: number
  readonly #limitResponse: object

  constructor(names: readonly string[], seatsEach: number, limitResponse: object) {
    this.#seatsEach = seatsEach
    this.#limitResponse = limitResponse
    for (const name of names) this.start(name)
  }

  start(name: string): Worker {
    const worker = new Worker(this, name, this.#seatsEach, this.#limitResponse)
    this.workers.push(worker)
    this.loans.onChange()
    return worker
  }

  kill(worker: Worker): void {
    this.workers.splice(this.workers.indexOf(worker), 1)
    worker.stage = 'gone'
    for (const channel of worker.channels) this.channels.delete(channel)
    this.loans.onChange()
  }

  channel(): (() => void)[] {
    const messages: (() => void)[] = []
    this.channels.add(messages)
    return messages
  }

  /** Until nobody has anything to say. */
  settle(): void {
    for (let sent = [...this.channels]; sent.some(({ length }) => length > 0); sent = [...this.channels]) {
      for (const messages of sent) messages.shift()?.()
    }
  }

  get inUse(): number {
    return this.workers.reduce((sum, { running }) => sum + running.length, 0)
  }
}

class Worker implements SeatWorker {
  readonly name: string
  stage: SeatWorker['stage'] = 'ready'
  readonly running: Admitted[] = []
  readonly channels: readonly (() => void)[][]
  readonly #control: PriorityAndFairness
  readonly #toWorker: (() => void)[]
  #take: (news: SeatNews) => void = () => {}

  constructor(server: Server, name: string, seats: number, limitResponse: object) {
    this.name = name
    this.#toWorker = server.channel()
    const toSupervisor = server.channel()
    this.channels = [this.#toWorker, toSupervisor]
    this.#control = openPriorityAndFairness(seats, {
      findLoad: () => undefined,
      clock: server.clock,
      seats: {
        lent: server.loans.lentBy(name),
        tell: (word: SeatWord) => void toSupervisor.push(() => server.loans.receive(word, this)),
        onNews: (take) => (this.#take = take),
      },
    })
    const { levels, schemas } = objects(limitResponse)
    this.#control.configure(levels as never, schemas)
  }

  tell(news: SeatNews): void {
    this.#toWorker.push(() => this.#take(news))
  }

  get limit(): number {
    return this.#control.levels.find(({ spec }) => spec.name === 'l')!.limit
  }

  enter(): void {
    const user = { name: 'ann', uid: undefined, groups: [], extra: {} }
    const note = (entry: Entry): void => void (entry.kind === 'admitted' && this.running.push(entry))
    const entry = this.#control.enter({ ...fakeRequest('GET /api/v1/namespaces/n/pods/p'), user }, 60_000)
    if (entry instanceof Promise) void entry.then(note)
    else note(entry)
  }

  adjust(): void {
    this.#control.adjust()
  }
}

/** What waits is told that it may go at the end of a turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** So many come, again and again, while messages go to and fro. */
async function crowd(server: Server, workers: readonly Worker[]): Promise<void> {
  for (let round = 0; round < 30; round++) {
    for (const worker of workers) for (let i = worker.running.length; i < 60; i++) worker.enter()
    server.clock.advance(100)
    server.settle()
    await turn()
  }
}

describe.each(Object.entries(LIMITS))('the seats of two workers, of a level %s', (_, limitResponse) => {
  const open = (): { server: Server; one: Worker; other: Worker } => {
    const server = new Server(['1', '2'], 20, limitResponse)
    const [one, other] = server.workers as [Worker, Worker]
    return { server, one, other }
  }

  it('are for the one that is busy, but for some', async () => {
    const { server, one, other } = open()
    await crowd(server, [one])
    expect([one.running.length, other.limit]).toEqual([35, 5])
  })

  it('are halved where both are busy, also where one was before', async () => {
    const { server, one, other } = open()
    await crowd(server, [one, other])
    expect([one.running.length, other.running.length]).toEqual([20, 20])
    const later = open()
    await crowd(later.server, [later.one])
    for (let i = 0; i < 20; i++) later.other.enter()
    later.server.settle()
    expect(later.server.inUse).toBe(40)
    // They come back as requests end that have them.
    for (const running of later.one.running.splice(0, 30)) running.leave()
    await crowd(later.server, [later.other, later.one])
    expect([later.one.running.length, later.other.running.length]).toEqual([20, 20])
  })

  it('are given back where they are not wanted any more', async () => {
    const { server, one, other } = open()
    await crowd(server, [one])
    while (one.running.length > 0) {
      for (const running of one.running.splice(0)) running.leave()
      await turn()
    }
    // The period in which they were wanted ends, then one in which they were not.
    for (let period = 0; period < 2; period++) {
      server.clock.advance(10_000)
      one.adjust()
      server.settle()
    }
    expect([one.limit, other.limit]).toEqual([20, 20])
  })

  it('come back from one that is gone, and are not there twice where it had lent them', async () => {
    const { server, one, other } = open()
    await crowd(server, [one])
    server.kill(other)
    const next = server.start('2')
    server.settle()
    expect(next.limit).toBe(5)
    server.kill(one)
    server.start('1')
    server.settle()
    expect(server.workers.map(({ limit }) => limit)).toEqual([20, 20])
  })
})

describe.each([1, 2, 3])('whatever happens in whatever order (seed %i)', (seed) => {
  it('no more requests run than there are seats', async () => {
    const roll = dice(seed)
    const names = ['1', '2', '3']
    const server = new Server(names, 12, LIMITS[roll(2) === 0 ? 'that rejects' : 'with queues'])
    let most = 0
    for (let step = 0; step < 2000; step++) {
      const worker = server.workers[roll(server.workers.length)]!
      const what = roll(200)
      if (what < 80) for (let i = roll(8); i >= 0; i--) worker.enter()
      else if (what < 130) for (const { leave } of bound(worker.running.splice(0, roll(8)))) leave()
      else if (what < 180) {
        const waiting = [...server.channels].filter(({ length }) => length > 0)
        waiting[roll(waiting.length)]?.shift()?.()
      } else if (what < 190) server.clock.advance(roll(150))
      else if (what < 198) worker.adjust()
      else if (what === 198 && worker.stage === 'ready') {
        server.kill(worker)
        server.start(worker.name)
      }
      await turn()
      most = Math.max(most, server.inUse)
      expect(server.inUse).toBeLessThanOrEqual(36)
    }
    expect(most).toBeGreaterThan(30)
    for (const worker of server.workers) for (const { leave } of bound(worker.running.splice(0))) leave()
  })
})

function bound(entries: readonly Admitted[]): readonly { leave: () => void }[] {
  return entries.map((entry) => ({ leave: () => entry.leave() }))
}
