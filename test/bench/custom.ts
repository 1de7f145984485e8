// Custom resources beside config maps of the same size, in one run and turn by turn: create, get, list and apply, and lists of
// 100,000; how soon a new kind can be used on every replica; then what a thousand definitions cost in memory and at the start,
// and how long a large schema takes to compile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import type { ValueMap } from '../../src/api/value.ts'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ABSENT, putKey } from '../../src/kv/kv.ts'
import { CustomSchema } from '../../src/schema/custom/custom.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import type { ObjectShape } from '../../src/schema/table.ts'
import { ApiClient } from '../rigs/api-client.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'
import { median } from './median.ts'

const GROUP = 'bench.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const OBJECTS = 1_000
const AT_ONCE = 32
const ROUNDS = 3

function definition(plural: string, kind: string, properties: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { data: { type: 'object', properties } } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { plural, kind },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
}

const MEMBERS = Array.from({ length: 20 }, (_, i) => `member-${i}`)
const DATA = Object.fromEntries(MEMBERS.map((name) => [name, `the value of ${name}, as long as such values are`]))

interface Kind {
  readonly name: string
  readonly at: string
  readonly apiVersion: string
  readonly kind: string
}

const KINDS: readonly Kind[] = [
  { name: 'config maps', at: '/api/v1/namespaces/default/configmaps', apiVersion: 'v1', kind: 'ConfigMap' },
  { name: 'custom objects', at: `/apis/${GROUP}/v1/namespaces/default/maps`, apiVersion: `${GROUP}/v1`, kind: 'Map' },
]

async function everyOne(count: number, work: (i: number) => Promise<void>): Promise<number> {
  const started = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return (performance.now() - started) / count
}

async function must(client: ApiClient, method: string, to: string, sending: object = {}): Promise<string> {
  const { status, text } = await client.send(method, to, sending)
  if (status >= 300) throw new Error(`${method} ${to}: ${status} ${text}`)
  return text
}

async function untilServed(client: ApiClient, at: string): Promise<void> {
  for (const until = Date.now() + 60_000; ; ) {
    const { status } = await client.send('GET', at)
    if (status === 200) return
    if (Date.now() > until) throw new Error(`${at} is not served: ${status}`)
  }
}

const VERBS = ['create', 'get', 'list', 'apply'] as const
type Verb = (typeof VERBS)[number]

/** As many requests at a turn: the two kinds take turns, so that what else the machine does hits both. */
const TURN = 100
const LISTS_A_TURN = 8
const APPLY = 'application/apply-patch+yaml'

interface Turn {
  readonly round: number
  /** The number of the first object. */
  readonly from: number
}

/** Milliseconds for one request. */
async function turnOf(
  client: ApiClient,
  verb: Verb,
  { kind: { at, apiVersion, kind }, round, from }: Turn & { readonly kind: Kind },
): Promise<number> {
  const nameOf = (i: number): string => `o-${round}-${from + i}`
  const object = (i: number): object => ({ apiVersion, kind, metadata: { name: nameOf(i) }, data: DATA })
  switch (verb) {
    case 'create':
      return everyOne(TURN, async (i) => void (await must(client, 'POST', at, { body: object(i) })))
    case 'get':
      return everyOne(TURN, async (i) => void (await must(client, 'GET', `${at}/${nameOf(i)}`)))
    case 'list':
      return everyOne(LISTS_A_TURN, async () => void (await must(client, 'GET', at)))
    case 'apply':
      return everyOne(TURN, async (i) => {
        const body = { ...object(i), data: { ...DATA, [MEMBERS[0]!]: `${i}` } }
        const to = `${at}/${nameOf(i)}?fieldManager=bench&force=true`
        await must(client, 'PATCH', to, { contentType: APPLY, body })
      })
  }
}

function tellBeside(name: string, [built = 0, custom = 0]: readonly number[]): void {
  const times = `${built.toFixed(3)} ms, custom ${custom.toFixed(3)} ms: ${(custom / built).toFixed(2)} times`
  process.stdout.write(`  ${name.padEnd(18)} config map ${times}\n`)
}

async function sideBySide(): Promise<void> {
  await using server = await openServer()
  using client = new ApiClient({ url: server.url, token: server.adminToken, ca: server.authority })
  const properties = Object.fromEntries(MEMBERS.map((name) => [name, { type: 'string' }]))
  await must(client, 'POST', DEFINITIONS, { body: definition('maps', 'Map', properties) })
  const started = performance.now()
  await untilServed(client, KINDS[1]!.at)
  process.stdout.write(`  a new kind is served after ${(performance.now() - started).toFixed(0)} ms\n`)
  const made = (): Map<Verb, readonly number[][]> => new Map(VERBS.map((verb) => [verb, KINDS.map(() => [])]))
  const [times, processor] = [made(), made()]
  for (let round = 0; round < ROUNDS; round++) {
    for (const verb of VERBS) {
      for (let from = 0; from < OBJECTS; from += TURN) {
        // Whoever comes first pays for what the other left behind.
        const order = [...KINDS.entries()]
        if ((from / TURN) % 2 === 1) order.reverse()
        for (const [i, kind] of order) {
          const before = process.cpuUsage()
          times.get(verb)![i]!.push(await turnOf(client, verb, { kind, round, from }))
          const { user, system } = process.cpuUsage(before)
          processor.get(verb)![i]!.push((user + system) / 1_000 / (verb === 'list' ? LISTS_A_TURN : TURN))
        }
      }
    }
    for (const { at } of KINDS) await must(client, 'DELETE', at)
  }
  for (const verb of VERBS) {
    tellBeside(verb, times.get(verb)!.map(median))
    // Client and server together; what else the machine does is not in it.
    tellBeside('  of processor', processor.get(verb)!.map(median))
  }
}

const MANY = 100_000

/** Filled behind the server's back, which would take minutes. */
async function longLists(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-bench-'))
  const open = (): Promise<OpenServer> => openServer(['--data-dir', folder, '--in-memory=false'])
  try {
    {
      await using server = await open()
      using client = new ApiClient({ url: server.url, token: server.adminToken, ca: server.authority })
      const properties = Object.fromEntries(MEMBERS.map((name) => [name, { type: 'string' }]))
      await must(client, 'POST', DEFINITIONS, { body: definition('maps', 'Map', properties) })
      await untilServed(client, KINDS[1]!.at)
    }
    await fill(path.join(folder, 'store'))
    await using server = await open()
    using client = new ApiClient({ url: server.url, token: server.adminToken, ca: server.authority })
    const times = KINDS.map((): number[] => [])
    for (let round = 0; round < 6; round++) {
      for (const [i, { at }] of KINDS.entries()) {
        const started = performance.now()
        await must(client, 'GET', `${at}?resourceVersion=0`)
        if (round > 0) times[i]!.push(performance.now() - started)
      }
    }
    tellBeside(`a list of ${MANY}`, times.map(median))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(dataDir: string): Promise<void> {
  const signal = AbortSignal.timeout(300_000)
  const kv = await openEmbedded({ dataDir }, signal)
  const prefixes = ['configmaps', `${GROUP}/maps`]
  for (const [k, { apiVersion, kind }] of KINDS.entries()) {
    await everyOne(MANY, async (i) => {
      const name = `o-${i}`
      const metadata = { name, namespace: 'default', uid: `u-${i}`, creationTimestamp: '2030-01-01T00:00:00Z' }
      const data = { 'member-0': 'a value as long as values are' }
      const parts = k === 0 ? { kind, apiVersion, metadata, data } : { apiVersion, data, kind, metadata }
      const key = `/registry/${prefixes[k]}/default/${name}`
      await putKey(kv, { key, value: Buffer.from(JSON.stringify(parts)), expected: ABSENT }, signal)
    })
  }
  await kv.close()
}

/** From the answer to its definition until a kind can be listed and created, on the replica that was told and on another. */
async function onEveryReplica(): Promise<void> {
  const kinds = 20
  await using etcd = await startEtcd()
  const open = (): Promise<OpenServer> => openServer(['--in-memory=false', '--etcd-servers', etcd.endpoint])
  await using first = await open()
  await using second = await open()
  const clients = [first, second].map(({ url, adminToken: token, authority: ca }) => new ApiClient({ url, token, ca }))
  const times = ['there', 'elsewhere'].map(() => ({ list: [] as number[], create: [] as number[] }))
  for (let i = 0; i < kinds; i++) {
    const [plural, kind] = [`prompts${i}`, `Prompt${i}`]
    await must(clients[0]!, 'POST', DEFINITIONS, { body: definition(plural, kind, {}) })
    const started = performance.now()
    await Promise.all(
      clients.map(async (client, replica) => {
        const at = `/apis/${GROUP}/v1/namespaces/default/${plural}`
        await untilServed(client, at)
        times[replica]!.list.push(performance.now() - started)
        const body = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: `made-at-${replica}` } }
        await must(client, 'POST', at, { body })
        times[replica]!.create.push(performance.now() - started)
      }),
    )
  }
  for (const client of clients) client[Symbol.dispose]()
  for (const [replica, { list, create }] of times.entries()) {
    const told = [list, create].map((all) => `${median(all).toFixed(0)} ms (worst ${Math.max(...all).toFixed(0)})`)
    const where = replica === 0 ? 'where it was defined' : 'at another replica'
    process.stdout.write(`  a new kind on etcd ${where}: listed after ${told[0]}, an object made after ${told[1]}\n`)
  }
}

/** Of a size that definitions in the field have. */
function largeProperties(count: number): object {
  const leaf = (i: number): object => ({ type: 'string', description: `what member ${i} is for, in a sentence or two` })
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, leaf(i)]))
}

async function manyDefinitions(): Promise<void> {
  v8.setFlagsFromString('--expose-gc')
  const collect = vm.runInNewContext('gc') as () => void
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-bench-'))
  const open = (): Promise<OpenServer> => openServer(['--data-dir', folder, '--in-memory=false'])
  try {
    const properties = largeProperties(100)
    {
      await using server = await open()
      using client = new ApiClient({ url: server.url, token: server.adminToken, ca: server.authority })
      for (let i = 0; i < 20; i++) {
        await must(client, 'POST', DEFINITIONS, { body: definition(`first${i}`, `First${i}`, properties) })
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      await everyOne(1_000, async (i) => {
        await must(client, 'POST', DEFINITIONS, { body: definition(`things${i}`, `Thing${i}`, properties) })
      })
      await untilServed(client, `/apis/${GROUP}/v1/namespaces/default/things999`)
    }
    collect()
    const before = process.memoryUsage()
    const started = performance.now()
    await using again = await open()
    await again.must(`/apis/${GROUP}/v1/namespaces/default/things999`)
    process.stdout.write(`  a server with 1,000 definitions starts in ${(performance.now() - started).toFixed(0)} ms\n`)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    collect()
    const after = process.memoryUsage()
    const bytes = after.heapUsed + after.external - before.heapUsed - before.external
    process.stdout.write(`  and holds ${(bytes / 1_000 / 1_024).toFixed(0)} KiB for each of them, all else included\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function largeSchema(): void {
  const metadata = loadBuiltInSchema().shape('meta_v1.ObjectMeta') as ObjectShape
  const root = { type: 'object', properties: { spec: { type: 'object', properties: largeProperties(5_000) } } }
  let best = Infinity
  for (let i = 0; i < 5; i++) {
    const started = performance.now()
    const schema = new CustomSchema(() => root as unknown as ValueMap, metadata)
    schema.shape.fields.at(0)
    best = Math.min(best, performance.now() - started)
  }
  process.stdout.write(`  a schema of 5,000 properties compiles in ${best.toFixed(1)} ms\n`)
}

export async function bench(): Promise<void> {
  largeSchema()
  // Before the others, which leave much behind.
  await manyDefinitions()
  await onEveryReplica()
  await sideBySide()
  await longLists()
}
