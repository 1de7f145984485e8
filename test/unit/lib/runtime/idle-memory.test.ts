import { describe, expect, it } from 'vitest'
import { giveBackMemory, type Heap } from '../../../../src/lib/runtime/idle-memory.ts'

const MIB = 1024 * 1024

/** Between two collections once a start is long over. */
const LONG_MS = 30_000

/**
 * A server that lives through the moments that it is given, then is idle until what a start took is given back, and then stops;
 * `|` stands for a collection, words for a wait.
 */
class Server implements Heap {
  readonly lived: string[] = []
  readonly stop = new AbortController()
  requests = 0
  readonly #moments: string[]
  readonly #used: (collections: number) => number

  constructor(moments: readonly string[], used: (collections: number) => number = () => 50 * MIB) {
    this.#moments = [...moments]
    this.#used = used
  }

  async utilizationDuring(milliseconds: number): Promise<number> {
    if (milliseconds === LONG_MS) this.stop.abort()
    this.stop.signal.throwIfAborted()
    const moment = this.#moments.shift() ?? 'idle'
    this.lived.push(moment)
    if (moment === 'asked') this.requests++
    return moment === 'busy' ? 0.1 : 0.099
  }

  usedBytes(): number {
    return this.#used(this.lived.filter((moment) => moment === '|').length)
  }

  takenBytes(): number {
    return this.usedBytes()
  }

  collect(): void {
    this.lived.push('|')
  }
}

async function livedBy(server: Server): Promise<string> {
  await giveBackMemory(() => server.requests, server.stop.signal, server)
  return server.lived.join(' ')
}

const COLLECTED = '| idle | idle | idle | idle | idle | idle | idle | idle'

describe('what a start took is given back', () => {
  it.each([
    { when: 'at once where nobody asks for anything', moments: [], lived: `idle ${COLLECTED}` },
    { when: 'after the last request', moments: ['asked', 'asked'], lived: `asked asked idle ${COLLECTED}` },
    { when: 'after the last work without requests', moments: ['busy', 'busy'], lived: `busy busy idle ${COLLECTED}` },
    {
      when: 'in pieces where somebody asks between two collections',
      moments: ['idle', 'asked', 'busy'],
      lived: `idle | asked busy idle ${COLLECTED.slice('| idle '.length)}`,
    },
  ])('$when', async ({ moments, lived }) => {
    expect(await livedBy(new Server(moments))).toBe(lived)
  })

  it('in waits of a second before the first collection and of less between two', async () => {
    const server = new Server([])
    const waits: number[] = []
    const heap: Heap = {
      usedBytes: () => 0,
      takenBytes: () => 0,
      collect: () => {},
      utilizationDuring: (milliseconds) => {
        waits.push(milliseconds)
        return server.utilizationDuring(milliseconds)
      },
    }
    await giveBackMemory(() => 0, server.stop.signal, heap)
    expect(waits).toEqual([1000, 200, 200, 200, 200, 200, 200, 200, 200, LONG_MS])
  })
})

describe('nothing is collected', () => {
  it('where that would take long', async () => {
    expect(await livedBy(new Server([], () => 96 * MIB))).toBe('idle')
  })

  it('any more where there is much by now', async () => {
    const server = new Server([], (collections) => (collections < 3 ? 96 * MIB - 1 : 96 * MIB))
    expect(await livedBy(server)).toBe('idle | idle | idle | idle')
  })

  it('once the server stops', async () => {
    const stop = new AbortController()
    const server = new Server(['idle', 'idle'])
    const stopping: Heap = {
      usedBytes: () => 0,
      takenBytes: () => 0,
      collect: () => server.collect(),
      async utilizationDuring(milliseconds) {
        if (server.lived.includes('|')) stop.abort()
        stop.signal.throwIfAborted()
        return server.utilizationDuring(milliseconds)
      },
    }
    await giveBackMemory(() => 0, stop.signal, stopping)
    expect(server.lived).toEqual(['idle', '|'])
  })
})

it('what breaks while the server runs is told', async () => {
  const broken: Heap = {
    usedBytes: () => 0,
    takenBytes: () => 0,
    collect: () => {
      throw new Error('no collector')
    },
    utilizationDuring: async () => 0,
  }
  await expect(giveBackMemory(() => 0, new AbortController().signal, broken)).rejects.toThrow('no collector')
})

it('where somebody always asks for something, what a start took is given back when there is less to do', async () => {
  const server = new Server(Array.from({ length: 60 }, () => 'asked'))
  const waits: number[] = []
  const heap: Heap = {
    usedBytes: () => 200 * MIB,
    takenBytes: () => 300 * MIB,
    collect: () => server.collect(),
    async utilizationDuring(milliseconds) {
      if (server.lived.includes('|')) server.stop.abort()
      server.stop.signal.throwIfAborted()
      waits.push(milliseconds)
      return milliseconds < 5_000 ? server.utilizationDuring(milliseconds) : 0
    },
  }
  await giveBackMemory(() => server.requests, server.stop.signal, heap)
  expect(waits).toEqual([...Array.from({ length: 60 }, () => 1_000), LONG_MS, 5_000])
  expect(server.lived.at(-1)).toBe('|')
})

describe('what was taken later is given back too', () => {
  interface Moment {
    /** In megabytes. */
    readonly taken: number
    readonly used?: number
    readonly utilization?: number
  }

  /** How often there was a collection, when all of these moments have passed; each is a wait of one of the two lengths. */
  async function collectionsIn(moments: readonly Moment[], left = 20): Promise<readonly number[]> {
    const stop = new AbortController()
    let place = -1
    let collected: number | undefined
    const at: number[] = []
    const now = (): Moment => moments[place] ?? { taken: left }
    const heap: Heap = {
      async utilizationDuring(milliseconds) {
        if (milliseconds < 5_000) return 0
        if (++place >= moments.length) stop.abort()
        stop.signal.throwIfAborted()
        collected = undefined
        return now().utilization ?? 0
      },
      usedBytes: () => (collected ?? now().used ?? now().taken) * MIB,
      takenBytes: () => (collected ?? now().taken) * MIB,
      collect: () => {
        collected = left
        if (place >= 0) at.push(place)
      },
    }
    await giveBackMemory(() => 0, stop.signal, heap)
    return at
  }

  it('when it is quiet', async () => {
    const busy = { taken: 60, utilization: 0.5 }
    expect(await collectionsIn([busy, busy, busy, { taken: 60 }, { taken: 60 }])).toEqual([3])
  })

  it('not for a little', async () => {
    expect(await collectionsIn(Array.from({ length: 10 }, () => ({ taken: 27 })))).toEqual([])
    expect(await collectionsIn(Array.from({ length: 4 }, () => ({ taken: 29 })))).toEqual([1, 3])
    expect(
      await collectionsIn(
        Array.from({ length: 10 }, () => ({ taken: 110 })),
        95,
      ),
    ).toEqual([])
  })

  it('not while there is something to do', async () => {
    expect(await collectionsIn(Array.from({ length: 10 }, () => ({ taken: 60, utilization: 0.06 })))).toEqual([])
  })

  it('not where it would take long, unless most of it is known to be waste', async () => {
    const much = { taken: 300, used: 200 }
    expect(await collectionsIn([much, much, much, much, much], 97)).toEqual([1])
    expect(await collectionsIn([much, much, much, much, much], 20)).toEqual([1, 3])
  })

  it('once where much was taken before it was quiet for the first time', async () => {
    const server = new Server([], () => 200 * MIB)
    const waits: number[] = []
    const attacked: Heap = {
      usedBytes: () => 200 * MIB,
      takenBytes: () => 300 * MIB,
      collect: () => server.collect(),
      async utilizationDuring(milliseconds) {
        if (waits.length === 8) server.stop.abort()
        server.stop.signal.throwIfAborted()
        waits.push(milliseconds)
        return 0
      },
    }
    await giveBackMemory(() => 0, server.stop.signal, attacked)
    expect(server.lived).toEqual(['|'])
    expect(waits.slice(0, 3)).toEqual([1_000, LONG_MS, 5_000])
  })
})
