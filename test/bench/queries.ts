// Queries on 100,000 pods of 6.4 KB beside a label selector that finds as many, a scan without an index, a GET beside it, and a
// transaction of ten config maps beside ten creates. In processor time of the server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiClient, clientOf } from '../rigs/api-client.ts'
import { processorMillisecondsOf } from '../rigs/process-measures.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { median } from './median.ts'

const PODS = Number(process.env['PODS'] ?? 100_000)
/** In one transaction. */
const TOGETHER = 100
const GROUPS = 100
const ROUNDS = 10
const REPEATS = 20
const NAMESPACE = '/api/v1/namespaces/bench'
const TRANSACTIONS = '/apis/transactions.quarterdeck.io/v1/transactions'
const FILLER = 'v'.repeat(4_400)

function podOf(index: number): object {
  const group = `group-${index % GROUPS}`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${String(index).padStart(6, '0')}`,
      namespace: 'bench',
      labels: { group },
      annotations: { filler: FILLER },
    },
    spec: {
      hostname: group,
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'registry.example.com/team/app:v1.2.3', command: ['/app', 'serve'] }],
    },
  }
}

const mapOf = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'bench' },
  data: { value: 'v'.repeat(700) },
})

type Work = () => Promise<unknown>

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-queries-'))
  const server = new ServerProcess(
    ['serve', '--secure-port', '0', '--data-dir', folder, '--index', 'pods=spec.hostname'],
    folder,
    {},
  )
  try {
    await server.listening()
    using client = clientOf(server)
    await measure(server, client)
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(server: ServerProcess, client: ApiClient): Promise<void> {
  const expecting = async (status: number, method: string, path: string, body?: object): Promise<string> => {
    const got = await client.send(method, path, body === undefined ? {} : { body })
    if (got.status !== status) throw new Error(`${method} ${path}: ${got.status} ${got.text.slice(0, 300)}`)
    return got.text
  }
  const get = (path: string): Promise<string> => expecting(200, 'GET', path)
  const costOf = async (work: Work, repeats = REPEATS): Promise<number> => {
    const before = processorMillisecondsOf(server.child.pid)
    for (let i = 0; i < repeats; i++) await work()
    return (processorMillisecondsOf(server.child.pid) - before) / repeats
  }
  await expecting(201, 'POST', '/api/v1/namespaces', { metadata: { name: 'bench' } })
  await client.send('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'default' } } })
  for (let at = 0; at < PODS; at += TOGETHER) {
    const operations = Array.from({ length: TOGETHER }, (_, i) => ({ create: podOf(at + i) }))
    await expecting(200, 'POST', TRANSACTIONS, {
      kind: 'Transaction',
      apiVersion: 'transactions.quarterdeck.io/v1',
      operations,
    })
  }
  const bytes = (await get(`${NAMESPACE}/pods/pod-000000`)).length
  process.stdout.write(`  ${PODS} pods of ${bytes} bytes\n`)

  const encoded = encodeURIComponent("object.spec.hostname == 'group-7'")
  const ways: Readonly<Record<string, Work>> = {
    label: () => get(`${NAMESPACE}/pods?labelSelector=group%3Dgroup-7`),
    where: () => get(`${NAMESPACE}/pods?where=${encoded}`),
  }
  for (const work of Object.values(ways)) await work()
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [label, where] = [await costOf(ways['label']!), await costOf(ways['where']!)]
    ratios.push(where / label)
    process.stdout.write(`  label selector ${label.toFixed(1)} ms, where on an indexed field ${where.toFixed(1)} ms\n`)
  }
  process.stdout.write(`  where on an indexed field: ${median(ratios).toFixed(2)} times the label selector\n`)

  const scanned = encodeURIComponent('object.spec.containers[0].image.size() > 1000')
  const scan: Work = () => get(`${NAMESPACE}/pods?count=true&where=${scanned}`)
  const scans: number[] = []
  for (let round = 0; round < 3; round++) scans.push(await costOf(scan, 1))
  process.stdout.write(`  a scan: ${((median(scans) * 1000) / PODS).toFixed(1)} µs a pod\n`)
  const over = new AbortController()
  const waits: number[] = []
  const beside = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      const start = performance.now()
      await get(`${NAMESPACE}/pods/pod-000042?resourceVersion=0`)
      waits.push(performance.now() - start)
    }
  })()
  await scan()
  over.abort()
  await beside
  process.stdout.write(
    `  a GET beside a scan: median ${median(waits).toFixed(1)} ms, longest ${Math.max(...waits).toFixed(0)} ms of ${waits.length}\n`,
  )

  let made = 0
  const shares: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const together = await costOf(() => {
      const operations = Array.from({ length: 10 }, () => ({ create: mapOf(`m-${made++}`) }))
      return expecting(200, 'POST', TRANSACTIONS, { kind: 'Transaction', operations })
    })
    const each = await costOf(async () => {
      for (let i = 0; i < 10; i++) await expecting(201, 'POST', `${NAMESPACE}/configmaps`, mapOf(`m-${made++}`))
    })
    shares.push(together / each)
  }
  process.stdout.write(`  a transaction of 10 config maps: ${median(shares).toFixed(2)} times 10 creates\n`)
}
