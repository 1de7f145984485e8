// `--healthz-port`: the health checks without TLS or credentials, for probes on this machine. A probe is asked on at the address that
// clients use, so that it fails where clients would.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { reasonOf, StartError } from '../config/start-error.ts'
import type { ServerAccess } from './foundation.ts'

/** An endpoint, one of its checks, and how they are to be shown. */
const PROBE = /^\/(healthz|livez|readyz)(\/[\w.-]+){0,4}(\?[\w=&.-]{0,200})?$/
const PATIENCE_MS = 5_000
const MOST_CONNECTIONS = 32

export class HealthzPort implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  #access: ServerAccess | undefined

  /** Throws a `StartError` where the port cannot be had. */
  static async open(port: number): Promise<HealthzPort> {
    const server = createServer({ requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS, maxHeaderSize: 8_192 })
    server.maxConnections = MOST_CONNECTIONS
    server.listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      throw new StartError(`--healthz-port: cannot listen on 127.0.0.1:${port}: ${reasonOf(error)}`, { cause: error })
    }
    return new HealthzPort(server)
  }

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => this.#answer(request, response))
  }

  /** From now on the server listens there. */
  ask(access: ServerAccess): void {
    this.#access = access
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    response.setHeader('connection', 'close')
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    const say = (status: number, text: string): void => void response.writeHead(status).end(`${text}\n`)
    if (method !== 'GET') return say(405, 'only GET is served here')
    if (!PROBE.test(url)) return say(404, 'only /healthz, /livez and /readyz are served here')
    if (this.#access === undefined) return say(503, 'the server does not listen yet')
    const options = {
      agent: false,
      headers: { authorization: `Bearer ${this.#access.adminToken}` },
      // It is this process, or one that it has started, on this machine.
      rejectUnauthorized: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }
    get(new URL(url, this.#access.url), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500)
      answer.on('error', () => response.destroy()).pipe(response)
    }).on('error', (error) => {
      if (response.headersSent) response.destroy()
      else say(503, `the server does not answer: ${reasonOf(error)}`)
    })
  }
}
