import { beforeEach, describe, expect, it } from 'vitest'
import type { WatchStart } from '../../../src/api/read.ts'
import { ANONYMOUS } from '../../../src/auth/user.ts'
import { WatchMeasures } from '../../../src/handlers/watch-measures.ts'
import { showWatchers, type WatchersElsewhere } from '../../../src/handlers/watchers-page.ts'
import { type OpenWatch, Watchers, type Watched } from '../../../src/handlers/watchers.ts'
import { NOT_AUDITED } from '../../../src/http/http.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import type { Watch } from '../../../src/registry/read.ts'
import { exposition } from '../../../src/telemetry/exposition.ts'
import { familiesOf, snapshotOf } from '../../../src/telemetry/worker-metrics.ts'
import { ManualClock } from '../../fakes/manual-clock.ts'
import { bodyText, fakeRequest } from '../http/fake-request.ts'

const WATCHED: Watched = {
  user: 'jane',
  agent: 'tool/1.0 (linux)',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'n',
  labelSelector: 'a=b',
  fieldSelector: '',
}
const HOLDER = { user: WATCHED.user, connection: {}, conditionBytes: 0, bytes: 300 }
const AFTER: WatchStart = { kind: 'after', revision: 7 }
const STATE: WatchStart = { kind: 'state', at: { kind: 'any' } }

class Sink {
  bytes = 0
  waitingBytes = 0
  write = (): boolean => true
  drained = (): Promise<void> => Promise.resolve()
}

let clock: ManualClock
let told: [string, Readonly<Record<string, unknown>>][]
let measures: WatchMeasures
let watchers: Watchers
beforeEach(() => {
  clock = new ManualClock(Date.parse('2030-01-01T00:00:00Z'))
  told = []
  measures = new WatchMeasures()
  const log = { ...SILENT_LOG, warn: (fields: object, text: string) => void told.push([text, { ...fields }]) }
  watchers = new Watchers({ clock, log, measures, revision: () => 1000 })
})

const events: Watch = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }

function open(watch: Watch = events, watched = WATCHED): { readonly open: OpenWatch; readonly sink: Sink } {
  const opened = watchers.begin(watched, AFTER, HOLDER)
  const sink = new Sink()
  opened.flows(watch, sink)
  return { open: opened, sink }
}

describe('an open watch', () => {
  it('is told of until it ends', () => {
    const { open: one, sink } = open()
    one.revision = 990
    Object.assign(sink, { bytes: 300, waitingBytes: 100 })
    expect(watchers.statuses()).toEqual([
      {
        ...WATCHED,
        since: '2030-01-01T00:00:00Z',
        resourceVersion: '990',
        lag: 10,
        sentBytes: 200,
        waitingBytes: 100,
        waitingMs: 0,
        reconnects: 0,
        relists: 0,
      },
    ])
    watchers.end(one)
    expect(watchers.statuses()).toEqual([])
  })

  it('lags behind by what was not passed on, and not by what was never for it', () => {
    const { open: one } = open({ ...events, passedOn: () => undefined })
    one.revision = 3
    expect(watchers.statuses()[0]?.lag).toBe(0)
    open({ ...events, passedOn: () => 950 })
    expect(watchers.statuses().map(({ lag }) => lag)).toEqual([50, 0])
  })

  it('has waited since the oldest of what its client has not taken', () => {
    const { sink } = open()
    const waited = (): number | undefined => watchers.statuses()[0]?.waitingMs
    Object.assign(sink, { bytes: 100, waitingBytes: 100 })
    clock.advance(1000)
    expect(waited()).toBe(0)
    clock.advance(1000)
    expect(waited()).toBe(1000)
    // The first hundred are taken, and others wait.
    Object.assign(sink, { bytes: 300, waitingBytes: 200 })
    clock.advance(1000)
    expect(waited()).toBe(0)
    clock.advance(1000)
    expect(waited()).toBe(1000)
    sink.waitingBytes = 0
    expect(waited()).toBe(0)
  })

  it('whose client takes a little at a time has waited for what that is behind', () => {
    const { sink } = open()
    sink.waitingBytes = 1000
    for (let second = 0; second < 60; second++) {
      sink.bytes = 1000 + second * 100
      clock.advance(1000)
    }
    // A hundred bytes a second, a thousand of them waiting: ten seconds.
    expect(watchers.statuses()[0]?.waitingMs).toBeGreaterThan(7000)
    expect(watchers.statuses()[0]?.waitingMs).toBeLessThan(12_000)
  })
})

describe('a client that does not keep up', () => {
  it('is named within five seconds, once', () => {
    const { sink } = open()
    open()
    Object.assign(sink, { bytes: 100, waitingBytes: 100 })
    clock.advance(5000)
    expect(told).toEqual([
      ['watch client does not keep up', expect.objectContaining({ user: 'jane', waitingBytes: 100, waitingMs: 2000 })],
    ])
    clock.advance(60_000)
    expect(told).toHaveLength(1)
    expect(measures.slow.of('apps', 'v1', 'deployments').value).toBe(1)
    sink.waitingBytes = 0
    clock.advance(1000)
    Object.assign(sink, { bytes: 200, waitingBytes: 100 })
    clock.advance(5000)
    expect(measures.slow.of('apps', 'v1', 'deployments').value).toBe(2)
  })
})

describe('a client that comes back', () => {
  it('is counted, for five minutes', () => {
    for (let i = 0; i < 3; i++) watchers.end(open().open)
    const { open: last } = open()
    expect(watchers.statuses()[0]).toMatchObject({ reconnects: 3, relists: 0 })
    clock.advance(6 * 60_000)
    expect(watchers.statuses()[0]?.reconnects).toBe(0)
    watchers.end(last)
  })

  it('is another one with another name', () => {
    watchers.end(open().open)
    open(events, { ...WATCHED, agent: 'other' })
    expect(watchers.statuses()[0]?.reconnects).toBe(0)
  })

  it('has not relisted where its watch goes on, or where it never watched', () => {
    watchers.noteList(WATCHED)
    const { open: one } = open()
    for (let i = 0; i < 9; i++) watchers.noteList(WATCHED)
    expect(watchers.statuses()[0]?.relists).toBe(0)
    watchers.end(one)
    expect(told).toEqual([])
  })

  it('is told of where it begins anew again and again, by lists or by states', () => {
    for (let i = 0; i < 7; i++) {
      if (i % 2 === 0) watchers.noteList(WATCHED)
      watchers.end(watchers.begin(WATCHED, i % 2 === 0 ? AFTER : STATE, HOLDER))
    }
    expect(told).toEqual([
      ['client relists in a loop', { user: 'jane', agent: 'tool/1.0 (linux)', group: 'apps', resource: 'deployments' }],
    ])
    // The first list was none; the fifth that was begins the loop.
    expect(measures.relistLoops.of('apps', 'deployments').value).toBe(2)
  })

  it('is forgotten after a while, and nothing is left to be done', () => {
    const { open: one } = open()
    watchers.end(one)
    watchers.end(one)
    expect(clock.pending).toBe(0)
    clock.advance(6 * 60_000)
    watchers.noteList(WATCHED)
    open()
    expect(watchers.statuses()[0]).toMatchObject({ reconnects: 0, relists: 0 })
  })

  it('is known for as long as it watches', () => {
    const { open: one } = open()
    clock.advance(60 * 60_000)
    watchers.end(one)
    watchers.noteList(WATCHED)
    open()
    expect(watchers.statuses()[0]).toMatchObject({ reconnects: 1, relists: 1 })
  })

  it('takes no more room however many there are', () => {
    for (let i = 0; i < 3000; i++) watchers.end(open(events, { ...WATCHED, agent: `a-${i}` }).open)
    const reconnectsOf = (agent: string): number | undefined => {
      const { open: one } = open(events, { ...WATCHED, agent })
      const { reconnects } = watchers.statuses()[0]!
      watchers.end(one)
      return reconnects
    }
    expect(reconnectsOf('a-0')).toBe(0)
    expect(reconnectsOf('a-2999')).toBe(1)
  })
})

describe('the number of watches', () => {
  it('is counted by how far they lag behind', async () => {
    for (const passedOn of [undefined, 999, 0]) open({ ...events, passedOn: () => passedOn })
    const [family] = watchers.families
    await family!.refresh()
    const counts = Array.from(family!.all(), ({ values, series }) => [values[0], 'value' in series && series.value])
    expect(Object.fromEntries(counts)).toEqual({ 0: 1, 10: 1, 100: 0, 1000: 1, 10000: 0, '+Inf': 0 })
  })
})

describe('the page', () => {
  const pageFor = async (accept?: string, search = '', elsewhere: WatchersElsewhere = {}): Promise<string> => {
    const headers = accept === undefined ? {} : { accept }
    const request = fakeRequest(`GET /debug/watchers${search}`, { headers })
    return bodyText(await showWatchers(watchers, elsewhere)(request, { user: ANONYMOUS, audit: NOT_AUDITED }))
  }

  it('is JSON for who asks for it', async () => {
    open()
    for (const accept of ['application/json', 'application/json, */*']) {
      expect(JSON.parse(await pageFor(accept))).toMatchObject({ resourceVersion: '1000', watchers: [{ user: 'jane' }] })
    }
  })

  it('is a table for others', async () => {
    const { open: one, sink } = open()
    one.revision = 990
    Object.assign(sink, { bytes: 5_000_000, waitingBytes: 2048 })
    for (const accept of [undefined, '*/*', 'text/html,*/*;q=0.8']) {
      expect((await pageFor(accept)).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
        ['1 watchers at resourceVersion 1000'],
        expect.arrayContaining(['USER', 'AGENT', 'RESOURCE', 'LAG', 'RELISTS']),
        [
          'jane',
          'tool/1.0',
          'deployments.apps',
          'n',
          'a=b',
          '2030-01-01T00:00:00Z',
          '990',
          '10',
          '4.8MiB',
          '2.0KiB',
          '-',
          '0',
          '0',
        ],
        [''],
      ])
    }
  })

  it('gives no commands to a terminal, whatever clients are called', async () => {
    open(events, { ...WATCHED, agent: `\u001b[2Jx\u009b1m${'y'.repeat(100)}` })
    const [, , row = ''] = (await pageFor()).split('\n')
    expect(row).toMatch(/^[\x20-\x7e]+$/)
    expect(row).toContain(`?[2Jx?1m${'y'.repeat(37)}... `)
  })

  describe('of all replicas', () => {
    const asked: string[] = []
    const other = { ...WATCHED, user: 'joe', since: '', resourceVersion: '', lag: 5 }
    const status = { ...other, sentBytes: 0, waitingBytes: 0, waitingMs: 900, reconnects: 0, relists: 0 }
    const replicas = {
      ownName: 'this',
      ask: async ({ name }: { readonly name: string }) => {
        asked.push(name)
        return [
          { replica: 'that', watchers: [status] },
          { replica: 'deaf', watchers: [], problem: 'no \u001b[2Janswer' },
        ]
      },
    }

    it('says whose each watch is, and who does not tell', async () => {
      open()
      const page = JSON.parse(await pageFor('application/json', '?replicas=all', { replicas })) as WatchersPage
      expect(page.replicas).toEqual([
        { name: 'this' },
        { name: 'that' },
        { name: 'deaf', problem: 'no \u001b[2Janswer' },
      ])
      expect(page.watchers.map(({ user, replica }) => [user, replica])).toEqual([
        ['joe', 'that'],
        ['jane', 'this'],
      ])
      expect(asked).toEqual(['system:anonymous'])
      const [title, silent, , first] = (await pageFor('*/*', '?replicas=all', { replicas })).split('\n')
      expect(title).toBe('2 watchers of 3 replicas at resourceVersion 1000')
      expect(silent).toBe('deaf does not tell who watches it: no ?[2Janswer')
      expect(first).toMatch(/^that +joe +tool\/1\.0 /)
    })

    it('is asked for, and of nobody who was not', async () => {
      asked.length = 0
      expect(JSON.parse(await pageFor('application/json', '', { replicas }))).not.toHaveProperty('replicas')
      await expect(pageFor('application/json', '?replicas=some', { replicas })).rejects.toThrow('replicas must be all')
      expect(asked).toEqual([])
    })
  })
})

interface WatchersPage {
  readonly replicas: readonly object[]
  readonly watchers: readonly { readonly user: string; readonly replica: string }[]
}

it('what a client can do wrong is told from 0 on, so that the first time is seen as an increase', async () => {
  const { group, version, resource } = WATCHED
  measures.of({ group, version, resource }, 'cluster')
  const families = [measures.slow, measures.relistLoops]
  const ofWorkers = familiesOf(families, [{ worker: '1', families: await snapshotOf(families) }])
  for (const shown of [families, ofWorkers]) {
    let text = ''
    for await (const piece of exposition(shown)) text += piece.toString()
    const lines = text.split('\n')
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'quarterdeck_slow_watchers_total{group="apps",version="v1",resource="deployments"} 0',
      'quarterdeck_relist_loops_total{group="apps",resource="deployments"} 0',
    ])
  }
})
