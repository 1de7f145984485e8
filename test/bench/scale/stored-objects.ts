// Many objects of one kind: what reads and creates cost with so many, what they take in memory, and how long a start with them takes.
import { podOf } from '../sample-pod.ts'
import { inTurns, printTable, quantile, type Row, together } from './figures.ts'
import type { LoadClient } from './load-client.ts'
import { digits, type Sample, seed } from './seed.ts'
import type { Settings } from './settings.ts'
import type { Subject } from './subject.ts'

const NAMESPACE = 'scale'
const CONNECTIONS = 4
const READERS = 16
const ROUND_MS = 2_000
/** In a walk through pages. */
const PAGES = 20
const PAGE = 500
const LEAST_READS = 3
const GROUPS = 1_000
const NODES = 5_000

interface SeededKind {
  readonly title: string
  readonly plural: 'configmaps' | 'pods'
  /** The nth, as a client creates it. */
  readonly body: (name: string) => object
  readonly status?: object
  readonly nameOf: (index: number) => string
  readonly texts: readonly { readonly text: string; readonly of: (index: number) => string }[]
  /** One that finds few of them. */
  readonly fieldSelector: string
}

export const CONFIG_MAPS: SeededKind = {
  title: 'Config maps of 1 KB',
  plural: 'configmaps',
  nameOf: (index) => `object-${digits(index, 7)}`,
  body: (name) => ({ metadata: { name, labels: { group: 'group-000' } }, data: { text: 'v'.repeat(700) } }),
  texts: [],
  fieldSelector: 'metadata.name%3Dobject-0000042',
}

const PODS: SeededKind = {
  title: 'Pods of 4 KB',
  plural: 'pods',
  nameOf: (index) => `object-${digits(index, 7)}`,
  body: (name) => {
    const { spec, metadata } = podOf(0)
    const { labels, annotations } = metadata as { labels: object; annotations: object }
    const shown = { name, labels: { ...labels, group: 'group-000' }, annotations }
    return { metadata: shown, spec: { ...(spec as object), nodeName: 'node-00000' } }
  },
  status: podOf(0)['status'] as object,
  texts: [{ text: 'node-00000', of: (index) => `node-${digits(index % NODES, 5)}` }],
  fieldSelector: 'spec.nodeName%3Dnode-00042',
}

export async function measureConfigMaps(subjects: readonly Subject[], settings: Settings): Promise<void> {
  await measureKind(CONFIG_MAPS, settings.sizes, subjects, settings)
}

export async function measurePods(subjects: readonly Subject[], settings: Settings): Promise<void> {
  await measureKind(PODS, settings.pods, subjects, settings)
}

async function measureKind(
  kind: SeededKind,
  sizes: readonly number[],
  subjects: readonly Subject[],
  settings: Settings,
): Promise<void> {
  const samples = new Map<Subject, Sample>()
  for (const subject of subjects) samples.set(subject, await makeSample(kind, subject))
  const print = printTable(kind.title, 'objects')
  let seeded = 0
  for (const size of sizes) {
    for (const subject of subjects) {
      await subject.stop()
      await seed(subject.etcd.endpoint, samples.get(subject)!, seeded, size)
    }
    seeded = size
    const rows = [await inTurns(subjects, settings.rounds, (subject) => restart(subject, kind, size))]
    for (const work of WORKS) {
      // The first time everything is slow, whatever the size.
      await inTurns(subjects, 1, (subject) => work(subject, kind, size))
      rows.push(await inTurns(subjects, settings.rounds, (subject) => work(subject, kind, size)))
    }
    rows.push(await inTurns(subjects, 1, memory))
    print(together(size, rows))
  }
  for (const subject of subjects) await subject.stop()
}

const WORKS: readonly ((subject: Subject, kind: SeededKind, size: number) => Promise<Row>)[] = [
  measureGets,
  measurePages,
  (subject, kind) => measureList(subject, kind, 'LIST by label', 'labelSelector=group%3Dgroup-007'),
  (subject, kind) => measureList(subject, kind, 'LIST by field', `fieldSelector=${kind.fieldSelector}`),
  measureCreates,
]

function pathOf(kind: SeededKind): string {
  return `/api/v1/namespaces/${NAMESPACE}/${kind.plural}`
}

/** The server is left running or not, as it was; it creates the sample and is asked what it made of it. */
export async function makeSample(kind: SeededKind, subject: Subject): Promise<Sample> {
  if (!subject.isRunning) await subject.start()
  using client = subject.connect()
  const name = `object-${'9'.repeat(7)}`
  await client.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: JSON.stringify({ metadata: { name: NAMESPACE } }),
  })
  const path = pathOf(kind)
  const made = await client.do({ method: 'POST', path, body: JSON.stringify(kind.body(name)), keep: true })
  const { metadata } = JSON.parse(made.text) as { metadata: { uid: string } }
  if (kind.status !== undefined) {
    await client.do({
      method: 'PATCH',
      path: `${path}/${name}/status`,
      body: JSON.stringify({ status: kind.status }),
      contentType: 'application/merge-patch+json',
    })
  }
  const uidPart = metadata.uid.slice(0, 8)
  return {
    key: `/registry/${kind.plural}/${NAMESPACE}/${name}`,
    texts: [
      { text: name, of: kind.nameOf },
      { text: uidPart, of: (index) => index.toString(16).padStart(8, '0') },
      { text: 'group-000', of: (index) => `group-${digits(index % GROUPS, 3)}` },
      ...kind.texts,
    ],
  }
}

async function restart(subject: Subject, kind: SeededKind, size: number): Promise<Row> {
  await subject.stop()
  const began = performance.now()
  const { readyMs, processorMs } = await subject.start()
  using client = subject.connect()
  const { text } = await client.do({ path: `${pathOf(kind)}?limit=${PAGE}` })
  const listedMs = performance.now() - began
  if (!text.includes('continue')) throw new Error(`${subject.name} has fewer than ${size} objects: ${text}`)
  return {
    'start to ready, s': readyMs / 1_000,
    'start to ready, processor s': processorMs / 1_000,
    'start to first consistent list, s': listedMs / 1_000,
  }
}

async function memory(subject: Subject): Promise<Row> {
  return { 'memory, settled, MB': await subject.settledMB() }
}

/** What one of them takes of the server, and the time of each. */
async function measureRequests(
  subject: Subject,
  work: (client: LoadClient, turn: number) => Promise<unknown>,
): Promise<{ readonly micros: number; readonly times: readonly number[] }> {
  const clients = Array.from({ length: CONNECTIONS }, () => subject.connect())
  await Promise.all(clients.map((client) => client.connected()))
  const times: number[] = []
  const before = subject.processorMs()
  const end = performance.now() + ROUND_MS
  let turn = 0
  const reader = async (_: unknown, at: number): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now()
      await work(clients[at % CONNECTIONS]!, turn++)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader))
  const micros = ((subject.processorMs() - before) * 1_000) / times.length
  for (const client of clients) client[Symbol.dispose]()
  return { micros, times }
}

async function measureGets(subject: Subject, kind: SeededKind, size: number): Promise<Row> {
  const { micros, times } = await measureRequests(subject, (client, turn) =>
    client.do({ path: `${pathOf(kind)}/${kind.nameOf((turn * 7_919) % size)}` }),
  )
  return { 'GET, processor µs': micros, 'GET, p50 ms': quantile(times, 0.5) }
}

/** From the first page on, as informers of large clusters read; then again from the first. */
async function measurePages(subject: Subject, kind: SeededKind): Promise<Row> {
  let token = ''
  let walked = 0
  return measureReads(subject, 'LIST page of 500', async (client) => {
    const { text } = await client.do({ path: `${pathOf(kind)}?limit=${PAGE}${token}` })
    const next = /"continue":"([^"]+)"/.exec(text)?.[1]
    walked = next === undefined ? 0 : (walked + 1) % PAGES
    token = walked === 0 ? '' : `&continue=${encodeURIComponent(next ?? '')}`
  })
}

function measureList(subject: Subject, kind: SeededKind, name: string, query: string): Promise<Row> {
  return measureReads(subject, name, (client) => client.do({ path: `${pathOf(kind)}?${query}` }))
}

/** One after the other. */
async function measureReads(
  subject: Subject,
  name: string,
  read: (client: LoadClient) => Promise<unknown>,
): Promise<Row> {
  using client = subject.connect()
  await client.connected()
  const before = subject.processorMs()
  const times: number[] = []
  for (const end = performance.now() + ROUND_MS; times.length < LEAST_READS || performance.now() < end; ) {
    const began = performance.now()
    await read(client)
    times.push(performance.now() - began)
  }
  const millis = (subject.processorMs() - before) / times.length
  return { [`${name}, processor ms`]: millis, [`${name}, p50 ms`]: quantile(times, 0.5) }
}

let created = 0

async function measureCreates(subject: Subject, kind: SeededKind): Promise<Row> {
  const { micros, times } = await measureRequests(subject, (client) =>
    client.do({ method: 'POST', path: pathOf(kind), body: JSON.stringify(kind.body(`made-${created++}`)) }),
  )
  return { 'create, processor µs': micros, 'create, p50 ms': quantile(times, 0.5) }
}
