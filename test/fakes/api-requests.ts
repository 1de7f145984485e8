// Requests to the handlers of resources without sockets: the whole way of a request but for transport and filters, on a
// store in memory and with a clock that the test moves.
import { ANONYMOUS } from '../../src/auth/user.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { parseYaml } from '../../src/codec/yaml-parse.ts'
import { ApiError, statusOf } from '../../src/api/status.ts'
import { serveResources } from '../../src/handlers/resources.ts'
import { WatchMeasures } from '../../src/handlers/watch-measures.ts'
import { Watchers } from '../../src/handlers/watchers.ts'
import { SILENT_LOG } from '../../src/lib/log.ts'
import {
  type Caller,
  type CallerHandler,
  type HttpRequest,
  NOT_AUDITED,
  type Piece,
  type ResponseBody,
} from '../../src/http/http.ts'
import { parseQuery } from '../../src/http/query.ts'
import { requestInfoOf } from '../../src/http/request-info.ts'
import { wireParts } from '../../src/server/wire-parts.ts'
import { BUILT_IN } from './built-in-kinds.ts'
import type { ApiWorld } from './api-world.ts'

export interface SentRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body?: object | string | Buffer
  readonly contentType?: string
  readonly userAgent?: string
  readonly accept?: string
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

const SOMEONE: Caller = {
  user: { name: 'someone', uid: undefined, groups: [], extra: {} },
  audit: NOT_AUDITED,
}
/** As a server has them: large bodies are read in turns and in a thread. */
const WIRE = wireParts(BUILT_IN)
const START_MS = Date.parse('2030-01-01T00:00:00Z')

export class ApiRequests {
  readonly #handler: CallerHandler
  /** How much time has passed. */
  seconds = 0

  /** `authorize` throws where the verb is one that the caller may not, besides the one that the request is. */
  constructor(world: ApiWorld, gates: ReadonlySet<string> = new Set(), authorize: (verb: string) => void = () => {}) {
    const measures = new WatchMeasures()
    const watchers = new Watchers({ clock: systemClock, log: SILENT_LOG, measures, revision: () => 0 })
    this.#handler = serveResources({
      ...WIRE,
      resources: () => world.resources,
      registry: world.parts,
      gates,
      now: () => `${new Date(START_MS + this.seconds * 1000).toISOString().slice(0, 19)}Z`,
      clock: systemClock,
      watches: { measures, watchers, shortestSeconds: 1800 },
      authorize: async (_request, { verb }) => authorize(verb),
    })
  }

  async send(sent: SentRequest): Promise<Answer> {
    const warnings: string[] = []
    try {
      const { status, body } = await this.#handler(requestOf(sent, warnings), SOMEONE)
      const text = await textOf(body)
      const value: unknown = sent.accept === 'application/yaml' ? parseYaml(Buffer.from(text)).value : JSON.parse(text)
      return { status, body: value as Answer['body'], warnings }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { status: error.code, body: statusOf(error) as unknown as Answer['body'], warnings }
    }
  }

  /** The body of an answer, whatever it is. */
  async sendForText(sent: SentRequest): Promise<string> {
    return textOf((await this.#handler(requestOf(sent, []), SOMEONE)).body)
  }
}

function requestOf(
  { method, path, body, contentType, userAgent, accept }: SentRequest,
  warnings: string[],
): HttpRequest {
  const [place = '', search = ''] = path.split('?')
  const query = parseQuery(search)
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : bodyText(body))
  const request: Partial<HttpRequest> = {
    method,
    path: place,
    query,
    info: requestInfoOf(method, place, query),
    headers: {
      'content-type': contentType ?? 'application/json',
      'user-agent': userAgent ?? 'test',
      ...(accept === undefined ? {} : { accept }),
    },
    signal: new AbortController().signal,
    body: { read: () => Promise.resolve(bytes), putBack: () => {}, length: 0, onRead: undefined, release: () => {} },
    responder: {
      warn: (text) => void warnings.push(text),
      addHeaders: () => undefined,
      sendAway: () => undefined,
      whenOver: () => undefined,
      user: ANONYMOUS,
      account: () => undefined,
    },
  }
  return request as HttpRequest
}

function bodyText(body: object | undefined): string {
  return body === undefined ? '' : JSON.stringify(body)
}

async function textOf(body: ResponseBody): Promise<string> {
  switch (body.kind) {
    case 'bytes':
      return body.bytes.toString()
    case 'pieces': {
      const pieces: Buffer[] = []
      for await (const piece of body.pieces) pieces.push(...[piece].flat().map((part) => Buffer.from(part)))
      return Buffer.concat(pieces).toString()
    }
    case 'stream': {
      const frames: Buffer[] = []
      const write = (piece: Piece): boolean => frames.push(...[piece].flat()) > 0
      await body.run({ write, drained: () => Promise.resolve(), bytes: 0, waitingBytes: 0 })
      return frames.length === 0 ? '{}' : Buffer.concat(frames).toString()
    }
    default:
      return '{}'
  }
}
