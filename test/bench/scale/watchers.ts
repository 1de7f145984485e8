// Many watchers of one object, on a few connections and each on its own: what an event takes of the server, when it is there, and what a
// watcher takes of memory.
import { inTurns, printTable, quantile, type Row, together } from './figures.ts'
import type { LoadClient } from './load-client.ts'
import type { Settings } from './settings.ts'
import type { Subject } from './subject.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const NAME = 'watched'
const WRITES = 20
/** The first writes find much that is slow the first time, whatever the number of watchers. */
const WARM_UP_WRITES = 5
/** Go's servers take 250 streams on a connection. */
const ON_ONE_CONNECTION = 100
const BEGUN_AT_ONCE = 50

export async function measureWatchers(subjects: readonly Subject[], settings: Settings): Promise<void> {
  for (const subject of subjects) {
    await subject.start()
    using client = subject.connect()
    await client.do({ method: 'POST', path: MAPS, body: bodyOf('') })
  }
  for (const onOne of [ON_ONE_CONNECTION, 1]) {
    const print = printTable(`Watchers, ${onOne} on a connection`, 'watchers')
    for (const count of settings.watchers) {
      const watchers = { count, onOne }
      const held = await inTurns(subjects, 1, (subject) => measureMemory(subject, watchers))
      const events = await inTurns(subjects, settings.rounds, (subject) => measureEvents(subject, watchers))
      print(together(count, [events, held]))
    }
  }
}

function bodyOf(text: string): string {
  return JSON.stringify({ metadata: { name: NAME }, data: { text: text.padEnd(700, 'v') } })
}

interface Watchers {
  readonly count: number
  /** On a connection. */
  readonly onOne: number
}

async function measureMemory(subject: Subject, watchers: Watchers): Promise<Row> {
  const alone = await subject.settledMB()
  return withWatchers(subject, watchers, async () => {
    const held = await subject.settledMB()
    return { 'a watcher, memory KB': ((held - alone) * 1_000) / watchers.count }
  })
}

function measureEvents(subject: Subject, watchers: Watchers): Promise<Row> {
  return withWatchers(subject, watchers, async (told) => {
    using writer = subject.connect()
    await write(writer, told, { count: watchers.count, writes: WARM_UP_WRITES })
    const before = subject.processorMs()
    const times = await write(writer, told, { count: watchers.count, writes: WRITES })
    return {
      'an event, processor µs': ((subject.processorMs() - before) * 1_000) / (watchers.count * WRITES),
      'an event, p50 ms': quantile(times, 0.5),
      'an event, p99 ms': quantile(times, 0.99),
    }
  })
}

/** One write after another, each when all have been told of the one before; how long each event took. */
async function write(
  writer: LoadClient,
  told: Told,
  { count, writes }: { readonly count: number; readonly writes: number },
): Promise<readonly number[]> {
  const times: number[] = []
  for (let i = 0; i < writes; i++) {
    told.since(performance.now(), times)
    await writer.do({ method: 'PUT', path: `${MAPS}/${NAME}`, body: bodyOf(`${i} ${performance.now()}`) })
    await told.more(count)
  }
  return times
}

async function withWatchers(
  subject: Subject,
  { count, onOne }: Watchers,
  measure: (told: Told) => Promise<Row>,
): Promise<Row> {
  const clients: LoadClient[] = []
  const told = new Told()
  const path = `${MAPS}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3D${NAME}`
  let next = 0
  const beginner = async (): Promise<void> => {
    while (next < count) {
      // Ten thousand handshakes at once are another bench.
      const client = (clients[Math.floor(next++ / onOne)] ??= subject.connect())
      await client.watch(path, (events) => told.add(events))
    }
  }
  try {
    await Promise.all(Array.from({ length: BEGUN_AT_ONCE }, beginner))
    // One each for what is there at the start.
    await told.more(count)
    return await measure(told)
  } finally {
    for (const client of clients) client[Symbol.dispose]()
  }
}

/** How many events have come in all, and how long after a write each did. */
class Told {
  #count = 0
  #awaited = 0
  #wanted = Infinity
  #wake: () => void = () => {}
  #began = 0
  #times: number[] = []

  since(began: number, times: number[]): void {
    this.#began = began
    this.#times = times
  }

  add(events: number): void {
    const time = performance.now() - this.#began
    for (let i = 0; i < events; i++) this.#times.push(time)
    this.#count += events
    if (this.#count >= this.#wanted) this.#wake()
  }

  /** Resolves when so many more have come than were awaited before. */
  async more(count: number): Promise<void> {
    this.#awaited += count
    if (this.#count >= this.#awaited) return
    this.#wanted = this.#awaited
    await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}
