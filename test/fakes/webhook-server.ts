// A webhook as a real server with TLS: it answers each path the way that a test says, and remembers what it was asked.
import { createServer } from 'node:https'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeAuthority, makeServing } from '../../src/pki/certificate-maker.ts'

export interface ReceivedCall {
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  /** The body as it came. */
  readonly text: string
  /** The body, parsed. */
  readonly review: ReceivedReview
}

export interface ReceivedReview {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly dryRun: boolean
    readonly object: Readonly<Record<string, unknown>> | null
    readonly oldObject: Readonly<Record<string, unknown>> | null
  }
}

export type Behaviour = (review: ReceivedReview, response: ServerResponse) => void

export interface WebhookServer extends AsyncDisposable {
  /** `https://127.0.0.1:1234`. */
  readonly url: string
  readonly port: number
  /** In PEM. */
  readonly authority: string
  /** As it stands in configurations. */
  readonly caBundle: string
  readonly calls: ReceivedCall[]
  /** How many connections were opened to it. */
  readonly connections: () => number
  on(path: string, behaviour: Behaviour): void
}

const HOUR = 3_600_000

export async function openWebhookServer(names: readonly string[] = []): Promise<WebhookServer> {
  const authority = makeAuthority(HOUR)
  const { certificate, key } = makeServing(authority, { dns: [...names], addresses: ['127.0.0.1'] }, HOUR)
  const behaviours = new Map<string, Behaviour>()
  const calls: ReceivedCall[] = []
  let connections = 0
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [path = '', query = ''] = (request.url ?? '').split('?')
      const text = Buffer.concat(chunks).toString()
      const review = JSON.parse(text) as ReceivedReview
      calls.push({ path, query, headers: request.headers, text, review })
      const behaviour = behaviours.get(path)
      if (behaviour === undefined) response.writeHead(404).end()
      else behaviour(review, response)
    })
  })
  server.on('secureConnection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    authority: authority.certificate,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    calls,
    connections: () => connections,
    on: (path, behaviour) => void behaviours.set(path, behaviour),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer of the protocol; the uid of the request comes back unless `response` has another. */
export function respond(response: object, more: object = {}): Behaviour {
  return (review, out) => {
    const { kind, apiVersion } = review
    out.setHeader('content-type', 'application/json')
    out.end(JSON.stringify({ kind, apiVersion, ...more, response: { uid: review.request.uid, ...response } }))
  }
}

export const ALLOW: Behaviour = respond({ allowed: true })

export function patchWith(operations: readonly object[], more: object = {}): Behaviour {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
  return respond({ allowed: true, patchType: 'JSONPatch', patch, ...more })
}

export function denyWith(status?: object): Behaviour {
  return respond({ allowed: false, ...(status === undefined ? {} : { status }) })
}

/** Never answers. */
export const HANG: Behaviour = () => {}

/** Closes the connection in the middle of an answer. */
export const CUT: Behaviour = (_review, out) => {
  out.writeHead(200, { 'content-length': '1000' })
  out.write('{"kind":', () => out.destroy())
}

export function answerWith(status: number, body: string, headers: Record<string, string> = {}): Behaviour {
  return (_review, out) => {
    out.writeHead(status, headers).end(body)
  }
}
