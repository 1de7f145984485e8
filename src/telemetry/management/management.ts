// The listener for operators: fastify on a port of its own, for GET only. Its pages are the rows of `pages.ts`, which the server answers.
// Every other path is answered with 404. The listener cuts off clients that are slow or request too much, so that they cost the server only
// a few answers.
import type { RequestListener, Server as HttpServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { FastifyReply, FastifyRequest, FastifyServerOptions, InjectOptions, LightMyRequestResponse } from 'fastify'
import { getOrInsert } from '../../lib/map-entries.ts'
import { type Page, PAGES } from './pages.ts'
import { refusalOf, type VisitorRules } from './visitors.ts'

export interface PageRequest {
  /** The path and query as sent. */
  readonly target: string
  readonly accept: string
}

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type AnswerPage = (request: PageRequest, signal: AbortSignal) => Promise<PageAnswer>

/** The part of the server that answers pages, and its certificate and key in PEM. */
export interface PageSource {
  readonly answer: AnswerPage
  readonly serving: () => { readonly certificate: string; readonly key: string } | undefined
}

export interface ManagementOptions extends VisitorRules {
  readonly host: string
  readonly port: number
  /** The certificate authorities for clients, in PEM. Undefined: the listener serves plain HTTP. */
  readonly clientCa: string | undefined
  readonly probesOnly: boolean
  /** Undefined while the server starts. */
  readonly source: () => PageSource | undefined
  /** Called when an answer could not be made. */
  readonly onFault: (error: unknown) => void
}

export interface Management extends AsyncDisposable {
  readonly url: string
  /** Sends a request without a socket, for tests. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>
}

/**
 * Above this number, a connection of the address with the most connections is closed. So a client with many connections cannot keep out
 * probes.
 */
const MOST_CONNECTIONS = 64
/** The largest number of pages that are made at the same time, health not counted. Each may take megabytes. */
const MOST_AT_ONCE = 8
const REQUEST_WITHIN_MS = 5_000
/** The time in which a client must read an answer, or send the next request. */
const IDLE_MS = 30_000
const LIMITS = Object.freeze({
  maxHeaderSize: 8 * 1024,
  headersTimeout: REQUEST_WITHIN_MS,
  requestTimeout: REQUEST_WITHIN_MS,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: IDLE_MS,
})

/** Resolves when the server listens. Throws Node's error if it cannot listen. */
export async function openManagement(options: ManagementOptions): Promise<Management> {
  const { host, port, clientCa: ca, probesOnly, source, onFault } = options
  const [{ fastify }, { Ajv }] = await Promise.all([import('fastify'), import('ajv')])
  // There is no meta schema, because it takes longer to compile than all our schemas.
  const ajv = new Ajv({ coerceTypes: 'array', meta: false, validateSchema: false })
  const app = fastify({
    serverFactory: (handler) => createServer(ca, handler),
    bodyLimit: 1,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // fastify's own compilers are replaced, because they take a third of its memory.
    schemaController: {
      compilersFactory: {
        buildValidator: () => (route: { readonly schema: object }) => ajv.compile(route.schema),
        buildSerializer: () => () => String,
      },
    } as unknown as FastifyServerOptions['schemaController'],
  } as FastifyServerOptions)
  const { server } = app
  keepFew(server)
  if (ca !== undefined) keepCertificate(server as unknown as TlsServer, ca, source)
  app.addHook('onRequest', async ({ method }, reply) => {
    if (method !== 'GET') return say(reply.header('allow', 'GET'), 405, 'only GET is served here')
  })
  app.setNotFoundHandler((_, reply) => say(reply, 404, '404 page not found'))
  app.setErrorHandler((error: Error & { readonly validation?: unknown }, _, reply) => {
    if (error.validation !== undefined) return say(reply, 400, error.message)
    onFault(error)
    return say(reply, 500, 'the page could not be made; the log of the server says why')
  })
  const serve = pageServer(options)
  for (const page of PAGES.filter(({ isProbe }) => isProbe === true || !probesOnly)) {
    const schema = { querystring: { type: 'object', properties: page.query ?? {} } }
    for (const path of page.subtree === true ? [page.path, `${page.path}/*`] : [page.path])
      app.get(path, { schema }, (request, reply) => serve(page, request, reply))
  }
  const { host: place } = new URL(await app.listen({ host, port }))
  return {
    url: `${ca === undefined ? 'http' : 'https'}://${place}`,
    inject: (request: InjectOptions) => app.inject(request),
    [Symbol.asyncDispose]: () => app.close(),
  }
}

type Serve = (page: Page, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

function pageServer({ source, ...rules }: ManagementOptions): Serve {
  let running = 0
  /** Concurrent probes of one path share one answer. */
  const probes = new Map<string, Promise<PageAnswer>>()
  const answer: AnswerPage = async (request, signal) =>
    source()?.answer(request, signal) ?? notServing('the server is starting')
  const answerProbe = (request: PageRequest): Promise<PageAnswer> =>
    getOrInsert(probes, request.target, (target) =>
      answer(request, AbortSignal.timeout(IDLE_MS)).finally(() => probes.delete(target)),
    )
  const answerOne = (request: PageRequest, signal: AbortSignal): Promise<PageAnswer> => {
    if (running >= MOST_AT_ONCE) return Promise.resolve(notServing('too many requests'))
    running++
    return answer(request, signal).finally(() => running--)
  }
  return async (page, { raw, headers: { accept = '' } }, reply) => {
    const refusal = refusalOf(raw, page, rules)
    if (refusal?.status === 401) reply.header('www-authenticate', 'Bearer')
    if (refusal !== undefined) return say(reply, refusal.status, refusal.text)
    const gone = new AbortController()
    let late: NodeJS.Timeout | undefined
    reply.raw.once('close', () => {
      clearTimeout(late)
      gone.abort(new Error('the client has gone'))
    })
    const target = raw.url ?? page.path
    const { status, headers, body } = await (page.isProbe === true
      ? answerProbe({ target, accept: '' })
      : answerOne({ target, accept }, gone.signal))
    late = setTimeout(() => raw.socket.destroy(), IDLE_MS).unref()
    return reply
      .code(status)
      .headers({ ...headers, ...ALWAYS })
      .send(body)
  }
}

const PLAIN = 'text/plain; charset=utf-8'
const ALWAYS = Object.freeze({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })

function say(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).headers(ALWAYS).type(PLAIN).send(`${text}\n`)
}

function createServer(ca: string | undefined, handler: RequestListener): HttpServer {
  if (ca === undefined) return process.getBuiltinModule('node:http').createServer(LIMITS, handler)
  const tls = { ...LIMITS, ca, requestCert: true, rejectUnauthorized: false }
  return process.getBuiltinModule('node:https').createServer(tls, handler)
}

export function notServing(why: string): PageAnswer {
  return { status: 503, headers: { 'content-type': PLAIN, 'retry-after': '1' }, body: Buffer.from(`${why}\n`) }
}

/** Makes the listener use the server's current certificate, even after a renewal. */
function keepCertificate(server: TlsServer, ca: string, source: ManagementOptions['source']): void {
  let current: ReturnType<PageSource['serving']>
  server.prependListener('connection', () => {
    const serving = source()?.serving()
    if (serving === undefined || serving === current) return
    current = serving
    server.setSecureContext({ ca, cert: serving.certificate, key: serving.key })
  })
}

function keepFew(server: Server): void {
  const open = new Map<Socket, string>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, socket.remoteAddress ?? '')
    socket.once('close', () => open.delete(socket))
    if (open.size > MOST_CONNECTIONS) oldestOfBusiest(open)?.destroy()
  })
}

/** The oldest connection of the address that has the most connections. */
function oldestOfBusiest(open: ReadonlyMap<Socket, string>): Socket | undefined {
  const counts = new Map<string, number>()
  for (const address of open.values()) counts.set(address, (counts.get(address) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...open].find(([, address]) => counts.get(address) === most)?.[0]
}
