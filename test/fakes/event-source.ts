// A reader of event streams as browsers are: it remembers the last `id`, sends it when it reconnects, and gives its page whole events only.
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { Readable } from 'node:stream'

export interface StreamEvent {
  readonly type: string
  /** The last id at that moment. */
  readonly id: string
  readonly data: Record<string, unknown>
}

export interface EventSourceOptions {
  readonly url: string
  readonly authority: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: 'http/1.1' | 'h2'
}

interface Connecting {
  readonly cutAfter?: number
  readonly isEnough?: () => boolean
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

interface OpenStream extends Answered {
  readonly body: Readable
  readonly close: () => void
}

export class EventReader {
  readonly #options: EventSourceOptions
  readonly events: StreamEvent[] = []
  lastId = ''
  comments = 0

  constructor(options: EventSourceOptions) {
    this.#options = options
  }

  /**
   * One connection, to its end, until `isEnough`, or cut by the reader after so many bytes, wherever that is. Resolves with how it was
   * answered.
   */
  async connect({ cutAfter = Infinity, isEnough = () => false }: Connecting = {}): Promise<Answered> {
    const stream = await this.#open()
    let [text, left] = ['', cutAfter]
    try {
      for await (const chunk of stream.body) {
        const taken = (chunk as Buffer).subarray(0, left)
        left -= taken.length
        const blocks = `${text}${taken.toString('latin1')}`.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
        if (left === 0 || isEnough()) break
      }
    } finally {
      stream.close()
    }
    return stream
  }

  #take(block: string): void {
    let type = 'message'
    const data: string[] = []
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
      if (field === '') this.comments++
      else if (field === 'event') type = value
      else if (field === 'id') this.lastId = value
      else if (field === 'data') data.push(value)
    }
    if (data.length === 0) return
    this.events.push({ type, id: this.lastId, data: JSON.parse(data.join('\n')) as Record<string, unknown> })
  }

  #open(): Promise<OpenStream> {
    const { headers: own, protocol } = this.#options
    const resumed = this.lastId === '' ? {} : { 'last-event-id': this.lastId }
    const headers = { accept: 'text/event-stream', ...own, ...resumed }
    return protocol === 'h2' ? this.#openHttp2(headers) : this.#openHttp1(headers)
  }

  async #openHttp1(headers: Record<string, string>): Promise<OpenStream> {
    const { url, authority } = this.#options
    const request = https.get(url, { ca: authority, agent: false, headers })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const { statusCode: status = 0 } = response
    return { status, headers: response.headers, body: response, close: () => request.destroy() }
  }

  async #openHttp2(headers: Record<string, string>): Promise<OpenStream> {
    const { url, authority } = this.#options
    const { origin, pathname, search } = new URL(url)
    const session = http2.connect(origin, { ca: authority }).on('error', () => {})
    const stream = session.request({ ':path': pathname + search, ...headers }).on('error', () => {})
    const [answered] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader]
    return { status: answered[':status'] ?? 0, headers: answered, body: stream, close: () => session.destroy() }
  }
}
