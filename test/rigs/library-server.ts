// Servers of the library for a test, gone at its end, and how they are spoken to.
import { onTestFinished } from 'vitest'
import { k8s, type Resource } from '../../src/client/client.ts'
import { type Server, type ServerOptions, type OfUser, type Snapshot, startServer } from '../../src/index.ts'
import { type OpenServer, reachServer, type ServerAnswer } from './running-server.ts'

export const MAPS = '/api/v1/namespaces/default/configmaps'

/** A server that differs from others of its file only in its users goes on from one state: that takes a third of the time of a start. */
export async function newServer(options: ServerOptions = {}): Promise<Server> {
  const { users: _, log: _log, ...others } = options
  const isPlain = Object.keys(others).length === 0
  const server = await startServer(isPlain ? { ...options, snapshot: await (state ??= stateOfNewServer()) } : options)
  onTestFinished(() => server.stop())
  // The first request puts the server together. It is not to be one of the test's.
  if (isPlain) await server.client().request({ method: 'GET', path: '/version' })
  return server
}

let state: Promise<Snapshot> | undefined

async function stateOfNewServer(): Promise<Snapshot> {
  await using server = await startServer()
  return server.snapshot()
}

/** Plain requests, whose answers are seen as they are. */
export function plain(server: Server, ...user: OfUser): OpenServer {
  const { url, ca = '', token } = server.credentials(...user)
  const reached = reachServer({ url, authority: ca, adminToken: token }, async () => {})
  onTestFinished(() => reached[Symbol.asyncDispose]())
  return reached
}

/** The config maps of the namespace `default`. */
export function mapsOf(server: Server, ...user: OfUser): Resource<k8s.ConfigMap> {
  return server
    .client(...user)
    .resource(k8s.ConfigMap)
    .inNamespace('default')
}

/** Without what differs between any two answers. */
export function shown({ status, headers, body }: ServerAnswer): object {
  const { date: _, 'audit-id': auditId, ...others } = headers
  return { status, headers: others, body: body.replaceAll(String(auditId), 'AUDIT-ID') }
}
