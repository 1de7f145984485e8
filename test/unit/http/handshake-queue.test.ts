import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TURNS_A_BEGIN, LONGEST_LINE, HandshakeQueue } from '../../../src/http/handshake-queue.ts'

/** What a client is to the queue: something that may speak, end, or lose patience with. */
class Client extends Duplex {
  readonly id: number
  told = ''
  #onTimeout: (() => void) | undefined

  constructor(id: number) {
    super({ allowHalfOpen: false })
    this.id = id
  }

  override _read(): void {}

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.told += String(chunk)
    done()
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): void {
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.#onTimeout = milliseconds === 0 ? undefined : () => this.emit('timeout')
  }

  /** As sockets do it. */
  hangUp(): void {
    this.push(null)
    this.read(0)
  }

  losePatience(): void {
    this.#onTimeout?.()
  }
}

class World {
  readonly clients: Client[] = []
  readonly begun: number[] = []
  readonly heard: string[] = []
  lost = 0
  isBusy = false
  readonly handshakes = new HandshakeQueue({
    begin: (socket) => {
      const client = socket as unknown as Client
      this.begun.push(client.id)
      this.heard.push(String(client.read()))
    },
    onLost: () => void this.lost++,
    patienceMs: 10_000,
    isBusy: () => this.isBusy,
  })

  come(count = 1): readonly Client[] {
    const came = Array.from({ length: count }, (_, at) => new Client(this.clients.length + at))
    this.clients.push(...came)
    for (const client of came) this.handshakes.add(client as unknown as Socket)
    return came
  }

  /** Who stand in line from the next turn on, in this order. */
  async waiting(count: number): Promise<readonly Client[]> {
    const came = this.come(count)
    for (const client of came) client.push(`hello from ${client.id}`)
    // Streams say that there is something to read in a tick of their own.
    await new Promise((resolve) => process.nextTick(resolve))
    return came
  }

  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) await setImmediate()
  }

  async untilNobodyWaits(): Promise<void> {
    for (let before = -1, quiet = 0; quiet <= TURNS_A_BEGIN; before = this.begun.length) {
      quiet = before === this.begun.length ? quiet + 1 : 0
      await setImmediate()
    }
  }
}

describe('handshakes', () => {
  it('are begun one a turn, the newest and the oldest by turns', async () => {
    const world = new World()
    await world.waiting(6)
    const begunAfter: number[] = []
    for (let turn = 0; turn < 8; turn++) {
      await world.turns(1)
      begunAfter.push(world.begun.length)
    }
    expect(world.begun).toEqual([5, 0, 4, 1, 3, 2])
    for (const [at, count] of begunAfter.entries()) expect(count - (begunAfter[at - 1] ?? 0)).toBeLessThanOrEqual(1)
  })

  it('have all that they said before them', async () => {
    const world = new World()
    const [client] = world.come()
    client!.push('hel')
    await world.turns(0)
    client!.push('lo')
    await world.untilNobodyWaits()
    expect(world.heard).toEqual(['hello'])
  })

  it('who say nothing keep nobody waiting', async () => {
    const world = new World()
    world.come(2000)
    await world.turns(2)
    const [client] = await world.waiting(1)
    await world.turns(2)
    expect(world.begun).toEqual([client!.id])
  })

  it('who go while they wait are passed over, and counted', async () => {
    const world = new World()
    const [first, second, third, fourth] = await world.waiting(4)
    first!.destroy()
    second!.hangUp()
    third!.destroy(new Error('ECONNRESET'))
    await world.untilNobodyWaits()
    expect(world.begun).toEqual([fourth!.id])
    expect(world.lost).toBe(3)
  })

  it('who go without a word are counted', async () => {
    const world = new World()
    const [client] = world.come()
    client!.hangUp()
    await world.turns(3)
    expect([world.begun.length, world.lost]).toEqual([0, 1])
  })

  it('are sent away when their time is up, but not once they are begun', async () => {
    const world = new World()
    const [silent] = world.come()
    const [heard] = await world.waiting(1)
    await world.untilNobodyWaits()
    for (const client of [silent!, heard!]) client.losePatience()
    await world.turns(2)
    expect([silent!.destroyed, heard!.destroyed, world.lost]).toEqual([true, false, 1])
  })

  it.each(['GET / HTTP/1.1\r\n', 'DELETE /api/v1 HTTP/1.1\r\n'])(
    'who speak plain HTTP are told so: %j',
    async (said) => {
      const world = new World()
      const [client] = world.come()
      client!.push(said)
      await world.untilNobodyWaits()
      expect(client!.told).toContain('400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
      expect([world.begun.length, client!.destroyed]).toEqual([0, true])
    },
  )

  it('are turned away where the line is full', async () => {
    const world = new World()
    await world.waiting(LONGEST_LINE)
    const [late] = await world.waiting(1)
    expect(late!.destroyed).toBe(true)
    for (const client of world.clients) client.destroy()
    await world.untilNobodyWaits()
    const [next] = await world.waiting(1)
    await world.untilNobodyWaits()
    expect(world.begun.at(-1)).toBe(next!.id)
  })

  it('are taken in before others are begun, as long as they come', async () => {
    const world = new World()
    const turns = 10 * TURNS_A_BEGIN
    for (let turn = 0; turn < turns; turn++) {
      await world.waiting(1)
      await world.turns(1)
    }
    expect(world.begun.length).toBeGreaterThanOrEqual(9)
    expect(world.begun.length).toBeLessThanOrEqual(11)
  })

  it('are begun now and then while something goes on that others wait for', async () => {
    const world = new World()
    await world.waiting(5)
    world.isBusy = true
    await world.turns(3 * TURNS_A_BEGIN)
    expect(world.begun.length).toBeGreaterThanOrEqual(2)
    expect(world.begun.length).toBeLessThanOrEqual(3)
  })
})
