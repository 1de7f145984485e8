// What two workers cost beside one: the processor time of a GET and of a create, of all processes of the server together, and how many
// there are in a second; and beside two servers that know nothing of each other, each with half of the load: what those cost more than one
// is no work of theirs. All run at the same time and take turns. Each worker has the same number of requests at once: what comes together
// shares much of its cost. Then the memory of each with ten thousand pods.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client, k8s } from '../../src/client/client.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { processorMillisecondsOf } from '../rigs/process-measures.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { workerPids } from '../rigs/worker-pids.ts'
import { median } from './median.ts'
import { podOf } from './sample-pod.ts'

const ROUNDS = 9
/** For each worker. */
const CONNECTIONS = 8
/** On each connection. */
const AT_ONCE = 2
const WORK = { get: 4000, create: 3000 } as const
/** Before anything is measured: until then much of the time is V8's, which compiles what runs often. */
const WARM_UP = { get: 20_000, create: 60_000 } as const
/** Before each round: who has been quiet gives memory back, and takes it again. */
const WAKE_UP = 1000
const PODS = 10_000
/** The pods are nobody's. */
const PLAIN = ['--disable-admission-plugins', 'ServiceAccount']

type Verb = keyof typeof WORK

interface Measured {
  readonly folder: string
  readonly servers: readonly ServerProcess[]
  readonly clients: readonly Client[]
  readonly microseconds: Record<Verb, number[]>
  readonly perSecond: Record<Verb, number[]>
  created: number
}

/** The flags of a store that nobody else has. */
type NewStore = () => readonly string[]

export async function bench(): Promise<void> {
  await using etcd = await startEtcd()
  let prefixes = 0
  await compare('etcd', () => ['--etcd-servers', etcd.endpoint, '--etcd-prefix', `/server-${prefixes++}`])
  await compare('embedded', () => [])
  await compare('in memory', () => ['--in-memory'])
  await tellMemory()
}

async function compare(name: string, newStore: NewStore): Promise<void> {
  const all = [await start([1], newStore), await start([2], newStore), await start([1, 1], newStore)] as const
  try {
    for (const verb of ['get', 'create'] as const) {
      for (const measured of all) await ask(measured, verb, WARM_UP[verb])
      for (let round = 0; round < ROUNDS; round++) {
        for (const measured of round % 2 === 0 ? all : all.toReversed()) await measure(measured, verb)
      }
      const [one, two, apart] = all
      tell(`${name}: ${verb}, processor µs`, [one.microseconds[verb], two.microseconds[verb], apart.microseconds[verb]])
      tell(`${name}: ${verb} a second`, [one.perSecond[verb], two.perSecond[verb], apart.perSecond[verb]])
    }
  } finally {
    for (const measured of all) await stop(measured)
  }
}

/** One server for each number, with as many workers. */
async function start(workers: readonly number[], newStore: NewStore): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-bench-'))
  const servers: ServerProcess[] = []
  const clients: Client[] = []
  for (const count of workers) {
    const flags = ['serve', '--secure-port', '0', '--workers', String(count), ...PLAIN, ...newStore()]
    const server = new ServerProcess(flags, mkdtempSync(path.join(folder, 'home-')), {})
    servers.push(server)
    await server.listening()
    const kubeconfig = server.kubeconfigFile
    const ofServer = Array.from({ length: count * CONNECTIONS }, () => new Client({ kubeconfig }))
    await ofServer[0]!.resource(k8s.ConfigMap).inNamespace('default').create(configMap('read'))
    clients.push(...ofServer)
  }
  const figures = { microseconds: { get: [], create: [] }, perSecond: { get: [], create: [] } }
  return { folder, servers, clients, ...figures, created: 0 }
}

async function stop({ folder, servers, clients }: Measured): Promise<void> {
  for (const client of clients) client.close()
  for (const server of servers) await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

function configMap(name: string): k8s.ConfigMap {
  return { metadata: { name }, data: { key: 'v'.repeat(1000) } }
}

async function measure(measured: Measured, verb: Verb): Promise<void> {
  const { microseconds, perSecond } = measured
  const count = WORK[verb]
  await ask(measured, verb, WAKE_UP)
  const before = processorMs(measured)
  const began = performance.now()
  await ask(measured, verb, count)
  microseconds[verb].push(((processorMs(measured) - before) * 1000) / count)
  perSecond[verb].push((count * 1000) / (performance.now() - began))
}

async function ask(measured: Measured, verb: Verb, count: number): Promise<void> {
  let left = count
  const work = async (client: Client): Promise<void> => {
    const maps = client.resource(k8s.ConfigMap).inNamespace('default')
    while (left-- > 0) await (verb === 'get' ? maps.get('read') : maps.create(configMap(`map-${measured.created++}`)))
  }
  await Promise.all(measured.clients.flatMap((client) => Array.from({ length: AT_ONCE }, () => work(client))))
}

function pidsOf({ servers }: Measured): readonly number[] {
  return servers.flatMap((server) => [server.child.pid!, ...workerPids(server)])
}

function processorMs(measured: Measured): number {
  return pidsOf(measured).reduce((sum, pid) => sum + processorMillisecondsOf(pid), 0)
}

async function tellMemory(): Promise<void> {
  for (const workers of [1, 2]) {
    const measured = await start([workers], () => ['--in-memory'])
    const held = await heldWithPods(measured)
    process.stdout.write(`${PODS} pods, --workers ${workers}: ${held.join(' + ')} MB\n`)
    await stop(measured)
  }
}

/** The megabytes of each process; what several have in common is divided among them. */
async function heldWithPods(measured: Measured): Promise<readonly number[]> {
  const pods = Array.from({ length: PODS }, (_, i) => podOf(i))
  let next = 0
  const work = async (client: Client): Promise<void> => {
    for (let pod = pods[next++]; pod !== undefined; pod = pods[next++]) {
      const {
        uid: _u,
        namespace: _n,
        resourceVersion: _r,
        managedFields: _m,
        ownerReferences: _o,
        ...metadata
      } = pod.metadata
      const { status: _s, ...rest } = pod
      await client
        .resource(k8s.Pod)
        .inNamespace('default')
        .create({ ...rest, metadata } as unknown as k8s.Pod)
    }
  }
  await Promise.all(measured.clients.flatMap((client) => Array.from({ length: AT_ONCE }, () => work(client))))
  // Memory is given back when it is quiet.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  return pidsOf(measured).map((pid) => {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes) / 1024)
  })
}

function tell(what: string, figures: readonly (readonly number[])[]): void {
  const [one, two, apart] = figures.map((all) => median(all)) as [number, number, number]
  const beside = (figure: number): string => `${figure.toFixed(0)} (${(figure / one).toFixed(2)})`
  process.stdout.write(`${what}: ${one.toFixed(0)}; two workers ${beside(two)}; two servers ${beside(apart)}\n`)
}
