// Writes over HTTP on each store, beside bare puts to the same etcd: how many a second, how long each, and the processor time
// that the server (and etcd) took for one. Processor time is what to trust on a machine that does other things too.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, clientOf } from '../rigs/api-client.ts'
import { type EtcdServer, startEtcd } from '../rigs/etcd-server.ts'
import { processorMillisecondsOf } from '../rigs/process-measures.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { openBareEtcd } from './kv-bare-etcd.ts'

const CALLERS = 16
const ROUND_MS = 3_000
const SEEDED = 400
const MAPS = '/api/v1/namespaces/bench/configmaps'
const PODS = '/api/v1/namespaces/bench/pods'
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'
const VALUE = 'v'.repeat(1_000)

interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly serverMicros: number
  readonly etcdMicros: number
}

interface Watched {
  readonly server: number | undefined
  readonly etcd: number | undefined
}

/** So far. */
function processorMicros(pid: number | undefined): number {
  return pid === undefined ? 0 : 1_000 * processorMillisecondsOf(pid)
}

/** Until the time is over, or `call` says false: nothing is left to be done. */
async function measure(callers: number, pids: Watched, call: Operation): Promise<Measured> {
  const times: number[] = []
  const [server, etcd] = [processorMicros(pids.server), processorMicros(pids.etcd)]
  const began = performance.now()
  let turn = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - began < ROUND_MS) {
      const start = performance.now()
      if ((await call(turn++)) === false) return
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - began) / 1_000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return {
    perSecond: times.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverMicros: (processorMicros(pids.server) - server) / times.length,
    etcdMicros: (processorMicros(pids.etcd) - etcd) / times.length,
  }
}

function configMap(name: string, note: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench' } },
    data: { note, filler: VALUE },
  }
}

/** Two containers, eleven variables, probes and limits, and a kilobyte of annotation: some 2.5 KB as sent, 6 KB as stored. */
function pod(name: string, note: string): object {
  const env = [
    ...Array.from({ length: 10 }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value-${i}` })),
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ]
  const main = {
    name: 'main',
    image: 'registry.example.com/team/app:v1.2.3',
    command: ['/app', 'serve'],
    env,
    ports: [{ containerPort: 8080, name: 'http' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
    livenessProbe: { httpGet: { path: '/live', port: 8080 } },
  }
  const sidecar = { name: 'sidecar', image: 'registry.example.com/team/proxy:v3', args: ['--level', 'info'] }
  const metadata = { name, labels: { app: 'bench', tier: 'backend' }, annotations: { note, filler: VALUE } }
  const spec = { automountServiceAccountToken: false, containers: [main, sidecar], terminationGracePeriodSeconds: 30 }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec }
}

type Operation = (turn: number) => Promise<unknown>

/** The operations, on one server. */
function operationsOn(
  client: ApiClient,
): Readonly<Record<string, { readonly callers: number; readonly run: Operation }>> {
  const expecting = async (status: number, answer: ReturnType<ApiClient['send']>): Promise<void> => {
    const got = await answer
    if (got.status !== status) throw new Error(`${got.status}: ${got.text}`)
  }
  let maps = 0
  let pods = 0
  let deleted = 0
  const any = (turn: number): string => `o-${(turn * 7919) % SEEDED}`
  const create: Operation = () =>
    expecting(201, client.send('POST', MAPS, { body: configMap(`c-${maps++}`, 'create') }))
  return {
    'create config map': { callers: CALLERS, run: create },
    'create config map, one at a time': { callers: 1, run: create },
    'create pod': {
      callers: CALLERS,
      run: () => expecting(201, client.send('POST', PODS, { body: pod(`p-${pods++}`, 'create') })),
    },
    'update config map': {
      callers: CALLERS,
      run: (turn) =>
        expecting(200, client.send('PUT', `${MAPS}/${any(turn)}`, { body: configMap(any(turn), String(turn)) })),
    },
    'merge patch pod': {
      callers: CALLERS,
      run: (turn) => {
        const body = { metadata: { annotations: { note: String(turn) } } }
        return expecting(200, client.send('PATCH', `${PODS}/${any(turn)}`, { body, contentType: MERGE }))
      },
    },
    'apply pod': {
      callers: CALLERS,
      run: (turn) => {
        const path = `${PODS}/${any(turn)}?fieldManager=bench&force=true`
        return expecting(200, client.send('PATCH', path, { body: pod(any(turn), String(turn)), contentType: APPLY }))
      },
    },
    'delete config map': {
      callers: CALLERS,
      run: async () => deleted < maps && expecting(200, client.send('DELETE', `${MAPS}/c-${deleted++}`)),
    },
  }
}

async function seed(client: ApiClient): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench' } } })
  // A namespace has its service account a moment later, and pods need it.
  while ((await client.send('GET', '/api/v1/namespaces/bench/serviceaccounts/default')).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  for (let i = 0; i < SEEDED; i++) {
    const made = [
      client.send('POST', MAPS, { body: configMap(`o-${i}`, 'seed') }),
      client.send('POST', PODS, { body: pod(`o-${i}`, 'seed') }),
    ]
    for (const { status, text } of await Promise.all(made)) if (status !== 201) throw new Error(text)
  }
}

function print(store: string, operation: string, measured: Measured): void {
  const { perSecond, p50Ms, p99Ms, serverMicros, etcdMicros } = measured
  const cells = [
    store.padEnd(10),
    operation.padEnd(34),
    `${Math.round(perSecond).toLocaleString('en')}/s`.padStart(9),
    `p50 ${p50Ms.toFixed(1)} ms`.padStart(13),
    `p99 ${p99Ms.toFixed(1)} ms`.padStart(13),
    serverMicros > 0 ? `server ${Math.round(serverMicros).toLocaleString('en')} µs`.padStart(16) : ' '.repeat(16),
    etcdMicros > 0 ? `etcd ${Math.round(etcdMicros).toLocaleString('en')} µs`.padStart(14) : '',
  ]
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
}

async function benchStore(store: string, args: readonly string[], etcd: EtcdServer | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-bench-'))
  const server = new ServerProcess(['serve', '--secure-port', '0', ...args], folder, {})
  try {
    await server.listening()
    using client = clientOf(server)
    await seed(client)
    const pids = { server: server.child.pid, etcd: etcd?.pid }
    for (const [operation, { callers, run }] of Object.entries(operationsOn(client))) {
      print(store, operation, await measure(callers, pids, run))
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function benchBare(etcd: EtcdServer): Promise<void> {
  const bare = openBareEtcd(etcd.endpoint)
  const value = Buffer.alloc(1_400, 'v')
  try {
    const call = (turn: number): Promise<number> => bare.create(`/bare/${turn}`, value)
    print('bare etcd', 'put', await measure(CALLERS, { server: undefined, etcd: etcd.pid }, call))
  } finally {
    await bare.close()
  }
}

export async function bench(): Promise<void> {
  const wanted = process.env['STORE']
  const wants = (store: string): boolean => wanted === undefined || wanted === store
  if (wants('memory')) await benchStore('memory', ['--in-memory'], undefined)
  if (wants('embedded')) await benchStore('embedded', [], undefined)
  if (!wants('etcd')) return
  const etcd = await startEtcd()
  try {
    await benchStore('etcd', ['--etcd-servers', etcd.endpoint], etcd)
    await benchBare(etcd)
  } finally {
    await etcd[Symbol.asyncDispose]()
  }
}
