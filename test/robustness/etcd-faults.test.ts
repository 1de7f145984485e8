// A real etcd, or our own store behind its API, that is killed, frozen and cut off while writers and watchers run. Afterwards every
// acknowledged write is there, nothing happened that was said not to, and each watcher saw each revision once and in order.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { callHeaders, Endpoint } from '../../src/kv/etcd/endpoint.ts'
import { type Etcd, openEtcd } from '../../src/kv/etcd/etcd.ts'
import { RevisionAssembler } from '../../src/kv/etcd/revisions.ts'
import type { KvEvent } from '../../src/kv/kv.ts'
import type { EtcdLine } from '../rigs/etcd-binary.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { StoreProcess } from '../rigs/store-process.ts'
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts'
import { PREFIX, Workload } from './workload.ts'
import { findBrokenPromises } from './write-history.ts'

const signal = new AbortController().signal

/** A version of etcd, or our own store. */
type Kind = EtcdLine | 'our own'

interface Scene {
  readonly server: EtcdServer | StoreProcess
  readonly proxy: TcpProxy
  readonly workload: Workload
}

describe('etcd under faults', () => {
  const opened: AsyncDisposable[] = []
  afterEach(async () => {
    for (const resource of opened.splice(0).toReversed()) await resource[Symbol.asyncDispose]()
  })

  async function keep<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
    const resource = await starting
    opened.push(resource)
    return resource
  }

  async function open(endpoint: string): Promise<Etcd> {
    const options = { endpoints: [endpoint], prefix: PREFIX, attemptTimeoutMs: 700, callTimeoutMs: 30_000 }
    const kv = await openEtcd(options, signal)
    opened.push({ [Symbol.asyncDispose]: () => kv.close() })
    return kv
  }

  /** Two engines go through a proxy and one does not; `faults` does its worst meanwhile. */
  async function survives(kind: Kind, faults: (scene: Scene) => Promise<void>): Promise<Workload> {
    const server = await keep<EtcdServer | StoreProcess>(
      kind === 'our own' ? StoreProcess.start() : startEtcd({ line: kind }),
    )
    const proxy = await keep(startTcpProxy(server.port))
    const engines = [await open(proxy.endpoint), await open(server.endpoint), await open(proxy.endpoint)]
    const after = await engines[0]!.newestRevision(signal)
    const workload = new Workload({ engines, after, writers: 15, watchers: 6 })
    workload.start()
    await workload.untilWon(200)
    const joining = setInterval(() => workload.addWatcher(), 200)
    await faults({ server, proxy, workload })
    clearInterval(joining)
    await workload.untilWon(50)
    await workload.stopWriting()

    const truth = await readHistory(server.endpoint, after, await engines[1]!.newestRevision(signal))
    await workload.untilSeen(truth.at(-1)!.revision)
    await workload.stopWatching()
    expect(findBrokenPromises(workload.records, truth)).toEqual([])
    for (const { events, ended } of workload.seen) {
      expect(ended).toMatchObject({ name: 'CancelledError' })
      expect(events).toEqual(truth)
    }
    expect(stateOf(truth)).toEqual(await currentState(engines[1]!))
    return workload
  }

  it.each(['newest', 'oldest', 'our own'] as const)('killed and started again, %s version', async (kind) => {
    const { records } = await survives(kind, async ({ server, workload }) => {
      for (let round = 0; round < 2; round++) {
        await server.kill()
        await server.start()
        await workload.untilWon(30)
      }
    })
    const putsInDoubt = records.filter(({ value, outcome }) => value !== undefined && outcome.kind === 'unknown')
    expect(putsInDoubt).toEqual([])
  })

  it.each(['newest', 'our own'] as const)('frozen for longer than a call waits, %s version', async (kind) => {
    await survives(kind, async ({ server, workload }) => {
      for (let round = 0; round < 2; round++) {
        await server.freeze()
        await sleep(1_200)
        server.thaw()
        await workload.untilWon(30)
      }
    })
  })

  it.each(['newest', 'oldest', 'our own'] as const)('cut off again and again, %s version', async (kind) => {
    await survives(kind, async ({ proxy, workload }) => {
      for (let round = 0; round < 20; round++) {
        await workload.untilWon(15)
        proxy.cut()
      }
    })
  })

  it.each(['newest', 'our own'] as const)('cut off in the middle of answers, %s version', async (kind) => {
    await survives(kind, async ({ proxy, workload }) => {
      const before = proxy.accepted
      // Some writers are not behind the proxy: what they win says nothing about how often the others were cut off.
      for (let round = 0; round < 10 || (proxy.accepted - before <= 5 && round < 200); round++) {
        proxy.cutAfter(1_000 + (round % 10) * 777)
        await workload.untilWon(25)
      }
      proxy.cutAfter(Infinity)
      expect(proxy.accepted - before).toBeGreaterThan(5)
    })
  })

  it.each(['newest', 'our own'] as const)(
    'cut off without a word, then heard again or cut for good, %s version',
    async (kind) => {
      await survives(kind, async ({ proxy, workload }) => {
        proxy.silence()
        await sleep(1_200)
        proxy.resume()
        await workload.untilWon(60)
        proxy.silence()
        await sleep(900)
        proxy.cut()
        proxy.resume()
        await workload.untilWon(60)
      })
    },
  )
})

/** The events of the prefix from etcd itself, over one undisturbed stream. */
async function readHistory(url: string, after: number, upTo: number): Promise<readonly KvEvent[]> {
  const endpoint = new Endpoint(url, undefined)
  const call = endpoint.openWatch(callHeaders(undefined))
  const assembler = new RevisionAssembler(after)
  const sentinel = '/registry0'
  try {
    call.send({ createRequest: { key: PREFIX, rangeEnd: sentinel, startRevision: after + 1 } })
    const events: KvEvent[] = []
    // The newest revision is that of a write to the prefix: nobody else writes to this etcd.
    while ((events.at(-1)?.revision ?? 0) < upTo) {
      const response = call.read()
      if (response === undefined) await call.readable(AbortSignal.timeout(60_000))
      else if (!response.created) assembler.add(response)
      events.push(...(assembler.take()?.events ?? []))
    }
    return events.filter(({ key }) => !key.startsWith(`${PREFIX}\0`))
  } finally {
    call.cancel()
    endpoint.close()
  }
}

function stateOf(events: readonly KvEvent[]): Record<string, string> {
  const state: Record<string, string> = {}
  for (const event of events) {
    if (event.kind === 'put') state[event.key] = event.value.toString()
    else delete state[event.key]
  }
  return state
}

async function currentState(kv: Etcd): Promise<Record<string, string>> {
  const { items } = await kv.list({ start: PREFIX, end: '/registry0' }, signal)
  return Object.fromEntries(items.map(({ key, value }) => [key, value.toString()]))
}
