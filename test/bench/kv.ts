// The storage engines side by side, and beside a bare client of the same etcd on gRPC's own package. Rounds alternate, so
// that what else the machine does hits all alike; the median round counts. Trust the ratios.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { openMemory } from '../../src/kv/embedded/memory.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type Kv, prefixRange, putKey } from '../../src/kv/kv.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openBareEtcd } from './kv-bare-etcd.ts'
import { type Measured, median, measure, printTable } from './kv-measure.ts'

/** What is measured, as thin as it goes: each call is one operation of the store. */
export interface BenchedStore {
  create(key: string, value: Buffer): Promise<number>
  update(key: string, value: Buffer, expected: number): Promise<number>
  get(key: string): Promise<void>
  /** Gives how many items there were. */
  range(prefix: string, limit: number): Promise<number>
  newestRevision(): Promise<number>
  /** Resolves when so many events after the revision have come. */
  follow(prefix: string, after: number, events: number): Promise<void>
  close(): Promise<void>
}

const PREFIX = '/registry/'
const VALUE = Buffer.alloc(1_024, 'v')
const CALLERS = 64
const LISTED = 500
const ROUND_MS = 500
const ROUNDS = 3

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-bench-'))
  const signal = new AbortController().signal
  const server = await startEtcd()
  const stores: [string, BenchedStore][] = [
    ['bare client', openBareEtcd(server.endpoint)],
    ['etcd', onKv(await openEtcd({ endpoints: [server.endpoint], prefix: PREFIX }, signal))],
    ['embedded', onKv(await openEmbedded({ dataDir: join(folder, 'data') }, signal))],
    ['in memory', onKv(openMemory())],
  ]
  try {
    const columns = await Promise.all(
      stores.map(async ([name, store]) => ({ name, bench: await prepare(name, store) })),
    )
    const rows: { operation: string; cells: readonly Measured[] }[] = []
    for (const operation of Object.keys(columns[0]!.bench)) {
      const rounds: Measured[][] = []
      for (let round = 0; round < ROUNDS; round++) {
        const measured: Measured[] = []
        for (const column of columns) measured.push(await column.bench[operation]!())
        rounds.push(measured)
      }
      rows.push({ operation, cells: columns.map((_, column) => median(rounds.map((round) => round[column]!))) })
    }
    process.stdout.write(`etcd ${server.version}, values of ${VALUE.length} bytes, ${CALLERS} callers\n`)
    printTable(
      columns.map(({ name }) => name),
      rows,
    )
  } finally {
    await Promise.all(stores.map(([, store]) => store.close()))
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
}

/** One round of each operation on one store. */
async function prepare(name: string, store: BenchedStore): Promise<Record<string, () => Promise<Measured>>> {
  const own = `${PREFIX}${name.replaceAll(' ', '-')}/`
  const began = await store.newestRevision()
  const listed = Array.from({ length: LISTED }, (_, i) => `${own}listed/${1_000 + i}`)
  for (const key of listed) await store.create(key, VALUE)
  const revisions: number[] = []
  for (let caller = 0; caller < CALLERS; caller++) revisions.push(await store.create(`${own}updated/${caller}`, VALUE))
  let created = 0
  let events = LISTED + CALLERS
  return {
    puts: () =>
      measure(CALLERS, ROUND_MS, async () => {
        events++
        await store.create(`${own}created/${created++}`, VALUE)
      }),
    'conditional puts': () =>
      measure(CALLERS, ROUND_MS, async (caller) => {
        events++
        revisions[caller] = await store.update(`${own}updated/${caller}`, VALUE, revisions[caller]!)
      }),
    gets: () => measure(CALLERS, ROUND_MS, (caller) => store.get(listed[caller]!)),
    [`ranges, items of ${LISTED}`]: () => measure(4, ROUND_MS, () => store.range(`${own}listed/`, LISTED)),
    'watch events': () =>
      measure(1, 0, async () => {
        await store.follow(own, began, events)
        return events
      }),
  }
}

function onKv(kv: Kv): BenchedStore {
  const signal = new AbortController().signal
  return {
    create: async (key, value) => (await putKey(kv, { key, value, expected: 0 }, signal)).revision,
    update: async (key, value, expected) => (await putKey(kv, { key, value, expected }, signal)).revision,
    get: async (key) => {
      await kv.get(key, {}, signal)
    },
    range: async (prefix, limit) => (await kv.list({ ...prefixRange(prefix), limit }, signal)).items.length,
    newestRevision: () => kv.newestRevision(signal),
    follow: async (prefix, after, events) => {
      let seen = 0
      for await (const batch of kv.watch({ prefix, after }, signal)) {
        seen += batch.events.length
        if (seen >= events) return
      }
    },
    close: () => kv.close(),
  }
}
