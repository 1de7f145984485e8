import { describe, expect, it } from 'vitest'
import { giveBackMemory, type Heap } from '../../../src/server/idle-memory.ts'

const MIB = 1024 * 1024

/** A server that lives through the moments that it is given, then is idle; `|` stands for a collection, words for a wait. */
class Server implements Heap {
  readonly lived: string[] = []
  requests = 0
  readonly #moments: string[]
  readonly #used: (collections: number) => number

  constructor(moments: readonly string[], used: (collections: number) => number = () => 50 * MIB) {
    this.#moments = [...moments]
    this.#used = used
  }

  async utilizationDuring(): Promise<number> {
    const moment = this.#moments.shift() ?? 'idle'
    this.lived.push(moment)
    if (moment === 'asked') this.requests++
    return moment === 'busy' ? 0.1 : 0.099
  }

  usedBytes(): number {
    return this.#used(this.lived.filter((moment) => moment === '|').length)
  }

  collect(): void {
    this.lived.push('|')
  }
}

async function livedBy(server: Server, signal = new AbortController().signal): Promise<string> {
  await giveBackMemory(() => server.requests, signal, server)
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
      collect: () => {},
      utilizationDuring: (milliseconds) => {
        waits.push(milliseconds)
        return server.utilizationDuring()
      },
    }
    await giveBackMemory(() => 0, new AbortController().signal, heap)
    expect(waits).toEqual([1000, 200, 200, 200, 200, 200, 200, 200, 200])
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
      collect: () => server.collect(),
      async utilizationDuring() {
        if (server.lived.includes('|')) stop.abort()
        stop.signal.throwIfAborted()
        return server.utilizationDuring()
      },
    }
    await giveBackMemory(() => 0, stop.signal, stopping)
    expect(server.lived).toEqual(['idle', '|'])
  })
})

it('what breaks while the server runs is told', async () => {
  const broken: Heap = {
    usedBytes: () => 0,
    collect: () => {
      throw new Error('no collector')
    },
    utilizationDuring: async () => 0,
  }
  await expect(giveBackMemory(() => 0, new AbortController().signal, broken)).rejects.toThrow('no collector')
})
