// Custom resources beside config maps of the same size, in one run: create, get, list and apply; then what a thousand
// definitions cost in memory and at the start, and how long a large schema takes to compile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import type { ValueMap } from '../../src/api/value.ts'
import { CustomSchema } from '../../src/schema/custom/custom.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import type { ObjectShape } from '../../src/schema/table.ts'
import { ApiClient } from '../fakes/api-client.ts'
import { openServer, type OpenServer } from '../fakes/running-server.ts'

const GROUP = 'bench.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const OBJECTS = 2_000
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

/** Milliseconds for one request, by verb. */
async function measure(
  client: ApiClient,
  { at, apiVersion, kind }: Kind,
  round: number,
): Promise<Record<string, number>> {
  const object = (i: number): object => ({ apiVersion, kind, metadata: { name: `o-${round}-${i}` }, data: DATA })
  const create = await everyOne(OBJECTS, async (i) => void (await must(client, 'POST', at, { body: object(i) })))
  const get = await everyOne(OBJECTS, async (i) => void (await must(client, 'GET', `${at}/o-${round}-${i}`)))
  const list = await everyOne(32, async () => void (await must(client, 'GET', at)))
  const contentType = 'application/apply-patch+yaml'
  const apply = await everyOne(OBJECTS, async (i) => {
    const to = `${at}/o-${round}-${i}?fieldManager=bench&force=true`
    await must(client, 'PATCH', to, { contentType, body: { ...object(i), data: { ...DATA, [MEMBERS[0]!]: `${i}` } } })
  })
  await must(client, 'DELETE', at)
  return { create, get, list, apply }
}

async function sideBySide(): Promise<void> {
  await using server = await openServer()
  using client = new ApiClient({ url: server.url, token: server.adminToken, ca: server.authority })
  const properties = Object.fromEntries(MEMBERS.map((name) => [name, { type: 'string' }]))
  await must(client, 'POST', DEFINITIONS, { body: definition('maps', 'Map', properties) })
  const started = performance.now()
  await untilServed(client, KINDS[1]!.at)
  process.stdout.write(`  a new kind is served after ${(performance.now() - started).toFixed(0)} ms\n`)
  const best = KINDS.map((): Record<string, number> => ({}))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, kind] of KINDS.entries()) {
      for (const [verb, ms] of Object.entries(await measure(client, kind, round))) {
        best[i]![verb] = Math.min(best[i]![verb] ?? Infinity, ms)
      }
    }
  }
  for (const verb of ['create', 'get', 'list', 'apply']) {
    const [built = 0, custom = 0] = best.map((times) => times[verb] ?? 0)
    const times = `${built.toFixed(3)} ms, custom ${custom.toFixed(3)} ms: ${(custom / built).toFixed(2)} times`
    process.stdout.write(`  ${verb.padEnd(8)} config map ${times}\n`)
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
  await sideBySide()
}
