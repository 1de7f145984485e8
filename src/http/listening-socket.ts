// The socket that connections come to.
import { once } from 'node:events'
import type { Server } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** SO_REUSEPORT. */
  readonly sharesPort?: boolean
}

/** With Node's default of 511, many of a thousand clients that reconnect at once would have to wait for a second or more. */
const LISTEN_BACKLOG = 4096

/** The options of every accepted connection. */
export const TCP_OPTIONS = Object.freeze({
  // With keep-alive, the kernel detects a client that has vanished.
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  noDelay: true,
})

/** Throws Node's error if the server cannot listen. */
export async function listenAt(server: Server, address: ListenAddress): Promise<{ host: string; port: number }> {
  const { host, port, sharesPort: reusePort = false } = address
  server.listen({ host, port, backlog: LISTEN_BACKLOG, reusePort })
  await once(server, 'listening')
  return addressOf(server, address)
}

function addressOf(server: Server, { host, port }: ListenAddress): { host: string; port: number } {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? { host: bound.address, port: bound.port } : { host, port }
}
