// What two workers cost beside one: the processor time of a GET and of a create, of all processes of the server together, and how many
// there are in a second. Both servers run at the same time and take turns. Each worker has the same number of requests at once: what
// comes together shares much of its cost. Then the memory of each with ten thousand pods.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client, k8s } from '../../src/client/client.ts'
import { startEtcd } from '../fakes/etcd-server.ts'
import { ServerProcess } from '../fakes/server-process.ts'
import { workerPids } from '../fakes/worker-pids.ts'
import { median } from './median.ts'
import { podOf } from './sample-pod.ts'

const ROUNDS = 5
/** For each worker. */
const CONNECTIONS = 8
/** On each connection. */
const AT_ONCE = 2
const WORK = { get: 3000, create: 600 } as const
const PODS = 10_000
/** The pods are nobody's. */
const PLAIN = ['--disable-admission-plugins', 'ServiceAccount']

type Verb = keyof typeof WORK

interface Measured {
  readonly server: ServerProcess
  readonly clients: readonly Client[]
  readonly microseconds: Record<Verb, number[]>
  readonly perSecond: Record<Verb, number[]>
  created: number
}

export async function bench(): Promise<void> {
  await using etcd = await startEtcd()
  await compare('etcd', (count) => ['--etcd-servers', etcd.endpoint, '--etcd-prefix', `/with-${count}`])
  await compare('embedded', () => [])
  await compare('in memory', () => ['--in-memory'], tellMemory)
}

type Pair = readonly [one: Measured, two: Measured]

async function compare(
  name: string,
  flags: (count: number) => readonly string[],
  more?: (pair: Pair) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-bench-'))
  const [one, two] = [await start(1, flags(1), folder), await start(2, flags(2), folder)]
  try {
    for (const verb of ['get', 'create'] as const) {
      for (let round = 0; round <= ROUNDS; round++) {
        for (const measured of round % 2 === 0 ? [one, two] : [two, one]) await measure(measured, verb, round > 0)
      }
      tell(`${name}: ${verb}, processor time`, one.microseconds[verb], two.microseconds[verb], 'µs')
      tell(`${name}: ${verb}, rate`, one.perSecond[verb], two.perSecond[verb], '/s')
    }
    await more?.([one, two])
  } finally {
    for (const { clients, server } of [one, two]) {
      for (const client of clients) client.close()
      await server.stop()
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(count: number, flags: readonly string[], folder: string): Promise<Measured> {
  const home = mkdtempSync(path.join(folder, `${count}-`))
  const server = new ServerProcess(
    ['serve', '--secure-port', '0', '--workers', String(count), ...PLAIN, ...flags],
    home,
    {},
  )
  await server.listening()
  const clients = Array.from({ length: count * CONNECTIONS }, () => new Client({ kubeconfig: server.kubeconfigFile }))
  await clients[0]!.resource(k8s.ConfigMap).inNamespace('default').create(configMap('read'))
  return { server, clients, microseconds: { get: [], create: [] }, perSecond: { get: [], create: [] }, created: 0 }
}

function configMap(name: string): k8s.ConfigMap {
  return { metadata: { name }, data: { key: 'v'.repeat(1000) } }
}

async function measure(measured: Measured, verb: Verb, isCounted: boolean): Promise<void> {
  const { server, clients } = measured
  const count = WORK[verb]
  const before = processorMs(server)
  const began = performance.now()
  let left = count
  const work = async (client: Client): Promise<void> => {
    const maps = client.resource(k8s.ConfigMap).inNamespace('default')
    while (left-- > 0) await (verb === 'get' ? maps.get('read') : maps.create(configMap(`map-${measured.created++}`)))
  }
  await Promise.all(clients.flatMap((client) => Array.from({ length: AT_ONCE }, () => work(client))))
  if (!isCounted) return
  measured.microseconds[verb].push(((processorMs(server) - before) * 1000) / count)
  measured.perSecond[verb].push((count * 1000) / (performance.now() - began))
}

function pidsOf(server: ServerProcess): readonly number[] {
  return [server.child.pid!, ...workerPids(server)]
}

/** Of all processes of the server; the kernel counts hundredths of a second. */
function processorMs(server: ServerProcess): number {
  return pidsOf(server).reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
    return sum + (Number(user) + Number(system)) * 10
  }, 0)
}

async function tellMemory([one, two]: Pair): Promise<void> {
  const held = [await heldWithPods(one), await heldWithPods(two)]
  process.stdout.write(
    `${PODS} pods, memory  ${held.map((all) => all.join(' + ')).join(' MB; with two workers ')} MB\n`,
  )
}

/** The megabytes of each process; what several have in common is divided among them. */
async function heldWithPods({ server, clients }: Measured): Promise<readonly number[]> {
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
  await Promise.all(clients.flatMap((client) => Array.from({ length: AT_ONCE }, () => work(client))))
  // Memory is given back when it is quiet.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  return pidsOf(server).map((pid) => {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes) / 1024)
  })
}

function tell(what: string, one: readonly number[], two: readonly number[], unit: string): void {
  const [alone, both] = [median(one), median(two)]
  const ratio = (both / alone).toFixed(2)
  process.stdout.write(
    `${what}  ${alone.toFixed(0)} ${unit}; with two workers ${both.toFixed(0)} ${unit}, ${ratio} times\n`,
  )
}
