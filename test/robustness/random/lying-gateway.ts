// A gateway before a replica that spoils what it passes on, as a server with a bug would: the checks of a whole run have to find it.
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Target } from './connection.ts'

/** What comes out in the place of an answer or of a line of a watch. */
export interface Lie {
  readonly line?: (line: string) => readonly string[]
  readonly answer?: (method: string, path: string, body: string) => string
}

export class LyingGateway implements AsyncDisposable {
  readonly target: Target
  readonly #server: http.Server

  private constructor(server: http.Server, { token }: Target) {
    this.#server = server
    this.target = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token }
  }

  static async start(before: Target, lie: Lie): Promise<LyingGateway> {
    const server = http.createServer((request, response) => {
      const { host: _, ...headers } = request.headers
      const options = { method: request.method ?? 'GET', headers, rejectUnauthorized: false }
      const upstream = https.request(`${before.url}${request.url}`, options, (answer) => {
        const { 'content-length': _, ...rest } = answer.headers
        response.writeHead(answer.statusCode ?? 500, rest)
        response.flushHeaders()
        const isWatch = request.url?.includes('watch=1') === true
        const told = isWatch ? tellLines(answer, response, lie) : tellAnswer(answer, response, lie, request)
        told.catch(() => response.destroy())
      })
      upstream.on('error', () => response.destroy())
      response.on('close', () => upstream.destroy())
      request.pipe(upstream)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LyingGateway(server, before)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

async function tellLines(answer: http.IncomingMessage, response: http.ServerResponse, { line }: Lie): Promise<void> {
  let rest = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const one of lines) for (const told of line?.(one) ?? [one]) response.write(`${told}\n`)
  }
  response.end()
}

async function tellAnswer(
  answer: http.IncomingMessage,
  response: http.ServerResponse,
  lie: Lie,
  { method = 'GET', url = '' }: http.IncomingMessage,
): Promise<void> {
  let body = ''
  for await (const chunk of answer.setEncoding('utf8')) body += String(chunk)
  const isGood = (answer.statusCode ?? 500) < 300
  response.end(isGood ? (lie.answer?.(method, url, body) ?? body) : body)
}
