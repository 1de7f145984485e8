// Sends the requests of a client to a server in the same process. It uses no socket.
import { ConnectionError, type IncomingAnswer, type OutgoingRequest, type Transport } from '../client/client.ts'
import type { RunningServer } from '../server/server.ts'

export class InProcessTransport implements Transport {
  readonly #url: string
  readonly #connection: ReturnType<RunningServer['connect']>
  readonly #onClosed: () => void
  #isClosed = false

  constructor(server: Pick<RunningServer, 'connect' | 'url'>, onClosed: () => void) {
    this.#url = server.url
    this.#connection = server.connect()
    this.#onClosed = onClosed
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingAnswer> {
    if (this.#isClosed) throw new ConnectionError('connecting', 'the client is closed')
    if (this.#connection.isClosed)
      throw new ConnectionError('connecting', `cannot connect to ${this.#url}: the server has stopped`)
    try {
      return await this.#connection.send(request, signal)
    } catch (error) {
      const cause = error as Error
      throw new ConnectionError('sent', `${request.method} ${request.path}: ${cause.message}`, cause)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#connection.close()
    this.#onClosed()
  }
}
