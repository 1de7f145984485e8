// What the bench of the library runs in a process of its own, on the built package: `node --expose-gc library-measure.ts`. Prints JSON.
import type { Client } from '../../src/client/client.ts'
import type { startServer as Start, Server } from '../../src/index.ts'

/** Wall time and the processor time of the process, in milliseconds. */
export interface Time {
  readonly wall: number
  readonly processor: number
}

export interface Measured {
  /** The import included. */
  readonly first: Time
  readonly starts: readonly Time[]
  readonly stops: readonly Time[]
  /** What keeps the process alive after all of them, more than before. */
  readonly handlesLeft: number
  readonly forks: readonly Time[]
  /** Of a fork that nobody has asked for anything, and of one that answers. */
  readonly forkBytes: number
  readonly answeringForkBytes: number
  /** From the call of `fork` to the answer of a first request. */
  readonly firstAnswers: readonly Time[]
  readonly fifty: Time
  readonly fiftyAnswers: Time
}

const STARTS = 100
const OBJECTS = 10_000
const AT_ONCE = 16
const FORKS = 20
const MAPS = { group: '', version: 'v1', plural: 'configmaps', namespaced: true }

const began = clock()
const { startServer } = (await import(new URL('../../dist/index.js', import.meta.url).href)) as {
  startServer: typeof Start
}
const server = await startServer()
const first = since(began)
process.stdout.write(JSON.stringify(process.argv[2] === 'first' ? { first } : await measureAll(server)))
await server.stop()

async function measureAll(server: Server): Promise<Measured> {
  const handles = process.getActiveResourcesInfo().length
  const starts: Time[] = []
  const stops: Time[] = []
  for (let i = 0; i < STARTS; i++) {
    const [started, start] = await timed(() => startServer())
    const [, stop] = await timed(() => started.stop())
    starts.push(start)
    stops.push(stop)
  }
  const handlesLeft = process.getActiveResourcesInfo().length - handles
  await fill(server.client())
  const forked = await measureForks(server)
  return { first, starts, stops, handlesLeft, ...forked }
}

type Forked = Omit<Measured, 'first' | 'starts' | 'stops' | 'handlesLeft'>

async function measureForks(server: Server): Promise<Forked> {
  const firstAnswers: Time[] = []
  for (let i = 0; i < FORKS; i++) {
    const [fork, time] = await timed(async () => {
      const made = await server.fork()
      await answer(made)
      return made
    })
    firstAnswers.push(time)
    await fork.stop()
  }
  const before = bytesInUse()
  const forks: Server[] = []
  const times: Time[] = []
  for (let i = 0; i < FORKS; i++) {
    const [fork, time] = await timed(() => server.fork())
    forks.push(fork)
    times.push(time)
  }
  const forkBytes = (bytesInUse() - before) / FORKS
  for (const fork of forks) await answer(fork)
  const answeringForkBytes = (bytesInUse() - before) / FORKS
  await Promise.all(forks.map((fork) => fork.stop()))
  const [many, fifty] = await timed(() => Promise.all(Array.from({ length: 50 }, () => server.fork())))
  const [, fiftyAnswers] = await timed(() => Promise.all(many.map(answer)))
  await Promise.all(many.map((fork) => fork.stop()))
  return { forks: times, forkBytes, answeringForkBytes, firstAnswers, fifty, fiftyAnswers }
}

async function answer(server: Server): Promise<void> {
  await server.client().resource(MAPS).inNamespace('default').get('m-0')
}

async function fill(client: Client): Promise<void> {
  const maps = client.resource<{ metadata: { name: string }; data: object }>(MAPS).inNamespace('default')
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < OBJECTS) await maps.create({ metadata: { name: `m-${next++}` }, data: { text: 'v'.repeat(700) } })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function timed<T>(run: () => Promise<T>): Promise<[T, Time]> {
  const start = clock()
  const made = await run()
  return [made, since(start)]
}

function clock(): Time {
  const { user, system } = process.cpuUsage()
  return { wall: performance.now(), processor: (user + system) / 1000 }
}

function since(start: Time): Time {
  const now = clock()
  return { wall: now.wall - start.wall, processor: now.processor - start.processor }
}

function bytesInUse(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
