// A TCP proxy in front of a real server, to cut it off: at once, in the middle of an answer, or silently; or to make it slow.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Resolves when it listens, on a port of its own. The server is on 127.0.0.1. */
export async function startTcpProxy(targetPort: number, address = '127.0.0.1'): Promise<TcpProxy> {
  const server = createServer()
  const proxy = new TcpProxy(server, targetPort)
  server.listen(0, address)
  await once(server, 'listening')
  return proxy
}

export class TcpProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #targetPort: number
  readonly #pairs = new Set<{ readonly client: Socket; readonly upstream: Socket }>()
  #silent: 'no' | 'answers' | 'all' = 'no'
  #refusing = false
  #bytesEach = Infinity
  #delayMs = 0
  /** How many connections were made through it so far. */
  accepted = 0

  constructor(server: Server, targetPort: number) {
    this.#server = server
    this.#targetPort = targetPort
    server.on('connection', (client) => this.#join(client))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Resets every connection there is; new ones are taken. */
  cut(): void {
    for (const { client, upstream } of this.#pairs) {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    this.#pairs.clear()
  }

  /** Every connection is reset once the server has sent so many bytes over it: in the middle of something. */
  cutAfter(bytes: number): void {
    this.#bytesEach = bytes
  }

  /** New connections are reset at once, until `accept`. */
  refuse(): void {
    this.#refusing = true
    this.cut()
  }

  accept(): void {
    this.#refusing = false
  }

  /**
   * Nothing gets through any more and nobody is told, until `resume`: in neither direction, or only of what the server sends,
   * so that it does what it is asked to and no answer comes.
   */
  silence(what: 'answers' | 'all' = 'all'): void {
    this.#silent = what
    for (const { client, upstream } of this.#pairs) {
      if (what === 'all') client.pause()
      upstream.pause()
    }
  }

  resume(): void {
    this.#silent = 'no'
    for (const { client, upstream } of this.#pairs) {
      client.resume()
      upstream.resume()
    }
  }

  /** Whatever is sent arrives so much later, in both directions; 0: at once again. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  #join(client: Socket): void {
    this.accepted++
    if (this.#refusing) return void client.resetAndDestroy()
    const upstream = connect(this.#targetPort, '127.0.0.1')
    const pair = { client, upstream }
    this.#pairs.add(pair)
    this.#pass(client, upstream, () => undefined)
    this.#pass(upstream, client, () => {
      if (upstream.bytesRead < this.#bytesEach) return
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    })
    const end = (): void => {
      this.#pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      socket.on('error', end)
      socket.on('close', end)
    }
    if (this.#silent === 'all') client.pause()
    if (this.#silent !== 'no') upstream.pause()
  }

  #pass(from: Socket, to: Socket, onBytes: () => void): void {
    const write = (chunk: Buffer): void => {
      if (!to.writable) return
      if (!to.write(chunk)) {
        from.pause()
        to.once('drain', () => {
          if (this.#silent === 'no') from.resume()
        })
      }
      onBytes()
    }
    // What comes while something waits is behind it, also where there is no delay any more.
    const waiting: { readonly chunk: Buffer; readonly due: number }[] = []
    const sendDue = (): void => {
      while (waiting[0] !== undefined && waiting[0].due <= performance.now()) write(waiting.shift()!.chunk)
      if (waiting[0] !== undefined) setTimeout(sendDue, Math.max(1, waiting[0].due - performance.now()))
    }
    from.on('data', (chunk: Buffer) => {
      if (this.#delayMs === 0 && waiting.length === 0) return write(chunk)
      const due = Math.max(performance.now() + this.#delayMs, waiting.at(-1)?.due ?? 0)
      if (waiting.push({ chunk, due }) === 1) setTimeout(sendDue, this.#delayMs)
    })
  }
}
