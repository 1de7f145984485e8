import { describe, expect, it } from 'vitest'
import { BoundedBody, MAX_BODY_BYTES } from '../../../src/http/body.ts'
import { LargeBodies } from '../../../src/http/large-bodies.ts'
import type { BodyListener, WireRequest } from '../../../src/wire/request-response.ts'

const MIB = 1024 * 1024

function wireRequest(pieces: readonly Buffer[], headers: WireRequest['headers'] = {}): WireRequest {
  const listen = ({ onData, onEnd }: BodyListener): void => {
    for (const piece of pieces) onData(piece)
    onEnd()
  }
  return { method: 'POST', target: '/', headers, rawHeaders: [], body: { listen, mute: () => {} } }
}

class Client {
  readonly stop = new AbortController()
  readonly body: BoundedBody
  bytes: Buffer | undefined
  readonly reading: Promise<void>

  constructor(largeBodies: LargeBodies, bytes: number) {
    this.body = new BoundedBody(wireRequest([Buffer.alloc(bytes)]), this.stop.signal, largeBodies)
    this.reading = this.body.read().then((read) => {
      this.bytes = read
    })
    this.reading.catch(() => {})
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a body', () => {
  it('is read whole, and said to be so long', async () => {
    const seen: Buffer[] = []
    const signal = new AbortController().signal
    const body = new BoundedBody(wireRequest([Buffer.from('ab'), Buffer.from('c')]), signal, new LargeBodies())
    body.onRead = (bytes) => void seen.push(bytes)
    expect((await body.read()).toString()).toBe('abc')
    expect(body.length).toBe(3)
    expect(seen.map(String)).toEqual(['abc'])
  })

  it.each([
    ['as announced', wireRequest([], { 'content-length': `${MAX_BODY_BYTES + 1}` })],
    ['as it came', wireRequest([Buffer.alloc(MAX_BODY_BYTES), Buffer.alloc(1)])],
  ])('is refused where it is too long: %s', async (_name, request) => {
    const body = new BoundedBody(request, new AbortController().signal, new LargeBodies())
    await expect(body.read()).rejects.toMatchObject({ reason: 'RequestEntityTooLarge' })
  })
})

describe('a large body', () => {
  const clientsOf = (count: number): Client[] => {
    const largeBodies = new LargeBodies()
    return Array.from({ length: count }, () => new Client(largeBodies, 3 * MIB))
  }
  const readBy = (clients: readonly Client[]): number => clients.filter(({ bytes }) => bytes !== undefined).length

  it('waits until an earlier one is released', async () => {
    const clients = clientsOf(7)
    await settled()
    expect(readBy(clients)).toBe(5)
    clients[0]!.body.release()
    clients[0]!.body.release()
    await settled()
    expect(readBy(clients)).toBe(6)
  })

  it('gives up waiting with its request', async () => {
    const clients = clientsOf(7)
    await settled()
    clients[5]!.stop.abort(new Error('gone'))
    await expect(clients[5]!.reading).rejects.toThrow()
    clients[5]!.body.release()
    expect(readBy(clients)).toBe(5)
    clients[0]!.body.release()
    await settled()
    expect(clients[6]!.bytes).toHaveLength(3 * MIB)
  })

  it('makes way at once where its request was answered while it waited', async () => {
    const clients = clientsOf(7)
    await settled()
    clients[5]!.body.release()
    clients[0]!.body.release()
    await settled()
    expect(readBy(clients)).toBe(7)
  })
})
