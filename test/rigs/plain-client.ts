// A client for any server of this API, ours or the reference: bytes as they come, certificates unchecked, connections kept.
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'

export interface PlainAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

export interface PlainCall {
  readonly method?: string
  readonly accept?: string
  readonly contentType?: string
  readonly body?: object | string
  readonly token?: string
}

export type JsonMap = Record<string, unknown>

export class PlainClient implements Disposable {
  readonly url: string
  readonly #token: string
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false })

  constructor({ url, token }: { readonly url: string; readonly token: string }) {
    this.url = url
    this.#token = token
  }

  async send(path: string, call: PlainCall = {}): Promise<PlainAnswer> {
    const response = await this.open(path, call)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }
  }

  /** Its body is for the caller to take. */
  async open(path: string, call: PlainCall = {}): Promise<IncomingMessage> {
    const { method = 'GET', accept = 'application/json', contentType = 'application/json', body } = call
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    // Node says of no DELETE that it has a body.
    const described =
      text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }
    const request = https.request(`${this.url}${path}`, {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${call.token ?? this.#token}`,
        accept,
        ...described,
      },
    })
    request.end(text)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }

  /** The body of an answer of success; throws for every other. */
  async must(path: string, call: PlainCall = {}): Promise<JsonMap> {
    const { status, bytes } = await this.send(path, call)
    if (status >= 300) throw new Error(`${call.method ?? 'GET'} ${path}: ${status} ${bytes.toString()}`)
    return JSON.parse(bytes.toString()) as JsonMap
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
