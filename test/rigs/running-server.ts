// The whole server in the process of the test, in memory, for suites that share one: faster to start than a process of its
// own, and what it holds can be looked at.
import { IN_PLACE } from './in-place.ts'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { type Log, SILENT_LOG } from '../../src/lib/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { startServer } from '../../src/server/server.ts'
import { tempFolder } from './temp-folder.ts'

export interface ServerAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body as JSON. */
  json(): Record<string, unknown>
}

export interface ServerCall {
  readonly method?: string
  /** Absent: the administrator's; empty: none. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: object | string | Buffer
}

export interface OpenServer extends AsyncDisposable {
  readonly url: string
  /** Empty where the test brought a certificate of its own. */
  readonly authority: string
  readonly adminToken: string
  request(path: string, call?: ServerCall): Promise<ServerAnswer>
  /** The body of an answer of success; throws for every other. */
  must(path: string, call?: ServerCall): Promise<Record<string, unknown>>
}

export function openServer(args: readonly string[] = [], log: Log = SILENT_LOG): Promise<OpenServer> {
  return openServerWith(['--in-memory', ...args], { log })
}

/** A replica on an etcd, with a folder of its own. */
export async function openReplica(etcd: string, args: readonly string[] = [], authority = ''): Promise<OpenServer> {
  return openServerWith(['--etcd-servers', etcd, '--data-dir', await tempFolder(), ...args], { authority })
}

/** `authority`: who signed its certificate, where the flags name one. */
export async function openServerWith(
  args: readonly string[],
  { log = SILENT_LOG, authority: given = '' }: { readonly log?: Log; readonly authority?: string },
): Promise<OpenServer> {
  const config = await readConfig(['--secure-port', '0', ...args, ...IN_PLACE], {})
  const running = await startServer({ config, log, signal: AbortSignal.timeout(60_000) })
  const { url, authority = given, adminToken } = running
  return reachServer({ url, authority, adminToken }, () => running.stop())
}

/** What it takes to speak to a server, wherever it runs. */
export type ServerAddress = Pick<OpenServer, 'url' | 'authority' | 'adminToken'>

export function reachServer(address: ServerAddress, stop: () => Promise<unknown>): OpenServer {
  const { hostname, port } = new URL(address.url)
  const agent = new https.Agent({ keepAlive: true, ca: address.authority })
  const request = async (path: string, call: ServerCall = {}): Promise<ServerAnswer> => {
    const { method = 'GET', token = address.adminToken, headers = {}, body } = call
    // Not by its URL, which would be made tidy: what is sent is what the test says.
    const sent = https.request({
      host: hostname,
      port,
      path,
      method,
      agent,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    sent.end(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.setEncoding('utf8')
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: text,
      json: () => JSON.parse(text) as Record<string, unknown>,
    }
  }
  return {
    ...address,
    request,
    async must(path, call) {
      const answer = await request(path, call)
      if (answer.status >= 300) throw new Error(`${call?.method ?? 'GET'} ${path}: ${answer.status} ${answer.body}`)
      return answer.json()
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await stop()
    },
  }
}
