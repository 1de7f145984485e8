// Servers of the library for a test, gone at its end, and how they are spoken to.
import { onTestFinished } from 'vitest'
import { k8s, type Resource } from '../../src/client/client.ts'
import { type Server, type ServerOptions, type ServerUser, startServer } from '../../src/index.ts'
import { type OpenServer, reachServer, type ServerAnswer } from './running-server.ts'

export const MAPS = '/api/v1/namespaces/default/configmaps'

export async function newServer(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer(options)
  onTestFinished(() => server.stop())
  return server
}

/** Plain requests, whose answers are seen as they are. */
export function plain(server: Server, user?: string | ServerUser): OpenServer {
  const { url, ca = '', token } = server.credentials(user)
  const reached = reachServer({ url, authority: ca, adminToken: token }, async () => {})
  onTestFinished(() => reached[Symbol.asyncDispose]())
  return reached
}

/** The config maps of the namespace `default`. */
export function mapsOf(server: Server, user?: string | ServerUser): Resource<k8s.ConfigMap> {
  return server.client(user).resource(k8s.ConfigMap).inNamespace('default')
}

/** Without what differs between any two answers. */
export function shown({ status, headers, body }: ServerAnswer): object {
  const { date: _, 'audit-id': auditId, ...others } = headers
  return { status, headers: others, body: body.replaceAll(String(auditId), 'AUDIT-ID') }
}
