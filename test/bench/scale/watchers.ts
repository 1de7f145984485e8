// Many watchers of one object, on a few connections and each on its own: what an event takes of the server, when it is there, and what a
// watcher takes of memory.
import { inTurns, printTable, quantile, type Row, together } from './figures.ts'
import type { LoadClient } from './load-client.ts'
import type { Settings } from './settings.ts'
import type { Subject } from './subject.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const NAME = 'watched'
const WRITES = 20
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
      print(together(count, [await inTurns(subjects, 1, (subject) => measure(subject, count, onOne))]))
    }
  }
}

function bodyOf(text: string): string {
  return JSON.stringify({ metadata: { name: NAME }, data: { text: text.padEnd(700, 'v') } })
}

async function measure(subject: Subject, count: number, onOne: number): Promise<Row> {
  const alone = subject.residentMB()
  const clients = Array.from({ length: Math.ceil(count / onOne) }, () => subject.connect())
  using writer = subject.connect()
  const told = new Told()
  try {
    await begin(clients, { count, onOne }, (events) => told.add(events))
    // One each for what is there at the start.
    await told.reach(count)
    const held = await subject.settledMB()
    const before = subject.processorMs()
    const times: number[] = []
    for (let write = 1; write <= WRITES; write++) {
      told.since(performance.now(), times)
      await writer.do({ method: 'PUT', path: `${MAPS}/${NAME}`, body: bodyOf(`${write} ${performance.now()}`) })
      await told.reach(count * (write + 1))
    }
    return {
      'an event, processor µs': ((subject.processorMs() - before) * 1_000) / (count * WRITES),
      'an event, p50 ms': quantile(times, 0.5),
      'an event, p99 ms': quantile(times, 0.99),
      'a watcher, memory KB': ((held - alone) * 1_000) / count,
    }
  } finally {
    for (const client of clients) client[Symbol.dispose]()
  }
}

async function begin(
  clients: readonly LoadClient[],
  { count, onOne }: { readonly count: number; readonly onOne: number },
  onEvents: (count: number) => void,
): Promise<void> {
  const path = `${MAPS}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3D${NAME}`
  let next = 0
  const beginner = async (): Promise<void> => {
    while (next < count) await clients[Math.floor(next++ / onOne)]!.watch(path, onEvents)
  }
  await Promise.all(Array.from({ length: BEGUN_AT_ONCE }, beginner))
}

/** How many events have come in all, and how long after a write each did. */
class Told {
  #count = 0
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

  async reach(count: number): Promise<void> {
    if (this.#count >= count) return
    this.#wanted = count
    await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}
