import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { KvError, type StoreSize } from '../../../src/kv/kv.ts'
import type { Maintenance, Member } from '../../../src/kv/maintenance.ts'
import type { Log, LogFields } from '../../../src/lib/log.ts'
import { SpaceKeeper, type SpaceKeeperOptions } from '../../../src/store/space-keeper.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'

const { signal } = new AbortController()
const BOUNDS = { freeShare: 0.5, minBytes: 0 }

function recordedLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = []
  const tell = (level: string) => (_: LogFields, message: string) => void lines.push(`${level}: ${message}`)
  return { log: { debug: () => {}, info: tell('info'), warn: tell('warn'), error: tell('error') }, lines }
}

function sizeWith(availableBytes: number, quotaBytes = 100): StoreSize {
  return { bytes: quotaBytes - availableBytes, inUseBytes: 10, limit: { quotaBytes, availableBytes } }
}

/** A store of which the test says how it is. */
class Store {
  size_: StoreSize = sizeWith(90)
  failure: KvError | undefined

  size(): Promise<StoreSize> {
    return Promise.resolve(this.size_)
  }

  checkHealth(): Promise<void> {
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure)
  }
}

function keeperOf(store: Store, more: Partial<SpaceKeeperOptions> = {}) {
  const { log, lines } = recordedLog()
  const clock = new ManualClock()
  const keeper = new SpaceKeeper({ kv: store, maintenance: undefined, bounds: undefined, clock, log, ...more })
  return { keeper, clock, lines }
}

const FULL = new KvError('full', 'etcd has raised an alarm: NOSPACE')

describe('the space of the storage', () => {
  it('is warned of once before it ends, and again after there was enough', async () => {
    const store = new Store()
    const { keeper, lines } = keeperOf(store)
    for (const left of [90, 19, 18, 22, 26, 19]) {
      store.size_ = sizeWith(left)
      await keeper.look(signal)
    }
    const warning = 'warn: storage is almost full; writes will be refused when it is'
    expect(lines).toEqual([warning, 'info: storage has enough space again', warning])
  })

  it('that has ended is told once, and so is that there is some again', async () => {
    const store = new Store()
    const { keeper, lines } = keeperOf(store)
    store.size_ = sizeWith(0)
    store.failure = FULL
    await keeper.look(signal)
    await keeper.look(signal)
    store.size_ = sizeWith(10)
    store.failure = undefined
    await keeper.look(signal)
    expect(lines).toEqual([
      'error: storage is out of space; writes are refused',
      'info: storage takes writes again, and is almost full',
    ])
  })

  it('is looked at every ten seconds, also after the storage was away', async () => {
    const store = new Store()
    const stop = new AbortController()
    const { keeper, clock, lines } = keeperOf(store)
    const running = keeper.run(stop.signal)
    store.failure = new KvError('unavailable', 'no member answers')
    clock.advance(10_000)
    await setImmediate()
    expect(lines).toEqual([])
    store.failure = undefined
    store.size_ = sizeWith(5)
    clock.advance(10_000)
    await setImmediate()
    expect(lines).toHaveLength(1)
    stop.abort()
    await running
  })
})

function maintenanceOf(member: Member, done: string[]): Maintenance {
  const note = (what: string) => () => Promise.resolve(void done.push(what))
  return {
    members: () => Promise.resolve({ answering: [member], silent: [] }),
    forgetHistory: note('compact'),
    defragment: note('defragment'),
    disarmNoSpace: note('disarm'),
  }
}

describe('a database file that is large for nothing', () => {
  const free: Member = { url: 'http://a', id: '1', isLeader: true, problems: [], size: sizeWith(80) }

  it('is left alone where it is not ours to defragment', async () => {
    const done: string[] = []
    const { keeper } = keeperOf(new Store(), {
      maintenance: maintenanceOf({ ...free, size: { ...sizeWith(0) } }, done),
    })
    await keeper.look(signal)
    expect(done).toEqual([])
  })

  it('is defragmented above the bounds', async () => {
    const done: string[] = []
    const member = { ...free, size: { bytes: 100, inUseBytes: 49, limit: undefined } }
    const { keeper, lines } = keeperOf(new Store(), { maintenance: maintenanceOf(member, done), bounds: BOUNDS })
    await keeper.look(signal)
    expect(done).toEqual(['defragment'])
    expect(lines).toEqual(['info: defragmented a member of etcd'])
  })

  it('that cannot be defragmented is told once, and tried again after a minute', async () => {
    const member = { ...free, size: { bytes: 100, inUseBytes: 49, limit: undefined } }
    let tries = 0
    const defragment = () => Promise.reject(new Error(`denied${void tries++}`))
    const maintenance = { ...maintenanceOf(member, []), defragment }
    const { keeper, clock, lines } = keeperOf(new Store(), { maintenance, bounds: BOUNDS })
    await keeper.look(signal)
    await keeper.look(signal)
    expect(tries).toBe(1)
    clock.advance(60_000)
    await keeper.look(signal)
    expect(tries).toBe(2)
    expect(lines).toEqual(['warn: could not defragment etcd'])
  })

  it('of a store out of space is defragmented once in vain, and again when there was space in between', async () => {
    const done: string[] = []
    const store = new Store()
    const full = { ...free, size: { ...sizeWith(0), inUseBytes: 100 } }
    const { keeper, clock } = keeperOf(store, { maintenance: maintenanceOf(full, done), bounds: BOUNDS })
    const lookAfterAMinute = async (failure: KvError | undefined): Promise<void> => {
      store.failure = failure
      clock.advance(60_000)
      await keeper.look(signal)
    }
    await lookAfterAMinute(FULL)
    await lookAfterAMinute(FULL)
    expect(done).toEqual(['compact', 'defragment', 'compact'])
    await lookAfterAMinute(undefined)
    await lookAfterAMinute(FULL)
    expect(done.slice(3)).toEqual(['compact', 'defragment'])
  })
})
