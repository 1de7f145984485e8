// The soak (`make soak`): everything that comes and goes, for ten minutes or as many as MINUTES says, on the embedded store or the
// one that STORE names (`memory`, `etcd`). Ends with an error where the process is a fifth larger than after its first minute.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../rigs/api-client.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { memoryInUse, residentMegabytes } from '../rigs/memory-in-use.ts'
import { ServerProcess } from '../rigs/server-process.ts'
import { MemoryLoad } from './memory-load.ts'

const MINUTES = Number(process.env['MINUTES'] ?? 10)
const STORE = process.env['STORE'] ?? 'embedded'
const MOST_GROWTH = 1.2
/** What two idle cores do in a minute: on a machine that is busy otherwise the first minute is over when so much has been done. */
const LEAST_ROUNDS = 50
/** Of as many samples as there are in half a minute, the middle one counts: V8 takes and gives back a part all the time. */
const SAMPLES = 30
/** The pause after which it is told what is given back. */
const REST_MS = 60_000

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0
}

async function soak(server: ServerProcess): Promise<boolean> {
  using client = clientOf(server)
  const load = new MemoryLoad(client, { writes: 100, definitions: 3, namespaces: 2, watchers: 10 })
  await load.prepare()
  let due = Date.now() + 60_000
  const samples: number[] = []
  const byMinute: number[] = []
  let rounds = 0
  const timer = setInterval(() => {
    samples.push(residentMegabytes(server))
    if (Date.now() < due || rounds < LEAST_ROUNDS) return
    due = Date.now() + 60_000
    const megabytes = median(samples.slice(-SAMPLES))
    byMinute.push(megabytes)
    process.stdout.write(`minute ${byMinute.length}: ${megabytes.toFixed(0)} MB, ${rounds} rounds\n`)
  }, 1_000)
  try {
    for (; byMinute.length < MINUTES; rounds++) await load.round()
  } finally {
    clearInterval(timer)
  }
  const [first = 0, last = 0] = [byMinute[0], byMinute.at(-1)]
  const { megabytes, mapped, past } = await memoryInUse(server, client)
  await sleep(REST_MS)
  const rested = residentMegabytes(server).toFixed(0)
  process.stdout.write(
    `in use ${(megabytes + mapped).toFixed(0)} MB, of which the past ${past.toFixed(0)}; at rest ${rested} MB\n`,
  )
  process.stdout.write(`the end is ${(last / first).toFixed(2)} of the first minute (at most ${MOST_GROWTH})\n`)
  return last <= first * MOST_GROWTH
}

const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-soak-'))
const etcd = STORE === 'etcd' ? await startEtcd() : undefined
const store = etcd === undefined ? (STORE === 'memory' ? ['--in-memory'] : []) : ['--etcd-servers', etcd.endpoint]
const server = new ServerProcess(['serve', '--secure-port', '0', '--profiling', ...store], folder, {})
try {
  await server.listening()
  if (!(await soak(server))) process.exitCode = 1
} finally {
  await server.stop()
  await etcd?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
}
