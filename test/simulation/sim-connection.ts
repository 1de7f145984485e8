// Clients of a simulated world, in the forms that those of the random suite and of `quarterdeck/client` have.
import { ConnectionError, type IncomingAnswer, type OutgoingRequest, type Transport } from '../../src/client/client.ts'
import { LightSignal } from '../../src/lib/light-signal.ts'
import { type Answered, type Asked, NoAnswer, type Speaker } from '../robustness/random/connection.ts'
import { currentProcess, type Loop } from './loop.ts'
import type { Network } from './network.ts'
import { type Reachable, SimTransport, WayLost } from './transport.ts'

interface Parts {
  readonly loop: Loop
  readonly network: Network
}

export class SimConnection implements Speaker {
  readonly #transport: SimTransport

  constructor(parts: Parts, host: string, target: Reachable) {
    this.#transport = new SimTransport(parts, host, () => target)
  }

  async ask(asked: Asked, limitMs: number): Promise<Answered> {
    const late = new LightSignal()
    const timer = setTimeout(() => late.fire(new Error(`no answer within ${limitMs} ms`)), limitMs)
    try {
      const answer = await this.#send(asked, late)
      const pieces: Uint8Array[] = []
      for await (const piece of answer.body) pieces.push(piece)
      if (!answer.isComplete()) throw new Error('the answer broke off')
      return { status: answer.status, body: Buffer.concat(pieces).toString() }
    } catch (error) {
      const wasSent = !(error instanceof WayLost) || error.wasSent
      throw new NoAnswer(wasSent ? error : Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    } finally {
      clearTimeout(timer)
    }
  }

  async stream(path: string, signal: AbortSignal, onLine: (line: string) => void): Promise<number> {
    let status = 0
    try {
      const answer = await this.#send({ method: 'GET', path }, signal)
      status = answer.status
      let rest = ''
      for await (const piece of answer.body) {
        const lines = (rest + Buffer.from(piece).toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onLine(line)
      }
    } catch {
      // A watch that breaks off has told what it has told.
    }
    return status
  }

  /** The body of an answer of success. */
  async must(method: string, path: string, body?: object): Promise<unknown> {
    const { status, body: text } = await this.ask({ method, path, ...(body === undefined ? {} : { body }) }, 10_000)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(text)
  }

  close(): void {
    this.#transport.close()
  }

  #send({ method, path, body, contentType }: Asked, signal: AbortSignal): Promise<IncomingAnswer> {
    const headers = body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }
    const sent = body === undefined ? undefined : JSON.stringify(body)
    return this.#transport.send({ method, path, headers, body: sent }, currentProcess()!, signal)
  }
}

/** For `new Client({ transport })`. */
export function transportOf(parts: Parts, host: string, target: Reachable): Transport {
  const transport = new SimTransport(parts, host, () => target)
  return {
    async send(request: OutgoingRequest, signal: AbortSignal) {
      try {
        return await transport.send(request, currentProcess()!, signal)
      } catch (error) {
        if (!(error instanceof WayLost)) throw error
        throw new ConnectionError(error.wasSent ? 'sent' : 'connecting', error.message, error)
      }
    },
    close: () => transport.close(),
  }
}
