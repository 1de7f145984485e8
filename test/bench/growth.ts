// What becomes of reads when there is more of everything: one server on one etcd, from 1,000 objects to 100,000 in one run.
// Where no etcd is found, or with `STORE=embedded`, it runs on the embedded store. What should stay as it is has a ratio near
// one; a list should cost the same for each object. `SIZES=1000,10000` for less.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, clientOf } from '../rigs/api-client.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { processorMillisecondsOf, residentBytesOf } from '../rigs/process-measures.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { CountingClient } from './growth-client.ts'

const SIZES = (process.env['SIZES'] ?? '1000,10000,100000').split(',').map(Number)
const MAPS = '/api/v1/namespaces/bench/configmaps'
const READERS = 16
const ROUND_MS = 2_000
const WATCHERS = 100
const WRITES = 60
const INFORMERS = 100
/** Beyond, a hundred informers would be sent gigabytes. */
const MOST_FOR_INFORMERS = 10_000
const LINE_END = 0x0a
const FILLER = 'v'.repeat(700)

/** By the name of what was measured, with its unit. */
type Figures = Readonly<Record<string, number>>

interface World {
  readonly client: ApiClient
  readonly server: ServerProcess
  readonly pid: number
}

export async function bench(): Promise<void> {
  const etcd = process.env['STORE'] === 'embedded' ? undefined : await startLargeEtcd()
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-growth-'))
  const store = etcd === undefined ? ['--data-dir', join(folder, 'data')] : ['--etcd-servers', etcd.endpoint]
  const server = new ServerProcess(['serve', '--secure-port', '0', ...store], folder, {})
  try {
    await server.listening()
    using client = clientOf(server)
    print(await measureAll({ client, server, pid: server.child.pid ?? 0 }), etcd)
  } finally {
    await server.stop()
    await etcd?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
}

function startLargeEtcd(): Promise<EtcdServer | undefined> {
  return startEtcd({ flags: ['--quota-backend-bytes=8000000000'] }).catch(() => undefined)
}

async function measureAll(world: World): Promise<readonly Figures[]> {
  await world.client.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench' } } })
  const all: Figures[] = []
  let seeded = 0
  for (const size of SIZES) {
    await seed(world.client, seeded, size)
    seeded = size
    // The first time everything is slow, whatever the size.
    if (all.length === 0) await measureSize(world, size)
    all.push(await measureSize(world, size))
  }
  return all
}

async function measureSize(world: World, size: number): Promise<Figures> {
  return {
    ...(await measureGets(world, size)),
    ...(await measureLists(world, size)),
    ...(await measureWatchers(world)),
    ...(size > MOST_FOR_INFORMERS ? {} : await measureInformers(world)),
    'memory, MB': memoryMegabytes(world.pid),
  }
}

function configMap(name: string, note: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'bench' } }, data: { note, FILLER } }
}

async function seed(client: ApiClient, from: number, to: number): Promise<void> {
  let next = from
  const writer = async (): Promise<void> => {
    while (next < to) {
      const { status, text } = await client.send('POST', MAPS, { body: configMap(`o-${next++}`, 'seed') })
      if (status !== 201) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: 2 * READERS }, writer))
}

async function measureGets({ client, pid }: World, size: number): Promise<Figures> {
  const times: number[] = []
  const before = processorMicros(pid)
  const end = performance.now() + ROUND_MS
  const reader = async (_: unknown, at: number): Promise<void> => {
    for (let turn = at; performance.now() < end; turn += READERS) {
      const began = performance.now()
      const { status } = await client.send('GET', `${MAPS}/o-${(turn * 7919) % size}`)
      if (status !== 200) throw new Error(`a GET gave ${status}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  return {
    'GET, processor µs': (processorMicros(pid) - before) / times.length,
    'GET, p50 ms': middleOf(times),
  }
}

async function measureLists({ server, pid }: World, size: number): Promise<Figures> {
  using client = new CountingClient(server)
  await client.read(MAPS)
  const resident = memoryMegabytes(pid)
  let most = resident
  const looking = setInterval(() => (most = Math.max(most, memoryMegabytes(pid))), 10)
  const whole = await measureReads(pid, () => client.read(MAPS))
  clearInterval(looking)
  const page = await measureReads(pid, () => client.read(`${MAPS}?limit=500`))
  return {
    'LIST, processor µs an object': whole.micros / size,
    'LIST, ms': whole.ms,
    'LIST, grows the process by MB': most - resident,
    'LIST limit=500, processor µs': page.micros,
    'LIST limit=500, ms': page.ms,
  }
}

async function measureReads(pid: number, read: () => Promise<number>): Promise<{ ms: number; micros: number }> {
  const times: number[] = []
  const before = processorMicros(pid)
  for (const end = performance.now() + ROUND_MS; times.length < 3 || performance.now() < end; ) {
    const began = performance.now()
    await read()
    times.push(performance.now() - began)
  }
  return { ms: middleOf(times), micros: (processorMicros(pid) - before) / times.length }
}

/** What a watcher adds to a write: the same writes with watchers and without. */
async function measureWatchers(world: World): Promise<Figures> {
  const alone = await measureWrites(world, undefined)
  using client = new CountingClient(world.server)
  // One more each for what is there at the start.
  const told = new Countdown(WATCHERS * (WRITES + 1))
  const path = `${MAPS}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dwatched`
  const onBytes = (chunk: Buffer): void => told.subtract(linesIn(chunk))
  const ends = await Promise.all(Array.from({ length: WATCHERS }, () => client.watch(path, onBytes)))
  const watched = await measureWrites(world, told.done)
  for (const end of ends) end()
  return { 'watch, processor µs an event': Math.max(0, watched - alone) / (WATCHERS * WRITES) }
}

/** An event is a line; a chunk may end anywhere in one. */
function linesIn(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++
  return lines
}

class Countdown {
  readonly done: Promise<void>
  #left: number
  #finish: () => void = () => {}

  constructor(count: number) {
    this.#left = count
    this.done = new Promise((resolve) => (this.#finish = resolve))
  }

  subtract(count: number): void {
    this.#left -= count
    if (this.#left <= 0) this.#finish()
  }
}

/** One after the other; processor time in all, until `told` too. */
async function measureWrites({ client, pid }: World, told: Promise<void> | undefined): Promise<number> {
  const metadata = { name: 'watched', labels: { watched: 'yes' } }
  await client.send('POST', MAPS, { body: { metadata } })
  const before = processorMicros(pid)
  for (let i = 0; i < WRITES; i++) {
    const body = { metadata, data: { i: `${i} ${before}` } }
    const { status, text } = await client.send('PUT', `${MAPS}/watched`, { body })
    if (status !== 200) throw new Error(text)
  }
  await told
  return processorMicros(pid) - before
}

/** As after a restart: everybody streams the whole state at once. */
async function measureInformers({ server, pid }: World): Promise<Figures> {
  const clients = Array.from({ length: INFORMERS / 10 }, () => new CountingClient(server))
  const before = processorMicros(pid)
  const began = performance.now()
  await Promise.all(Array.from({ length: INFORMERS }, (_, i) => clients[i % clients.length]!.readState(MAPS)))
  const ms = performance.now() - began
  const micros = processorMicros(pid) - before
  for (const client of clients) client[Symbol.dispose]()
  return { [`${INFORMERS} informers at once, ms`]: ms, 'an informer, processor ms': micros / 1_000 / INFORMERS }
}

function middleOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

/** So far. */
function processorMicros(pid: number): number {
  return 1_000 * processorMillisecondsOf(pid)
}

function memoryMegabytes(pid: number): number {
  return residentBytesOf(pid) / 1_024_000
}

function print(all: readonly Figures[], etcd: EtcdServer | undefined): void {
  process.stdout.write(
    `on ${etcd === undefined ? 'the embedded store' : `etcd ${etcd.version}`}, config maps of 1.2 KB\n`,
  )
  const lines = [
    ['objects', ...SIZES.map((size) => size.toLocaleString('en'))],
    ...Object.keys(all[0] ?? {}).map((name) => [name, ...all.map((figures) => show(figures[name], all[0]?.[name]))]),
  ]
  for (const [name = '', ...cells] of lines) {
    process.stdout.write(`${name.padEnd(34)}${cells.map((cell) => cell.padStart(20)).join('')}\n`)
  }
}

function show(figure: number | undefined, first: number | undefined): string {
  if (figure === undefined) return '–'
  const text = figure < 1_000 ? figure.toPrecision(3) : Math.round(figure).toLocaleString('en')
  return figure === first || first === undefined || first === 0 ? text : `${text} (×${(figure / first).toPrecision(2)})`
}
