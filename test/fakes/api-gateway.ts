// A gateway that speaks plain HTTP/1.1 in front of a server, and answers some requests itself: what older servers and busy ones say.
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ServerAddress } from '../rigs/running-server.ts'

export interface GatewayAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

export interface ApiGateway extends AsyncDisposable {
  readonly url: string
  /** `GET /api/v1/pods?watch=true` of every request so far. */
  readonly requests: readonly string[]
  /** Undefined: the request goes to the server. */
  answer: (request: http.IncomingMessage, url: URL) => GatewayAnswer | undefined
}

export async function startApiGateway(server: ServerAddress): Promise<ApiGateway> {
  const requests: string[] = []
  const listener = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const url = new URL(request.url ?? '/', server.url)
    const own = gateway.answer(request, url)
    if (own !== undefined) {
      response.writeHead(own.status, { 'content-type': 'application/json', ...own.headers })
      return void response.end(`${JSON.stringify(own.body)}\n`)
    }
    const { host: _, ...headers } = request.headers
    const options = { method: request.method ?? 'GET', ca: server.authority, headers }
    const upstream = https.request(url, options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      // A watch says nothing until something happens, and it has begun all the same.
      response.flushHeaders()
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const gateway: ApiGateway = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests,
    answer: () => undefined,
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close')
      listener.close()
      listener.closeAllConnections()
      await closed
    },
  }
  return gateway
}
