// The ways in which a request can get to a server: each sends its target as it is.
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect, constants } from 'node:http2'
import { Agent, request } from 'node:https'
import type { RunningServer } from '../../src/server/server.ts'
import type { OpenServer, ServerAnswer, ServerCall } from './running-server.ts'

export type Answered = Pick<ServerAnswer, 'status' | 'headers' | 'body'>

/** How a request gets to the server. Of a watch and of a large document it reads the head alone. */
export type Send = (target: string, call: ServerCall) => Promise<Answered>

/** Whether a body is not to be read. */
function isUnread(target: string, status: number): boolean {
  return status === 200 && /[/?&]watch(?:[/=]|%2f)|%2fwatch|^\/openapi/i.test(target)
}

/** Over HTTP/1.1; the target is sent as it is. */
export function http1Sender({ url, authority, adminToken }: OpenServer, opened: AsyncDisposableStack): Send {
  const { hostname: host, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, ca: authority })
  opened.defer(() => agent.destroy())
  return async (path, { method = 'GET', headers = {}, body }) => {
    const credential = adminToken === '' ? {} : { authorization: `Bearer ${adminToken}` }
    const sent = request({ host, port, path, method, agent, headers: { ...headers, ...credential } })
    // The reference says more behind the answer to a target that it cannot read.
    sent.on('error', () => {})
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const { statusCode: status = 0 } = response
    if (isUnread(path, status)) {
      response.on('error', () => {})
      response.destroy()
      return { status, headers: response.headers, body: 'not read' }
    }
    return { status, headers: response.headers, body: await textOf(response) }
  }
}

/** Over one connection of HTTP/2. */
export async function http2Sender(server: OpenServer, opened: AsyncDisposableStack): Promise<Send> {
  const session = connect(server.url, { ca: server.authority })
  opened.defer(() => session.destroy())
  await once(session, 'connect')
  return async (path, { method = 'GET', headers = {}, body }) => {
    const authorization = `Bearer ${server.adminToken}`
    const stream = session.request({ ...headers, ':method': method, ':path': path, authorization })
    stream.end(body === undefined ? undefined : JSON.stringify(body))
    const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }]
    const { ':status': status, ...others } = answered
    if (isUnread(path, status)) {
      stream.close(constants.NGHTTP2_CANCEL)
      return { status, headers: others, body: 'not read' }
    }
    return { status, headers: others, body: await textOf(stream) }
  }
}

/** As the client of a server in the same process does, without a socket. */
export function inProcessSender(
  server: Pick<RunningServer, 'connect' | 'adminToken'>,
  opened: AsyncDisposableStack,
): Send {
  const connection = server.connect()
  opened.defer(() => connection.close())
  return async (path, { method = 'GET', headers = {}, body }) => {
    const sent = { method, path, headers: { ...headers, authorization: `Bearer ${server.adminToken}` } }
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await connection.send({ ...sent, body: text }, new AbortController().signal)
    if (isUnread(path, answer.status)) {
      answer.body.destroy()
      return { ...answer, body: 'not read' }
    }
    return { ...answer, body: await textOf(answer.body) }
  }
}

/** As the console's pages do, in a session of the administrator's. */
export async function consoleSender(server: OpenServer, opened: AsyncDisposableStack): Promise<Send> {
  const page = { 'sec-fetch-site': 'same-origin' }
  const login = { method: 'POST', token: '', headers: page, body: { token: server.adminToken } }
  const { headers } = await server.request('/console/login', login)
  const cookie = headers['set-cookie']![0]!.split(';', 1)[0]!
  const send = http1Sender({ ...server, adminToken: '' }, opened)
  return (path, call) => send(`/console/api${path}`, { ...call, headers: { ...call.headers, ...page, cookie } })
}

async function textOf(pieces: AsyncIterable<unknown>): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece as Buffer)
  return Buffer.concat(all).toString()
}
