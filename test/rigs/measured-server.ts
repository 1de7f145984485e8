// A server as its users run it, in a process of its own: what is measured of it is not the client's.
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { peakBytesOf, starvedMillisecondsOf, threadMillisecondsOf } from './process-measures.ts'
import { type OpenServer, reachServer } from './running-server.ts'
import { ServerProcess } from './server-process.ts'
import type { LongestTurn } from './turn-meter.ts'

export interface MeasuredServer extends OpenServer {
  /** Of all of its threads, since its start. */
  processorMs(): number
  /** The most memory that it has had so far. */
  peakBytes(): number
  /** The longest turn of the event loop of any of its processes since the last call. */
  longestTurn(): Promise<LongestTurn>
}

/** Resolves when it listens, and the work of its start is done. */
export async function startMeasuredServer(args: readonly string[] = ['--in-memory']): Promise<MeasuredServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'quarterdeck-measured-'))
  const meters = path.join(folder, 'meters')
  await mkdir(meters)
  const environment = { TURN_METERS: meters, NODE_OPTIONS: `--import ${METER.href}` }
  const server = new ServerProcess(['serve', '--secure-port', '0', ...args], folder, environment)
  await server.listening()
  const { pid } = server.child
  await untilIdle(pid)
  const known = server.kubeconfig.clusters[0].cluster['certificate-authority-data'] ?? ''
  const { url, adminToken } = server
  const reached = reachServer({ url, adminToken, authority: Buffer.from(known, 'base64').toString() }, async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    ...reached,
    processorMs: () => threadMillisecondsOf(pid),
    peakBytes: () => peakBytesOf(pid),
    longestTurn: () => longestTurnOf(meters),
  }
}

const IDLE_MS = 100
/** Of processor time in `IDLE_MS`. */
const MOST_IDLE_WORK_MS = 10
/** A process that waits for a processor for longer is not idle. */
const MOST_STARVED_MS = 50

/** The work of a start goes on after the server listens, and would count as work of the first request. */
async function untilIdle(pid: number | undefined): Promise<void> {
  for (;;) {
    const [worked, starved] = [threadMillisecondsOf(pid), starvedMillisecondsOf(pid)]
    await setTimeout(IDLE_MS)
    const isIdle = threadMillisecondsOf(pid) - worked < MOST_IDLE_WORK_MS
    if (isIdle && starvedMillisecondsOf(pid) - starved < MOST_STARVED_MS) return
  }
}

const METER = new URL('metered-process.ts', import.meta.url)

async function longestTurnOf(meters: string): Promise<LongestTurn> {
  const turns = await Promise.all((await readdir(meters)).map((name) => turnOf(path.join(meters, name))))
  return { ms: Math.max(...turns.map(({ ms }) => ms)), gcMs: Math.max(...turns.map(({ gcMs }) => gcMs)) }
}

async function turnOf(meter: string): Promise<LongestTurn> {
  const socket = connect(meter).setEncoding('utf8')
  await once(socket, 'connect')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return JSON.parse(text) as LongestTurn
}
