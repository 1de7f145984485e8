// How clients of a simulated world reach its servers: requests and answers travel as messages, each in the process that it is for.
import type { IncomingAnswer, OutgoingRequest } from '../../src/client/client.ts'
import type { InProcessConnection } from '../../src/http/listener.ts'
import { LightSignal } from '../../src/lib/light-signal.ts'
import type { Loop, Process } from './loop.ts'
import type { Lane, Network } from './network.ts'

/** A server as clients see it. */
export interface Reachable {
  readonly name: string
  readonly process: Process
  /** Undefined while it is down. */
  readonly open: { readonly connection: InProcessConnection; readonly token: string } | undefined
}

/** The connection broke, or none could be made. */
export class WayLost extends Error {
  override readonly name = 'WayLost'
  readonly wasSent: boolean

  constructor(message: string, wasSent: boolean) {
    super(message)
    this.wasSent = wasSent
  }
}

interface Parts {
  readonly loop: Loop
  readonly network: Network
}

type Request = Pick<OutgoingRequest, 'method' | 'path' | 'headers' | 'body'>

export class SimTransport {
  readonly #parts: Parts
  readonly #from: string
  readonly #target: () => Reachable
  readonly #open = new Set<(error: Error) => void>()

  /** `from`: the host of the client. */
  constructor(parts: Parts, from: string, target: () => Reachable) {
    this.#parts = parts
    this.#from = from
    this.#target = target
  }

  send(request: Request, client: Process, signal: AbortSignal): Promise<IncomingAnswer> {
    const { loop, network } = this.#parts
    const target = this.#target()
    const server = target.process
    const answer = Promise.withResolvers<IncomingAnswer>()
    const there: Lane = { from: this.#from, to: target.name, process: () => server, atMs: 0, held: [] }
    const back: Lane = { from: target.name, to: this.#from, process: () => client, atMs: 0, held: [] }
    const body = new ArrivingBody()
    const giveUp = new LightSignal()
    let wasSent = false
    let isOver = false
    let hasEnded = false
    const over = (error: Error | undefined): void => {
      if (isOver) return
      isOver = true
      this.#open.delete(over)
      leaveHost()
      signal.removeEventListener('abort', onAbort)
      answer.reject(error ?? new WayLost('it is over', true))
      body.fail(error)
      if (!hasEnded) network.carry(there, () => giveUp.fire(new Error('the client is gone')))
    }
    const lose = (why: string): void => over(new WayLost(why, wasSent))
    const onAbort = (): void => over(signal.reason as Error)
    const leaveHost = network.whenBroken(target.name, this.#from, client, () => lose('the connection broke'))
    if (signal.aborted) {
      over(signal.reason as Error)
      return answer.promise
    }
    this.#open.add(over)
    body.onDestroyed = () => over(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (target.open === undefined) {
      loop.at(network.latency(this.#from, target.name), client, () => lose('connect ECONNREFUSED'))
      return answer.promise
    }
    const { connection, token } = target.open
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    const deliver = (act: () => void): void =>
      network.carry(back, () => {
        const way = network.way(target.name, this.#from)
        if (way.breaks > 0) {
          way.breaks--
          return lose('the connection broke before the answer')
        }
        act()
      })
    const serve = async (): Promise<void> => {
      wasSent = true
      try {
        const {
          status,
          headers: given,
          body: pieces,
          isComplete,
        } = await connection.send({ ...request, headers }, giveUp)
        deliver(() => answer.resolve({ status, headers: given, body, isComplete: () => body.isWhole }))
        for await (const piece of pieces) deliver(() => body.add(Buffer.from(piece)))
        const isWhole = isComplete()
        deliver(() => {
          body.end(isWhole)
          hasEnded = true
          over(undefined)
        })
      } catch (error) {
        const { message } = error as Error
        hasEnded = true
        deliver(() => lose(message))
      }
    }
    network.carry(there, () => void serve())
    return answer.promise
  }

  close(): void {
    for (const over of this.#open) over(new WayLost('the client is closed', true))
  }
}

class ArrivingBody implements AsyncIterable<Buffer> {
  readableEnded = false
  isWhole = false
  onDestroyed: () => void = () => {}
  readonly #pieces: Buffer[] = []
  #isOver = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  add(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#wake?.()
  }

  end(isWhole: boolean): void {
    this.isWhole = isWhole
    this.#isOver = true
    this.#wake?.()
  }

  fail(error: Error | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#failure = error
    this.#wake?.()
  }

  destroy(): void {
    this.onDestroyed()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const piece = this.#pieces.shift()
        if (piece !== undefined) yield piece
        else if (this.#failure !== undefined) throw this.#failure
        else if (this.#isOver) break
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      this.readableEnded = true
    } finally {
      if (!this.readableEnded) this.destroy()
    }
  }
}
